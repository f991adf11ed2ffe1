import type { Sentiment } from '@currawong/contracts';
import { SentimentIntensityAnalyzer } from 'vader-sentiment';

/** The thresholds of VADER's authors. */
const THRESHOLD = 0.05;

/** Rates what a text says. @param text one or a few sentences, English */
export interface SentimentModel {
  /** ISO 639 code. */
  readonly language: string;
  rate(text: string): Sentiment;
}

/** VADER: a lexicon of English words with rules for negation, degree and emphasis (Hutto and Gilbert, 2014). */
export const vader: SentimentModel = {
  language: 'en',
  rate(text) {
    // The library looks words up in a plain object, where `constructor` is found as well.
    const words = text.split(/\s+/).filter((word) => !(word.toLowerCase() in Object.prototype));
    return rated(SentimentIntensityAnalyzer.polarity_scores(words.join(' ')).compound);
  },
};

/** @param score −1 to 1 */
export function rated(score: number): Sentiment {
  const rounded = Math.round(score * 1000) / 1000;
  return {
    score: rounded,
    label: score >= THRESHOLD ? 'positive' : score <= -THRESHOLD ? 'negative' : 'neutral',
  };
}
