import { transcribeFields } from './fields';

const fields = transcribeFields({ languages: ['en', 'de'], auto: false });

describe('the fields of POST /transcribe', () => {
  it('have defaults', () => {
    expect(fields.parse({})).toEqual({
      ...{ language: 'en', num_speakers: null, prompt: '', analysis: null, webhook_url: null },
    });
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

  it('take auto where the engines detect the language, and nowhere else', () => {
    const detecting = transcribeFields({ languages: ['en'], auto: true });
    expect(detecting.parse({ language: 'AUTO' }).language).toBe('auto');
    expect(detecting.safeParse({ language: 'auto-AU' }).success).toBe(false);
    expect(detecting.safeParse({ language: 'fr' }).error?.issues[0]?.message).toBe('must be one of en, auto');
    expect(fields.safeParse({ language: 'auto' }).success).toBe(false);
  });

  it('refuse to take English for granted where no engine knows it', () => {
    const german = transcribeFields({ languages: ['de'], auto: false });
    expect(german.safeParse({}).error?.issues[0]?.message).toBe('must be one of de');
  });

  it('take sentiment for an analysis, and nothing else', () => {
    expect(fields.parse({ analysis: 'sentiment' }).analysis).toBe('sentiment');
    for (const analysis of ['', 'tone', 'Sentiment', 'sentiment,tone'])
      expect(fields.safeParse({ analysis }).error?.issues[0]?.message).toBe('must be sentiment, or left out');
  });

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
