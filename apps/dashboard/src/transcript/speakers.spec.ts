import { readerDocument } from './document';
import { colourOf, nameOf, renamed, speakerStrip, speakingTimes } from './speakers';
import { plainText } from './plain-text';

const spoken = (speaker: string, start: number, end: number, text = 'Word.') => ({
  speaker,
  start,
  end,
  text,
  confidence: 1,
  words: [{ text, start, end, confidence: 1 }],
});

describe('names of speakers', () => {
  it('are the labels until somebody names them', () => {
    expect(nameOf('Speaker 2', { 'Speaker 1': 'Katie' })).toBe('Speaker 2');
    expect(nameOf('Speaker 1', { 'Speaker 1': 'Katie' })).toBe('Katie');
  });

  it('keep the other names when one is changed', () => {
    expect(renamed({ 'Speaker 1': 'Katie' }, 'Speaker 2', ' Steve ')).toEqual({
      'Speaker 1': 'Katie',
      'Speaker 2': 'Steve',
    });
  });

  it('go back to the label when emptied or set to it', () => {
    expect(renamed({ 'Speaker 1': 'Katie' }, 'Speaker 1', '  ')).toEqual({});
    expect(renamed({ 'Speaker 1': 'Katie' }, 'Speaker 1', 'Speaker 1')).toEqual({});
  });
});

describe('colours', () => {
  it('differ for ten speakers', () => {
    const colours = Array.from({ length: 10 }, (_, index) => colourOf(`Speaker ${index + 1}`));
    expect(new Set(colours).size).toBe(10);
  });
});

describe('speakingTimes', () => {
  it('adds up what each has said', () => {
    const document = readerDocument([
      spoken('Speaker 1', 0, 3),
      spoken('Speaker 2', 5, 6),
      spoken('Speaker 1', 7, 11),
    ]);
    expect(speakingTimes(document)).toEqual([
      { speaker: 'Speaker 1', seconds: 7, share: 7 / 8 },
      { speaker: 'Speaker 2', seconds: 1, share: 1 / 8 },
    ]);
  });
});

describe('speakerStrip', () => {
  it('draws turns where they are and leaves silence empty', () => {
    const { turns } = readerDocument([spoken('Speaker 1', 0, 25), spoken('Speaker 2', 50, 100)]);
    expect(speakerStrip(turns, 100, 100)).toEqual([
      { speaker: 'Speaker 1', from: 0, to: 0.25 },
      { speaker: 'Speaker 2', from: 0.5, to: 1 },
    ]);
  });

  it('draws a word that is shorter than a part, and never more parts than asked for', () => {
    const { turns } = readerDocument(
      Array.from({ length: 5_000 }, (_, index) => spoken(`Speaker ${(index % 2) + 1}`, index, index + 0.2)),
    );
    const strip = speakerStrip(turns, 5_000, 200);
    expect(strip.length).toBeGreaterThan(0);
    expect(strip.length).toBeLessThanOrEqual(200);
    expect(strip.at(-1)!.to).toBeLessThanOrEqual(1);
  });

  it('is empty for a recording without length', () => {
    expect(speakerStrip([], 0)).toEqual([]);
  });
});

describe('plainText', () => {
  const { turns } = readerDocument([
    spoken('Speaker 1', 0, 1, 'Hello.'),
    spoken('Speaker 1', 1, 2, 'How are you?'),
    spoken('Speaker 2', 3, 4, 'Fine.'),
  ]);

  it('gives a paragraph per turn with given names', () => {
    expect(plainText(turns, { 'Speaker 1': 'Katie' })).toBe('Katie: Hello. How are you?\n\nSpeaker 2: Fine.');
  });

  it('gives the words alone where names are not wanted', () => {
    expect(plainText(turns, null)).toBe('Hello. How are you?\n\nFine.');
  });
});
