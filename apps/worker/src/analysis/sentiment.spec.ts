import { vader } from './sentiment';

describe('sentiment of English text', () => {
  it.each([
    ['this is wonderful thank you so much i am very happy', 'positive'],
    ['great service i love it', 'positive'],
    ['this is terrible i am very angry and disappointed', 'negative'],
    ['the worst experience i ever had what a horrible mess', 'negative'],
    ['this is not good', 'negative'],
    ['the train leaves at ten from platform two', 'neutral'],
    ['', 'neutral'],
  ])('of "%s" is %s', (text, label) => expect(vader.rate(text).label).toBe(label));

  it('is stronger with degree', () => {
    expect(vader.rate('it was very good').score).toBeGreaterThan(vader.rate('it was good').score);
  });

  it.each([
    // Nothing in the words says that these are complaints: a lexicon cannot know.
    ['oh great another two hours on hold', 'positive'],
    ['i have been waiting since monday and nobody called back', 'neutral'],
    // And these are no complaints at all.
    ['the patient has cancer and a broken leg', 'negative'],
  ])('of "%s" is taken for %s: a limit that docs/analysis.md names', (text, label) =>
    expect(vader.rate(text).label).toBe(label),
  );

  it('is not led astray by words that mean something to the language it is written in', () => {
    expect(vader.rate('the constructor has a good valueOf and hasOwnProperty')).toEqual(
      vader.rate('the has a good and'),
    );
  });
});
