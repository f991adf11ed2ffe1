import { Screen } from './screen';

function recorder(isTTY: boolean) {
  const written: string[] = [];
  return { written, isTTY, columns: 80, write: (text: string) => written.push(text) };
}

it('where there is no terminal, only plain lines are written, a step once it has ended', () => {
  const output = recorder(false);
  const screen = new Screen(output);
  screen.step('Postgres', 'started', 0);
  screen.step('NATS', 'started', 0);
  screen.step('NATS', 'finished', 0.123);
  screen.step('Postgres', 'finished', 2.6);
  expect(output.written.join('')).toBe('✓ NATS (0.1 s)\n✓ Postgres (2.6 s)\n');
});

it('where there is no terminal, a bar is a line at every tenth', () => {
  const output = recorder(false);
  const bar = new Screen(output).bar('Upload');
  for (let percent = 0; percent <= 100; percent += 1) bar.show(percent / 100);
  bar.done('Upload (1.0 s)');
  expect(output.written).toHaveLength(12);
  expect(output.written.join('')).not.toMatch(/[\r\x1b]/);
});

it('in a terminal the line is redrawn, and what has ended stays', () => {
  const output = recorder(true);
  const bar = new Screen(output).bar('Upload');
  bar.show(0.5);
  bar.show(7);
  bar.done('Upload (1.0 s)');
  expect(output.written[0]).toMatch(/^\r\x1b\[K {2}Upload \[█{15}·{15}\] {2}50 %$/);
  expect(output.written[1]).toContain('100 %');
  expect(output.written[2]).toBe('\r\x1b[K✓ Upload (1.0 s)\n');
});
