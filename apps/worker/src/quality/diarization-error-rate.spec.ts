import { diarizationErrors, parseRttm, togetherDiarizationErrors } from './diarization-error-rate';

const reference = [
  { start: 0, end: 4, speaker: 'ann' },
  { start: 5, end: 10, speaker: 'bob' },
];
const strict = { collarSeconds: 0 };

describe('diarization error rate', () => {
  it('is zero for the same turns under other names', () => {
    const renamed = reference.map((turn) => ({ ...turn, speaker: turn.speaker === 'ann' ? 2 : 1 }));
    expect(diarizationErrors(reference, renamed, strict).rate).toBe(0);
  });

  it('tells missed speech, false alarms and confusion apart', () => {
    const hypothesis = [
      { start: 0, end: 4.5, speaker: 1 },
      { start: 5, end: 6, speaker: 1 },
      { start: 6, end: 9, speaker: 2 },
    ];
    const errors = diarizationErrors(reference, hypothesis, strict);
    expect(errors.falseAlarmSeconds).toBeCloseTo(0.5);
    expect(errors.confusedSeconds).toBeCloseTo(1);
    expect(errors.missedSeconds).toBeCloseTo(1);
    expect(errors.rate).toBeCloseTo(2.5 / 9);
  });

  it('matches speakers in the best of all ways, not greedily', () => {
    const three = [
      { start: 0, end: 10, speaker: 'a' },
      { start: 10, end: 16, speaker: 'b' },
    ];
    // Label 1 shares 6 s with a and 5 s with b, label 2 shares 4 s with a and 1 s with b: 5 + 4 beats 6 + 1.
    const hypothesis = [
      { start: 0, end: 6, speaker: 1 },
      { start: 6, end: 10, speaker: 2 },
      { start: 10, end: 15, speaker: 1 },
      { start: 15, end: 16, speaker: 2 },
    ];
    expect(diarizationErrors(three, hypothesis, strict).confusedSeconds).toBeCloseTo(16 - 9);
  });

  it('leaves out what lies within the collar of a reference border', () => {
    const late = [
      { start: 0.2, end: 4.2, speaker: 1 },
      { start: 5.2, end: 9.8, speaker: 2 },
    ];
    expect(diarizationErrors(reference, late, strict).rate).toBeGreaterThan(0.05);
    expect(diarizationErrors(reference, late, { collarSeconds: 0.25 }).rate).toBe(0);
  });

  it('expects both speakers where two speak at once', () => {
    const overlap = [
      { start: 0, end: 2, speaker: 'a' },
      { start: 0, end: 2, speaker: 'b' },
    ];
    const errors = diarizationErrors(overlap, [{ start: 0, end: 2, speaker: 1 }], strict);
    expect(errors).toMatchObject({ speechSeconds: 4, missedSeconds: 2, rate: 0.5 });
  });

  it('weighs speakers the same in the Jaccard error rate, however little they say', () => {
    const one = [{ start: 0, end: 10, speaker: 1 }];
    // Ann is found with 5 s too many, Bob not at all.
    expect(diarizationErrors(reference, one, strict).jaccardRate).toBeCloseTo((5 / 10 + 1) / 2);
    expect(diarizationErrors(reference, [], strict).jaccardRate).toBe(1);
    expect(diarizationErrors(reference, reference, strict).jaccardRate).toBe(0);
  });

  it('weighs every second of several recordings the same', () => {
    const all = [diarizationErrors(reference, reference, strict), diarizationErrors(reference, [], strict)];
    expect(togetherDiarizationErrors(all)).toMatchObject({ rate: 0.5, speechSeconds: 18, jaccardRate: 0.5 });
  });

  it('reads RTTM lines and skips the rest', () => {
    const text = ';; comment\nSPEAKER x 1 0.100 1.020 <NA> <NA> Katie <NA> <NA>\n\n';
    expect(parseRttm(text)).toEqual([{ start: 0.1, end: expect.closeTo(1.12) as number, speaker: 'Katie' }]);
  });
});
