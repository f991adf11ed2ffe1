import { startPlatform, type TestPlatform } from '@currawong/testing';
import { seededRandom } from './chaos';
import { newCustomer, type Client } from './client';
import { wavOf } from './recordings';
import * as sounds from './sounds';

// Nobody speaks in any of these: whatever the engine makes of them is not to reach the customer. Ten minutes of each are
// heard where CURRAWONG_SILENCE_SECONDS says so.
const seconds = Number(process.env['CURRAWONG_SILENCE_SECONDS'] ?? 40);
let platform: TestPlatform;
let customer: Client;

beforeAll(async () => {
  platform = await startPlatform();
  customer = await newCustomer(platform, { creditAud: '10' });
}, 120_000);

afterAll(() => platform?.stop());

const random = seededRandom('silence');

it.each<[string, () => Float32Array]>([
  ['silence', () => sounds.silence(seconds)],
  ['white noise', () => sounds.whiteNoise(seconds, random)],
  ['pink noise', () => sounds.pinkNoise(seconds, random)],
  ['the hum of the mains', () => sounds.hum(seconds)],
  ['a dial tone, then the engaged tone', () => sounds.telephoneTones(seconds)],
  ['music: chords, a melody and drums', () => sounds.music(seconds, random)],
])(
  '%s gives an empty transcript',
  async (_, sound) => {
    const id = await customer.submit({ name: 'sound.wav', bytes: wavOf(sound()) });
    expect(await customer.finished(id, 60 + seconds)).toMatchObject({
      status: 'completed',
      transcription: '',
      diarization: '',
      segments: [],
      audio_duration_seconds: seconds,
    });
  },
  90_000 + seconds * 1_000,
);
