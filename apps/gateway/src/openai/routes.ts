/** The routes that answer as OpenAI's API does; as loose as the router is. */
const OPENAI = /^\/(api\/)?v1\/(audio\/(transcriptions|translations)|models(\/[^/]+)?)\/?$/i;

/** They take `Authorization: Bearer` as well, and their errors have OpenAI's form beside ours. */
export function isOpenAiPath(path: string): boolean {
  return OPENAI.test(path);
}
