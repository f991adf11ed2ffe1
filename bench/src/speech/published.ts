/** A figure that others published of themselves or of each other, on their recordings and not on ours. */
export interface PublishedFigure {
  readonly system: string;
  readonly figure: string;
  readonly of: string;
  readonly source: string;
}

const moonshine = 'Jeffries et al., Moonshine, 2024 (arXiv:2410.15608)';
const picovoice = 'Picovoice, speech-to-text-benchmark, README on GitHub';
const sdbench = 'SDBench (arXiv:2507.16136), as listed by OpenBench';
const pyannote = 'pyannote.audio, README';

export const publishedWords: readonly PublishedFigure[] = [
  {
    system: 'PocketSphinx 0.1.15',
    figure: '33 %; 55 %',
    of: 'LibriSpeech test-clean; Common Voice test',
    source: `${picovoice} of 2018`,
  },
  {
    system: 'Moonshine tiny',
    figure: '4.52 %; 11.71 %; 22.77 %; 12.66 %',
    of: 'LibriSpeech test-clean; test-other; AMI; mean of eight corpora',
    source: moonshine,
  },
  {
    system: 'Whisper tiny.en',
    figure: '5.66 %; 15.45 %; 24.24 %; 12.81 %',
    of: 'the same',
    source: moonshine,
  },
  {
    system: 'Whisper small',
    figure: '3.3 %; 7.2 %; 12.7 %',
    of: 'LibriSpeech test-clean; test-other; Common Voice',
    source: picovoice,
  },
  {
    system: 'Whisper large-v3-turbo',
    figure: '2.1 %; 4.24 %; 16.13 %; 7.83 %',
    of: 'LibriSpeech test-clean; test-other; AMI; mean of eight corpora',
    source: 'TheStage AI, TheWhisper, benchmarks on GitHub (with Whisper’s normaliser)',
  },
  {
    system: 'Amazon Transcribe',
    figure: '2.6 %; 5.6 %; 8.7 %',
    of: 'LibriSpeech test-clean; test-other; Common Voice',
    source: picovoice,
  },
];

export const publishedSpeakers: readonly PublishedFigure[] = [
  {
    system: 'pyannote 3.1',
    figure: '18.8 %; 28.5 %; 11.2 %',
    of: 'AMI-IHM; CALLHOME; VoxConverse, no collar, overlap counted',
    source: pyannote,
  },
  {
    system: 'pyannote community-1',
    figure: '17.0 %; 26.7 %; 11.2 %',
    of: 'the same',
    source: pyannote,
  },
  {
    system: 'pyannoteAI precision-2',
    figure: '12.9 %; 16.6 %; 8.5 %',
    of: 'the same',
    source: pyannote,
  },
  {
    system: 'AWS Transcribe, February 2025',
    figure: '28.7 %; 36.8 %',
    of: 'AMI-IHM; CALLHOME',
    source: sdbench,
  },
  {
    system: 'Deepgram, June 2025',
    figure: '35.4 %; 63.9 %',
    of: 'AMI-IHM; CALLHOME',
    source: sdbench,
  },
];
