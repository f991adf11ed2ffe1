import { rediarization, rediarizationRefusal, type Rediarizable } from './rediarization';

const atRest: Rediarizable = {
  state: 'completed',
  voices_key: 'results/1/2-1.voices',
  audio_erased_at: null,
  diarization_item_id: null,
  diarization_num_speakers: null,
};
const underWay: Rediarizable = { ...atRest, diarization_item_id: 'item', diarization_num_speakers: 3 };

describe('telling the speakers of a job apart anew', () => {
  it('is refused with a reason of its own for each thing that is missing', () => {
    expect(rediarizationRefusal(atRest)).toBeNull();
    expect(rediarizationRefusal(underWay)).toBe('diarization_pending');
    expect(rediarizationRefusal({ ...atRest, voices_key: null })).toBe('voices_erased');
    expect(rediarizationRefusal({ ...atRest, audio_erased_at: new Date() })).toBe('voices_erased');
    for (const state of ['uploading', 'pending', 'processing', 'settling', 'failed', 'discarded'] as const)
      expect(rediarizationRefusal({ ...atRest, state })).toBe('transcript_not_ready');
  });

  it('begins once: what is under way takes no second asking', () => {
    const asked = { kind: 'asked', itemId: 'another', numSpeakers: 2 } as const;
    expect(rediarization(atRest, asked)).toEqual({
      diarization_item_id: 'another',
      diarization_num_speakers: 2,
      diarization_error: null,
    });
    expect(rediarization(underWay, asked)).toBeNull();
  });

  it('ends with the new result and the number that was asked for; names go where the speakers are others', () => {
    const event = { kind: 'rediarized', itemId: 'item', resultKey: 'new.json' } as const;
    expect(rediarization(underWay, { ...event, speakersChanged: true })).toEqual({
      diarization_item_id: null,
      diarization_error: null,
      cleared_at: null,
      result_key: 'new.json',
      num_speakers: 3,
      speaker_names: {},
    });
    expect(rediarization(underWay, { ...event, speakersChanged: false })).not.toHaveProperty('speaker_names');
  });

  it('leaves the old result where it is given up, and says why', () => {
    const change = rediarization(underWay, { kind: 'gave_up', itemId: 'item', errorMessage: 'why' });
    expect(change).toEqual({ diarization_item_id: null, diarization_error: 'why', cleared_at: null });
  });

  it('ignores the end of a piece of work that is not the one under way', () => {
    const late = { kind: 'rediarized', itemId: 'older', resultKey: 'late', speakersChanged: true } as const;
    expect(rediarization(underWay, late)).toBeNull();
    expect(rediarization(atRest, { kind: 'gave_up', itemId: 'item', errorMessage: 'why' })).toBeNull();
  });
});
