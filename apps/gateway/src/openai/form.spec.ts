import { RefusalException } from '../http/refusal.exception';
import { transcriptionForm } from './form';

const read = (sent: Record<string, string>, auto = false) =>
  transcriptionForm({ languages: ['en', 'de'], auto }).read(sent);

it('without anything but a file it is as OpenAI has it: json, and the language found out where that can be', () => {
  expect(read({})).toEqual({
    wanted: { language: 'en', num_speakers: null, prompt: '', analysis: null, webhook_url: null },
    wish: { format: 'json', stream: false, granularities: ['segment'] },
  });
  expect(read({}, true).wanted.language).toBe('auto');
  expect(read({ language: '' }, true).wanted.language).toBe('auto');
  expect(read({ language: 'de' }, true).wanted.language).toBe('de');
});

it('takes what OpenAI has, and our own fields', () => {
  const { wanted, wish } = read({
    ...{ model: 'gpt-4o-transcribe-diarize', response_format: 'verbose_json', temperature: '0.2' },
    ...{ 'timestamp_granularities[]': 'word,segment', chunking_strategy: 'auto', prompt: 'Katie' },
    ...{ 'keywords[]': 'Ng,Parramatta', num_speakers: '3', analysis: 'sentiment', stream: 'false' },
  });
  expect(wish).toEqual({ format: 'verbose_json', stream: false, granularities: ['word', 'segment'] });
  expect(wanted).toMatchObject({ prompt: 'Katie, Ng,Parramatta', num_speakers: 3, analysis: 'sentiment' });
});

it.each([
  [
    'response_format',
    'xml',
    /^response_format: must be one of json, text, srt, verbose_json, vtt, diarized_json$/,
  ],
  ['timestamp_granularities[]', 'word,line', /^timestamp_granularities\[\]\S*: must be word or segment$/],
  ['temperature', '2', /^temperature: must be a number from 0 to 1$/],
  ['temperature', 'hot', /^temperature: /],
  ['stream', 'yes', /^stream: must be true or false$/],
  ['include[]', 'logprobs', /^include\[\]: .*not available$/],
  ['languages[]', 'en,de', /^languages\[\]: .*send one as language$/],
  ['known_speaker_names[]', 'Katie', /^known_speaker_names\[\]: /],
  ['known_speaker_references[]', 'data:audio/wav;base64,AA==', /^known_speaker_references\[\]: /],
  ['language', 'xx', /^language: must be one of en, de$/],
  ['num_speakers', '11', /^num_speakers: /],
])('refuses %s %s and says what is allowed', (name, value, sentence) => {
  expect(() => read({ [name]: value })).toThrow(RefusalException);
  expect(() => read({ [name]: value })).toThrow(
    expect.objectContaining({
      refusal: { code: 'invalid_parameter', detail: expect.stringMatching(sentence) },
    }),
  );
});

it.each(['srt', 'vtt', 'verbose_json'])('does not stream %s, which is a whole file', (response_format) => {
  expect(() => read({ stream: 'true', response_format })).toThrow(/stream: must be false with/);
});

it.each(['json', 'text', 'diarized_json'])('streams %s', (response_format) => {
  expect(read({ stream: 'true', response_format }).wish.stream).toBe(true);
});
