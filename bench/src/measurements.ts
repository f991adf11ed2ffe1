import type { Measurement } from './measurement';
import { engineCost } from './measures/engine-cost';
import { jobReads } from './measures/job-reads';
import { latency } from './measures/latency';
import { longRecording } from './measures/long-recording';
import { throughput } from './measures/throughput';
import { twoWorkers } from './measures/two-workers';
import { uploadMemory } from './measures/upload-memory';
import { upload } from './measures/upload';

/** In the order in which they run: those that use the same platform follow one another. */
export const measurements: readonly Measurement[] = [
  upload,
  uploadMemory,
  jobReads,
  latency,
  throughput,
  engineCost,
  twoWorkers,
  longRecording,
];

/** Aims without a measurement, and why. */
export const notMeasuredYet: readonly (readonly [string, string])[] = [
  [
    '2',
    'uploads of 100 MB each: the embedded store stops taking data on a small machine, so smaller ones are measured and not judged',
  ],
  ['5', 'whole jobs/s ÷ graphile-worker and pg-boss: the peers are missing; the absolute figure is above'],
  ['6', 'commit → engine starts ÷ graphile-worker’s add → start: the peer is missing'],
  ['7', 'outbox relay messages/s ÷ publishing without Postgres: not written'],
  ['8', 'ledger captures/s ÷ pgbench with the same SQL: not written'],
  ['9', 'ten minutes of audio: only a recording of about half a minute is measured'],
  ['10', 'eight workers: only two are measured'],
  ['12', 'growth with 1,000,000 jobs in the table: not written'],
];
