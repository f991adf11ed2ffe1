import type { JobView } from '@currawong/contracts';
import { eventFor, eventIdOf, hasSeenEnd } from './job-events';

function view(changes: Partial<JobView> = {}): JobView {
  return {
    ...{ id: '019ab3c4-52d1-7a3e-9c1f-3f6b2d0a7e11', status: 'processing', original_filename: 'a\nb.wav' },
    ...{ language: 'en', audio_duration_seconds: null, error_message: null, completed_at: null },
    ...{ created_at: '2026-11-21T03:04:05.678Z', progress: 0.4123, cost_micro_aud: null, result_key: null },
    ...{ speaker_names: {}, audio_available: true, num_speakers: null, analysis: null },
    ...{ queue_position: null, estimated_completion_at: null },
    ...{ diarization_pending: false, diarization_error: null },
    ...changes,
  };
}

const kindOf = (...of: Parameters<typeof eventFor>) =>
  /^event: (.*)$/m.exec(eventFor(...of)?.text ?? '')?.[1];

it('a client that has seen nothing, or says what nobody has told it, is told the status', () => {
  for (const lastSeen of [undefined, '', '7', 'processing', 'processing.a.b', 'processing.412.0\nid: x'])
    expect([lastSeen, kindOf(view(), lastSeen)]).toEqual([lastSeen, 'status']);
});

it('what a client has seen it is not told again; what is new it is told once', () => {
  const seen = eventIdOf(view());
  expect(seen).toBe('processing.412.0');
  expect(eventFor(view(), seen)).toBeUndefined();
  // When it will be done is reckoned anew each time: that alone is no news.
  expect(eventFor(view({ estimated_completion_at: '2026-11-21T03:05:00.000Z' }), seen)).toBeUndefined();
  expect(kindOf(view({ progress: 0.5 }), seen)).toBe('progress');
  expect(kindOf(view({ status: 'pending', progress: 0, queue_position: 3 }), 'pending.0.4')).toBe('progress');
  expect(kindOf(view({ status: 'completed', progress: 1 }), seen)).toBe('status');
});

it('an event is one id, one name and one line of data, whatever the name of the file', () => {
  const { text } = eventFor(view(), undefined)!;
  expect(text.split('\n')).toHaveLength(5);
  expect(text.endsWith('\n\n')).toBe(true);
  const data = JSON.parse(/^data: (.*)$/m.exec(text)![1]!) as Record<string, unknown>;
  expect(data).toMatchObject({ status: 'processing', original_filename: 'a\nb.wav', cost_aud: null });
  expect(data).not.toHaveProperty('result_key');
});

it('only who has seen the end of an ended job has nothing to come back for', () => {
  const completed = view({ status: 'completed', progress: 1 });
  expect(hasSeenEnd(completed, 'completed.1000.0')).toBe(true);
  expect(hasSeenEnd(completed, 'processing.990.0')).toBe(false);
  expect(hasSeenEnd(completed, 'failed.1000.0')).toBe(false);
  expect(hasSeenEnd(completed, undefined)).toBe(false);
  expect(hasSeenEnd(view(), 'processing.412.0')).toBe(false);
});
