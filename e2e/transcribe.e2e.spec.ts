import { startPlatform, type TestPlatform } from '@currawong/testing';
import { readFileSync } from 'node:fs';
import { wordErrors } from '../apps/worker/src/quality/word-error-rate';
import { newCustomer, type Client } from './client';
import { converted, describeWithSpeech, recordingNamed, wav } from './recordings';

let platform: TestPlatform;
let customer: Client;

beforeAll(async () => {
  platform = await startPlatform();
  customer = await newCustomer(platform, { creditAud: '10' });
}, 120_000);

afterAll(() => platform?.stop());

describeWithSpeech('a real dialogue', () => {
  it('comes back with what was said, by whom, and is charged by the second', async () => {
    const recording = recordingNamed('katiesteve.wav');
    const id = await customer.submit(recording.path, { num_speakers: '2' });
    const job = await customer.finished(id, 120);
    expect(job).toMatchObject({
      status: 'completed',
      original_filename: 'katiesteve.wav',
      language: 'en',
      error_message: null,
    });
    expect(job.audio_duration_seconds).toBe(29);
    expect(wordErrors(recording.transcript!, job.transcription!).rate).toBeLessThan(0.25);
    const turns = job.diarization!.split('\n');
    expect(turns[0]).toMatch(/^\[Speaker 1\]: /);
    expect(new Set(turns.map((turn) => turn.slice(0, 12)))).toEqual(
      new Set(['[Speaker 1]:', '[Speaker 2]:']),
    );
    expect(turns.map((turn) => turn.slice(13)).join(' ')).toBe(job.transcription);
    await expectFiles(id, job.transcription!);
    // 29 s at AUD 0.02 a minute.
    expect(job['cost_aud']).toBe(0.009667);
    const credit = await customer.get('/api/v1/credit');
    expect(credit.body).toMatchObject({ balance_aud: '9.99', total_used_aud: '0.01' });
  }, 150_000);

  /** The words with their times, the recording, and the subtitles, under the names that were given. */
  async function expectFiles(id: string, transcription: string): Promise<void> {
    const { body } = await customer.get(`/api/v1/jobs/${id}?words=true`);
    const segments = body['segments'] as { start: number; end: number; words: { text: string }[] }[];
    expect(segments.flatMap(({ words }) => words.map(({ text }) => text)).join(' ')).toBe(transcription);
    const authorized = { headers: { 'X-API-Key': customer.apiKey!, 'Content-Type': 'application/json' } };
    const at = `${customer.baseUrl}/api/v1/jobs/${id}`;
    const names = { 'Speaker 1': 'Katie', 'Speaker 2': 'Steve' };
    const named = JSON.stringify({ speaker_names: names });
    expect((await fetch(at, { ...authorized, method: 'PATCH', body: named })).status).toBe(200);
    const vtt = await (await fetch(`${at}/transcript?format=vtt`, authorized)).text();
    const cues = [...vtt.matchAll(/^(\S+) --> (\S+)\n((?:.+\n)+)/gm)];
    const shown = cues.map(([, , , text]) => text!.trim()).join(' ');
    expect(shown.replace(/<v [^>]+>/g, '').replace(/\n/g, ' ')).toBe(transcription);
    expect(new Set([...shown.matchAll(/<v ([^>]+)>/g)].map(([, name]) => name))).toEqual(
      new Set(['Katie', 'Steve']),
    );
    for (const [, start, end] of cues) expect(start! < end!).toBe(true);
    const audio = Buffer.from(await (await fetch(`${at}/audio`, authorized)).arrayBuffer());
    expect(audio.equals(readFileSync(recordingNamed('katiesteve.wav').path))).toBe(true);
  }

  const short = () => recordingNamed('austen_0880.wav');

  it.each([
    ['mp3', []],
    ['m4a', ['-c:a', 'aac']],
    ['ogg', ['-c:a', 'libvorbis']],
    ['flac', []],
    ['webm', ['-c:a', 'libopus']],
    ['mp4', ['-f', 'lavfi', '-i', 'color=size=64x64:rate=5', '-shortest', '-c:a', 'aac']],
  ])(
    'is understood as %s',
    async (extension, options) => {
      const id = await customer.submit(converted(short().path, extension, ...options), { num_speakers: '1' });
      const job = await customer.finished(id);
      expect(job.error_message).toBeNull();
      expect(job.audio_duration_seconds).toBe(3);
      expect(wordErrors(short().transcript!, job.transcription!).rate).toBeLessThan(0.5);
      expect(job.diarization).toBe(`[Speaker 1]: ${job.transcription}`);
    },
    60_000,
  );
});

it('without speech gives an empty transcript, not an invented one', async () => {
  const job = await customer.finished(await customer.submit({ name: 'silence.wav', bytes: wav(20) }));
  expect(job).toMatchObject({
    status: 'completed',
    transcription: '',
    diarization: '',
    audio_duration_seconds: 20,
  });
});

it('that only looks like audio fails with the reason, and nothing is charged', async () => {
  const before = (await customer.get('/api/v1/credit')).body['balance_aud'];
  const noise = Buffer.concat([wav(0).subarray(0, 44), Buffer.from('fmt '.repeat(4000))]);
  noise.writeUInt16LE(0x1234, 20); // a codec that nobody has
  const answer = await customer.transcribe({ name: 'broken.wav', bytes: noise });
  if (answer.status === 200) {
    const job = await customer.finished(String(answer.body['job_id']));
    expect(job.status).toBe('failed');
    expect(job.error_message).toBeTruthy();
    expect(job.transcription).toBeNull();
  } else {
    expect(answer.status).toBe(400);
    expect(answer.body['detail']).toMatch(/file/);
  }
  expect((await customer.get('/api/v1/credit')).body['balance_aud']).toBe(before);
});

it('leaves books that add up', async () => {
  const report = await platform.admin<{ problems: string[]; open_holds: unknown[] }>('ledger', 'check');
  expect(report).toMatchObject({ problems: [], open_holds: [] });
});
