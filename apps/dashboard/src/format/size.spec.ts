import { fileSize } from './size';

it.each([
  [1, '1 B'],
  [999, '999 B'],
  [1_500, '1.5 kB'],
  [12_400_000, '12 MB'],
  [500_000_000, '500 MB'],
  [1_200_000_000, '1.2 GB'],
])('%s bytes are shown as %s', (bytes, shown) => expect(fileSize(bytes)).toBe(shown));
