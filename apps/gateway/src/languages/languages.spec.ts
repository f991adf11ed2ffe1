import { accept } from '@currawong/contracts';
import { ServiceUnavailable, type Requester } from '@currawong/messaging';
import { Logger } from '@nestjs/common';
import { languageList, Languages } from './languages';

const engine = { name: 'faster-whisper', version: '1.2.1', model: 'small' };

/** `jobs` as it would answer, one answer after the other; null where it is away. */
function jobsThatAnswers(...answers: ({ languages: string[]; auto: boolean } | null)[]) {
  let asked = 0;
  const ask = () => {
    const answer = answers[Math.min(asked++, answers.length - 1)];
    return answer
      ? Promise.resolve(accept({ ...answer, engine }))
      : Promise.reject(new ServiceUnavailable('jobs.list_languages', 'no_responders'));
  };
  return { requester: { ask } as unknown as Requester, count: () => asked };
}

let nowMs: number;
beforeEach(() => {
  nowMs = 1_000_000;
  jest.spyOn(performance, 'now').mockImplementation(() => nowMs);
  jest.spyOn(Logger.prototype, 'warn').mockImplementation(() => undefined);
});
afterEach(() => jest.restoreAllMocks());

it('before any engine was heard of English is accepted', async () => {
  const jobs = jobsThatAnswers({ languages: [], auto: false });
  expect(await new Languages({ LANGUAGES: undefined }, jobs.requester).accepted()).toEqual({
    ...{ languages: ['en'], auto: false, engine: null },
  });
});

it('what the engines can is asked for once in five seconds, however many ask', async () => {
  const jobs = jobsThatAnswers({ languages: ['de', 'en'], auto: true }, { languages: ['en'], auto: false });
  const languages = new Languages({ LANGUAGES: undefined }, jobs.requester);
  const answers = await Promise.all(Array.from({ length: 50 }, () => languages.accepted()));
  expect(answers.every(({ auto }) => auto)).toBe(true);
  expect(jobs.count()).toBe(1);
  nowMs += 5_001;
  expect(await languages.accepted()).toMatchObject({ languages: ['en'], auto: false });
});

it('while jobs is away what it said last holds', async () => {
  const jobs = jobsThatAnswers({ languages: ['de', 'en'], auto: true }, null);
  const languages = new Languages({ LANGUAGES: undefined }, jobs.requester);
  await languages.accepted();
  nowMs += 5_001;
  expect(await languages.accepted()).toEqual({ languages: ['de', 'en'], auto: true, engine });
});

it('what the operator lists wins, auto only where it is listed', async () => {
  const jobs = jobsThatAnswers({ languages: ['de', 'en'], auto: true });
  const of = (list: string[]) => new Languages({ LANGUAGES: list }, jobs.requester).accepted();
  expect(await of(['fr'])).toMatchObject({ languages: ['fr'], auto: false });
  expect(await of(['fr', 'auto'])).toMatchObject({ languages: ['fr'], auto: true });
});

it('languages are listed under their English names, in the order of these', () => {
  expect(languageList({ languages: ['en', 'de', 'yue'], auto: true, engine })).toEqual({
    languages: [
      { code: 'yue', name: 'Cantonese' },
      { code: 'en', name: 'English' },
      { code: 'de', name: 'German' },
    ],
    auto: true,
    engine,
  });
});
