import { transcribeFields } from './fields';

const fields = transcribeFields(['en', 'de']);

describe('the fields of POST /transcribe', () => {
  it('have defaults', () => {
    expect(fields.parse({})).toEqual({ language: 'en', num_speakers: null, prompt: '' });
  });

  it.each([
    ['en-AU', 'en'],
    ['EN', 'en'],
    ['de-Latn-CH', 'de'],
  ])('take %s for %s', (sent, language) => {
    expect(fields.parse({ language: sent }).language).toBe(language);
  });

  it.each(['fr', 'english', '', 'en_AU', 'en-'])(
    'refuse the language %p and list the supported ones',
    (language) => {
      expect(fields.safeParse({ language }).error?.issues[0]?.message).toBe('must be one of en, de');
    },
  );

  it.each(['0', '11', '2.5', '-1', 'two', '', '1e1'])(
    'refuse %p speakers and say what is allowed',
    (num_speakers) => {
      expect(fields.safeParse({ num_speakers }).error?.issues[0]?.message).toBe(
        'must be a whole number from 1 to 10',
      );
    },
  );

  it('keep the last 200 tokens of the prompt', () => {
    const words = Array.from({ length: 250 }, (_, index) => `w${index}`);
    expect(fields.parse({ prompt: words.join(' ') }).prompt).toBe(words.slice(50).join(' '));
  });

  it('keep at most the last 2,000 characters of the prompt, never half of one', () => {
    expect(fields.parse({ prompt: `${'a'.repeat(3000)} the end` }).prompt).toBe(
      `${'a'.repeat(1992)} the end`,
    );
    const cut = fields.parse({ prompt: `😀${'a'.repeat(1999)}` }).prompt;
    expect(cut).toBe('a'.repeat(1999));
  });

  it('have no control characters in the prompt: a NUL could not be stored', () => {
    expect(fields.parse({ prompt: 'Ada\u0000Lovelace\n\u0085engine\u0007' }).prompt).toBe(
      'Ada Lovelace engine',
    );
    expect(fields.parse({ prompt: '\u0000' }).prompt).toBe('');
  });

  it('ignore fields that are not known', () => {
    expect(fields.parse({ colour: 'blue' })).not.toHaveProperty('colour');
  });
});
