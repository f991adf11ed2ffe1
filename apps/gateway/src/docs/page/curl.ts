import type { PlacedOperation } from './operations';

const KEY = '-H "X-API-Key: $CURRAWONG_API_KEY"';
/** Set by the first example of the page. */
const JOB = '$JOB';

/** A line for the shell that does what the operation does, with the key and the job of the first example. */
export function curlOf(
  { method, path, servers, operation }: PlacedOperation,
  baseUrl: string,
): string | undefined {
  const schemes = operation.security.flatMap((scheme) => Object.keys(scheme));
  const anyone = schemes.length === 0;
  if (!schemes.includes('apiKey') && !(anyone && method === 'get' && !path.startsWith('/oidc')))
    return undefined;
  // Nothing works as pasted that is always refused.
  if (!Object.keys(operation.responses).some((status) => status.startsWith('2'))) return undefined;
  // The page has a job to ask about, and nothing else with an id.
  if (/\{(?!job_id\})/.test(path)) return undefined;
  const prefix = servers.includes('/') ? '' : servers[0];
  const address = baseUrl + prefix + path.replace(/\{[^}]+\}/g, JOB) + queryOf(operation);
  return [
    `curl -sS ${savedAs(operation)}${method === 'patch' || method === 'delete' ? `-X ${method.toUpperCase()} ` : ''}"${address}"`,
    ...(anyone ? [] : [KEY]),
    ...bodyOf(operation),
  ].join(' \\\n  ');
}

/** An example of each parameter that changes what comes, as far as the page's own job can answer it. */
function queryOf({ operationId, parameters = [] }: PlacedOperation['operation']): string {
  if (operationId === 'getStatement') return '?format=csv';
  const query = parameters
    .filter((parameter) => parameter.in === 'query' && !UNUSED.has(parameter.name))
    .map(({ name, example }) => `${name}=${String(example)}`);
  return query.length > 0 ? `?${query.join('&')}` : '';
}
const UNUSED = new Set(['after', 'before', 'month', 'job_id']);

/** Files are saved: under the name that the answer gives them, or where the reader has that file already, another. */
function savedAs({ operationId }: PlacedOperation['operation']): string {
  if (operationId === 'getJobAudio') return '-o recording.mp3 ';
  return ['getStatement', 'getTranscript'].includes(operationId) ? '-OJ ' : '';
}

function bodyOf({ requestBody }: PlacedOperation['operation']): string[] {
  if (!requestBody) return [];
  if ('multipart/form-data' in requestBody.content)
    return ['-F file=@talk.mp3', '-F language=en', '-F num_speakers=2'];
  const example = JSON.stringify(requestBody.content['application/json']?.example);
  return ['-H "Content-Type: application/json"', `-d '${example}'`];
}
