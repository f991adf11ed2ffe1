import * as fc from 'fast-check';
import { isIP } from 'node:net';
import { generateApiKey, isWellFormed } from '../accounts/keys/api-key';
import { byteRangeOf } from '../jobs/audio/byte-range';
import { contentDisposition } from '../jobs/content-disposition';
import { ListQuery } from '../jobs/list-query';
import { audioKindOf, sniffedBytes } from '../transcribe/upload/audio-kind';
import { displayFilename } from '../transcribe/upload/display-filename';
import { addressBlock, plainAddress } from './client-address';

// What strangers write, in whatever form: properties that hold for all of it, found by chance rather than by example.

/** Text as it may come out of a header or a form: any characters, halves of characters and controls among them. */
const text = fc.string({ unit: 'binary', maxLength: 600 });
const nasty = fc.stringMatching(/^[\u0000-\u001f"\\%/;=\u202a-\u202e\ud800-\udfff a-c.]{0,80}$/);
const anything = fc.oneof(text, nasty);

it('a name that is shown is no path, has no controls and is well-formed', () => {
  fc.assert(
    fc.property(anything, (sent) => {
      const shown = displayFilename(sent);
      expect(shown).not.toMatch(/[/\\\p{Cc}\p{Bidi_Control}\u2028\u2029]/u);
      expect(shown.isWellFormed()).toBe(true);
      expect(shown.length).toBeLessThanOrEqual(255);
    }),
  );
});

it('a Content-Disposition is one header of two names, whatever the file is called', () => {
  fc.assert(
    fc.property(anything, (name) => {
      const header = contentDisposition('attachment', name);
      expect(header).toMatch(
        /^attachment; filename="[\x20-\x21\x23-\x5b\x5d-\x7e]*"; filename\*=UTF-8''[A-Za-z0-9!~._%-]*$/,
      );
      const exact = header.slice(header.indexOf("''") + 2);
      expect(decodeURIComponent(exact)).toBe(name.toWellFormed());
    }),
  );
});

it('a range lies within the file, or is refused, or is all of it', () => {
  const header = fc.oneof(
    anything,
    fc.tuple(fc.nat(), fc.nat()).map(([first, last]) => `bytes=${first}-${last}`),
    fc.nat().map((last) => `bytes=-${last}`),
    fc.stringMatching(/^bytes=[0-9]{0,40}-[0-9]{0,40}$/),
  );
  fc.assert(
    fc.property(header, fc.nat(), (sent, sizeBytes) => {
      const range = byteRangeOf(sent, sizeBytes);
      if (typeof range === 'string') return;
      expect(range.start).toBeGreaterThanOrEqual(0);
      expect(range.start).toBeLessThan(range.end);
      expect(range.end).toBeLessThanOrEqual(sizeBytes);
      expect(Number.isSafeInteger(range.start) && Number.isSafeInteger(range.end)).toBe(true);
    }),
  );
});

it('a list that may be asked for is a page of 1 to 100, whatever the query says', () => {
  const value = fc.oneof(
    anything,
    fc.nat().map(String),
    fc.array(fc.string()),
    fc.dictionary(fc.string(), fc.string()),
  );
  fc.assert(
    fc.property(
      fc.dictionary(fc.constantFrom('page', 'page_size', 'status', '__proto__', 'x'), value),
      (query) => {
        const parsed = ListQuery.safeParse(query);
        if (!parsed.success) return;
        expect(Number.isSafeInteger(parsed.data.page) && parsed.data.page >= 1).toBe(true);
        expect(parsed.data.page_size).toBeGreaterThanOrEqual(1);
        expect(parsed.data.page_size).toBeLessThanOrEqual(100);
      },
    ),
  );
});

it('an address that counts is an address, and what is written twice is the same', () => {
  const addresses = fc.oneof(
    fc.ipV4(),
    fc.ipV6(),
    fc.ipV4().map((ip) => `${ip}:8080`),
    fc.ipV6().map((ip) => `[${ip}]:443`),
    anything,
  );
  fc.assert(
    fc.property(addresses, (sent) => {
      const address = plainAddress(sent);
      if (address === undefined) return;
      expect(isIP(address)).toBeGreaterThan(0);
      expect(plainAddress(address)).toBe(address);
      const block = addressBlock(address);
      expect(block).toMatch(isIP(address) === 4 ? /^[\d.]+$/ : /^([0-9a-f]{1,4}:){4}:\/64$/);
    }),
  );
});

it('all addresses of one network of IPv6 are one block, and no other network is in it', () => {
  const group = fc.integer({ min: 0, max: 0xffff });
  const groups = (length: number) => fc.array(group, { minLength: length, maxLength: length });
  fc.assert(
    fc.property(groups(4), groups(4), groups(4), groups(4), (network, host, otherHost, otherNetwork) => {
      const written = (parts: number[]) => parts.map((part) => part.toString(16)).join(':');
      const block = addressBlock(written([...network, ...host]));
      expect(addressBlock(written([...network, ...otherHost]))).toBe(block);
      if (written(network) !== written(otherNetwork))
        expect(addressBlock(written([...otherNetwork, ...host]))).not.toBe(block);
    }),
  );
});

it('a key that was made is one, and none that was changed by a letter', () => {
  fc.assert(
    fc.property(
      fc.constantFrom('live', 'test'),
      fc.nat(45),
      fc.string({ minLength: 1, maxLength: 1 }),
      (mode, at, letter) => {
        const key = generateApiKey(mode);
        expect(isWellFormed(key)).toBe(true);
        const changed = key.slice(0, at) + letter + key.slice(at + 1);
        if (changed !== key) expect(isWellFormed(changed)).toBe(false);
      },
    ),
  );
  fc.assert(fc.property(anything, (sent) => expect(isWellFormed(sent)).toBe(false)));
});

it('leading bytes of any kind are of one kind or of none', () => {
  const magic = fc.constantFrom(
    '',
    'RIFF....WAVE',
    'OggS',
    'fLaC',
    'ID3',
    '....ftyp',
    '\x1a\x45\xdf\xa3',
    '\xff\xfb',
  );
  fc.assert(
    fc.property(magic, fc.uint8Array({ maxLength: sniffedBytes }), (begin, rest) => {
      const head = Buffer.concat([Buffer.from(begin, 'latin1'), rest]).subarray(0, sniffedBytes);
      expect([undefined, 'mp3', 'wav', 'ogg', 'flac', 'mp4', 'webm']).toContain(audioKindOf(head));
    }),
  );
});
