import { z } from 'zod';
import { EX_CONFIG, loadConfiguration } from './parse-environment';

it('a process with an unusable environment says so on standard error and ends with 78', () => {
  const written: string[] = [];
  const write = jest
    .spyOn(process.stderr, 'write')
    .mockImplementation((text) => written.push(String(text)) > 0);
  const exit = jest.spyOn(process, 'exit').mockImplementation((code) => {
    throw new Error(`exit ${code}`);
  });
  try {
    expect(() => loadConfiguration(z.object({ BUCKET: z.string() }), {})).toThrow(`exit ${EX_CONFIG}`);
  } finally {
    write.mockRestore();
    exit.mockRestore();
  }
  expect(written.join('')).toBe('The configuration is not usable:\n  BUCKET is not set: it is required\n');
});
