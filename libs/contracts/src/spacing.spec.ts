import { gapBetween, joinedText } from './spacing';

describe('texts that follow each other', () => {
  it('have a single space between them', () => {
    expect(joinedText([' good ', 'morning,\n everybody', '', ' '])).toBe('good morning, everybody');
    expect(joinedText([])).toBe('');
  });

  it('have none inside a script that is written without spaces', () => {
    expect(joinedText(['今天', '早上', '，', '我们'])).toBe('今天早上，我们');
    expect(joinedText(['コーヒー', 'を', '飲む'])).toBe('コーヒーを飲む');
    expect(joinedText(['สวัสดี', 'ครับ'])).toBe('สวัสดีครับ');
    // A character beyond the first plane is two units of a string.
    expect(joinedText(['𠮷野', '𠮷', '田'])).toBe('𠮷野𠮷田');
  });

  it('have one where such a script meets another, and in Korean', () => {
    expect(joinedText(['我', '用', 'Linux', '系统'])).toBe('我用 Linux 系统');
    expect(joinedText(['좋은', '아침'])).toBe('좋은 아침');
  });

  it('have the same between them looked at two by two', () => {
    const texts = ['今天', 'Linux', 'x', '𠮷', '𠮷野', 'ครับ', '，', '좋은', '.'];
    for (const before of texts)
      for (const after of texts)
        expect(before + gapBetween(before, after) + after).toBe(joinedText([before, after]));
  });
});
