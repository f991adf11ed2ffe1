/**
 * What the diarizer noted of the voices of a whole recording, as one object beside its result:
 *
 *   8 bytes      "CWVOICES"
 *   uint32       version, 1
 *   uint32       number of chunks
 *   uint32 each  length of each chunk's observation, bytes; 0 where it could not be observed
 *   then         the observations, one after the other, in the diarizer's own format
 *
 * Where an analysis was asked for, a last one follows that is no observation: "CWTRACKS" and, in this same format, the
 * tracks of pitch and level of each chunk. Numbers are little-endian. Voices tell who somebody is: the object is deleted with the recording.
 */
const MAGIC = Buffer.from('CWVOICES', 'latin1');
const TRACKS = Buffer.from('CWTRACKS', 'latin1');
const VERSION = 1;
const HEAD_BYTES = MAGIC.length + 8;

export function encodeVoices(observations: readonly Buffer[], tracks?: readonly Buffer[]): Buffer {
  if (tracks) return encodeVoices([...observations, Buffer.concat([TRACKS, encodeVoices(tracks)])]);
  const head = Buffer.alloc(HEAD_BYTES + 4 * observations.length);
  MAGIC.copy(head);
  head.writeUInt32LE(VERSION, MAGIC.length);
  head.writeUInt32LE(observations.length, MAGIC.length + 4);
  observations.forEach(({ length }, index) => head.writeUInt32LE(length, HEAD_BYTES + 4 * index));
  return Buffer.concat([head, ...observations]);
}

/** The observations as they were given, without copying them. @throws RangeError for bytes that are something else */
export function decodeVoices(bytes: Buffer): Buffer[] {
  return decoded(bytes).filter((observation) => !isTracks(observation));
}

/** The tracks that were given, one for each chunk; undefined without any. @throws RangeError as `decodeVoices` */
export function decodeTracks(bytes: Buffer): Buffer[] | undefined {
  const tracks = decoded(bytes).find(isTracks);
  return tracks && decoded(tracks.subarray(TRACKS.length));
}

function isTracks(bytes: Buffer): boolean {
  return bytes.subarray(0, TRACKS.length).equals(TRACKS);
}

function decoded(bytes: Buffer): Buffer[] {
  if (bytes.length < HEAD_BYTES || !bytes.subarray(0, MAGIC.length).equals(MAGIC))
    throw new RangeError('These bytes are no voices.');
  const version = bytes.readUInt32LE(MAGIC.length);
  if (version !== VERSION) throw new RangeError(`Voices of version ${version} cannot be read.`);
  const count = bytes.readUInt32LE(MAGIC.length + 4);
  let offset = HEAD_BYTES + 4 * count;
  if (offset > bytes.length) throw new RangeError('The voices are cut short.');
  const observations = Array.from({ length: count }, (_, index) => {
    const length = bytes.readUInt32LE(HEAD_BYTES + 4 * index);
    return bytes.subarray(offset, (offset += length));
  });
  if (offset !== bytes.length) throw new RangeError('The voices are cut short, or something follows them.');
  return observations;
}
