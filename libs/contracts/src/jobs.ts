import { z } from 'zod';
import { defineNotice, defineRequest, defineStreamMessage } from './define';

export const JobStatus = z.enum(['pending', 'uploading', 'processing', 'completed', 'failed']);
export type JobStatus = z.infer<typeof JobStatus>;

/** A test key runs the same pipeline without money, on the first minute of a recording. */
export const KeyMode = z.enum(['live', 'test']);
export type KeyMode = z.infer<typeof KeyMode>;

/** How many voices the client said there are, exactly; null where it did not say: then at most two are told apart. */
export const NumSpeakers = z.number().int().min(1).max(10).nullable();

/** What may be asked for beyond words and speakers: it costs more. */
export const Analysis = z.enum(['sentiment']);
export type Analysis = z.infer<typeof Analysis>;

/** Who asks: jobs of another account, or of the other mode, do not exist for them. */
export const Owner = z.object({ account_id: z.uuid(), mode: KeyMode });
export type Owner = z.infer<typeof Owner>;

/** Names that a customer gave to voices: `{"Speaker 1": "Katie"}`. The texts of a job keep their numbers. */
export const SpeakerNames = z
  .record(
    z.string().regex(/^Speaker [1-9]\d?$/),
    z
      .string('must be a text')
      .trim()
      .min(1, 'must not be empty')
      .max(80, 'must have at most 80 characters')
      // One line, because it stands in one; half a character cannot be stored.
      .regex(/^[^\p{Cc}\p{Cs}\p{Zl}\p{Zp}]*$/u, 'must be a single line of text'),
    {
      error: ({ code }) =>
        code === 'invalid_key'
          ? 'must be a label such as Speaker 1'
          : 'must be an object such as {"Speaker 1": "Katie"}',
    },
  )
  .refine((names) => Object.keys(names).length <= 20, 'must name at most 20 voices');
export type SpeakerNames = z.infer<typeof SpeakerNames>;

const Timestamp = z.iso.datetime();
/** Share of the work done, 0 to 1. */
const Fraction = z.number().min(0).max(1);

/** A job as the gateway shows it; the texts of a completed one are in the result object that `result_key` names. */
export const JobView = z.object({
  id: z.uuid(),
  status: JobStatus,
  original_filename: z.string(),
  language: z.string(),
  audio_duration_seconds: z.number().int().nullable(),
  error_message: z.string().nullable(),
  created_at: Timestamp,
  completed_at: Timestamp.nullable(),
  progress: Fraction,
  cost_micro_aud: z.number().int().nullable(),
  result_key: z.string().nullable(),
  speaker_names: SpeakerNames,
  audio_available: z.boolean(),
  // The rest has defaults: while an upgrade goes round, a process of before it may answer.
  num_speakers: NumSpeakers.default(null),
  analysis: Analysis.nullable().default(null),
  /** 1 is the next; null where it does not wait. */
  queue_position: z.number().int().min(1).nullable().default(null),
  /** Null where nothing is known to tell it from. */
  estimated_completion_at: Timestamp.nullable().default(null),
  /** Whether its speakers are being told apart anew. */
  diarization_pending: z.boolean().default(false),
  /** Why that failed last; the result of before stays. */
  diarization_error: z.string().nullable().default(null),
});
export type JobView = z.infer<typeof JobView>;

/** Makes the row `uploading` before the first byte is stored. Refuses with `insufficient_credit` before any byte is read. */
export const OpenUpload = defineRequest(
  'jobs.open_upload',
  Owner.extend({
    job_id: z.uuid(),
    original_filename: z.string(),
    /** The key that it is submitted with; null for the dashboard. */
    key_id: z.uuid().nullable().optional(),
    /** Of the client. Where it is known already, nothing is refused for want of credit: there may be nothing to pay. */
    idempotency_key: z.string().optional(),
  }),
  z.object({ source_key: z.string(), lease_seconds: z.number() }),
);

/**
 * Makes the row of a recording that its client is to put into the store itself, in parts, and begins it there. Refuses like
 * `OpenUpload`, and with `too_many_uploads`.
 */
export const OpenStoreUpload = defineRequest(
  'jobs.open_store_upload',
  Owner.extend({
    job_id: z.uuid(),
    original_filename: z.string(),
    key_id: z.uuid().nullable(),
    content_type: z.string(),
    /** How long the client says it is. */
    size_bytes: z.number().int().positive(),
  }),
  z.object({ source_key: z.string(), store_upload_id: z.string(), expires_at: Timestamp }),
);

/**
 * Such an upload, open or submitted before. An open one stays so for at least a minute and a half more. Refuses with
 * `upload_not_found`.
 */
export const FindStoreUpload = defineRequest(
  'jobs.find_store_upload',
  Owner.extend({ job_id: z.uuid() }),
  z.object({
    source_key: z.string(),
    size_bytes: z.number().int(),
    /** Null once it was submitted. */
    store_upload_id: z.string().nullable(),
  }),
);

/** Says that bytes still arrive; without it an upload counts as abandoned after its lease. */
export const KeepUpload = defineRequest('jobs.keep_upload', z.object({ job_id: z.uuid() }), z.object({}));

/**
 * The stored recording becomes a job: its length is probed, its price held, its first work sent. Idempotent: for a job
 * that was accepted before, the answer is the same, so a lost answer is asked for again. With the client's own key for it the
 * answer may be another job, which an equal request was accepted as; then this one is undone. Refuses with
 * `idempotency_key_reused` and `submission_pending`.
 */
export const SubmitJob = defineRequest(
  'jobs.submit',
  z.object({
    /** The client's key, and a hash of everything that it asked for. */
    idempotency: z.object({ key: z.string().min(1).max(255), fingerprint: z.string() }).optional(),
    job_id: z.uuid(),
    size_bytes: z.number().int().positive(),
    language: z.string(),
    num_speakers: NumSpeakers,
    prompt: z.string(),
    analysis: Analysis.nullable().optional(),
    webhook_url: z.string().nullable().optional(),
  }),
  z.object({ job_id: z.uuid() }),
);

/** Undoes a submission whose client was not told 200: the hold, the object and the row go. */
export const DiscardJob = defineRequest('jobs.discard', z.object({ job_id: z.uuid() }), z.object({}));

export const GetJob = defineRequest('jobs.get', Owner.extend({ job_id: z.uuid() }), JobView);

export const ListJobs = defineRequest(
  'jobs.list',
  Owner.extend({
    page: z.number().int().min(1),
    page_size: z.number().int().min(1).max(100),
    status: JobStatus.optional(),
  }),
  z.object({ jobs: z.array(JobView), total: z.number().int() }),
);

/** Gives names to the voices of a job; those that are not named lose theirs. */
export const NameSpeakers = defineRequest(
  'jobs.name_speakers',
  Owner.extend({ job_id: z.uuid(), speaker_names: SpeakerNames }),
  JobView,
);

/**
 * Has the speakers of a completed job told apart anew, as another number of them; the words stay and nothing is charged.
 * Refuses with `job_not_found`, `transcript_not_ready`, `diarization_pending`, and with `voices_erased` where the voices
 * are not kept any more.
 */
export const RediarizeJob = defineRequest(
  'jobs.rediarize',
  Owner.extend({ job_id: z.uuid(), num_speakers: NumSpeakers }),
  JobView,
);

/** Where the recording of a job lies. Refuses with `job_not_found`, and with `audio_not_found` when it was erased. */
export const LocateAudio = defineRequest(
  'jobs.locate_audio',
  Owner.extend({ job_id: z.uuid() }),
  z.object({ source_key: z.string(), original_filename: z.string() }),
);

/**
 * For how long the recordings of an account's ended jobs are kept, and the jobs. Holds for those that have ended already as well.
 * `revision` grows with every change: what comes late with an older one is accepted and ignored.
 */
export const SetAudioRetention = defineRequest(
  'jobs.set_audio_retention',
  z.object({
    account_id: z.uuid(),
    days: z.number().int().min(1).max(365),
    /** Jobs that ended longer ago are erased whole; null: none is. Left out it stays as it was. */
    transcript_days: z.number().int().min(1).max(3650).nullable().optional(),
    /** When the account was closed; null while it is open. Left out it stays as it was. */
    closed_at: Timestamp.nullable().optional(),
    revision: z.number().int().positive().optional(),
  }),
  z.object({}),
);

const AccountLimits = z.object({
  /** How much more audio its waiting work is given than that of an account of weight 1. */
  weight: z.number().positive().max(1_000).nullable(),
  /** Pieces of work at the workers at a time, for each of the two duties. */
  concurrency: z.number().int().min(1).max(1_000_000).nullable(),
  /** Jobs that have not ended; a submission beyond them is refused. */
  unfinished_jobs: z.number().int().min(1).max(100_000_000).nullable(),
});
export type AccountLimits = z.infer<typeof AccountLimits>;

/**
 * What an account may have of the workers, as the operator sets it; null is what holds for all, and what is left out stays as it
 * is. Answers with what holds from now on and what the account has before it. Without limits it changes nothing.
 */
export const SetAccountLimits = defineRequest(
  'jobs.set_account_limits',
  AccountLimits.partial().extend({ account_id: z.uuid() }),
  AccountLimits.extend({
    account_id: z.uuid(),
    unfinished: z.number().int(),
    /** Pieces of work that wait for the account's turn. */
    waiting: z.number().int(),
  }),
);

/** Everything known of a job, for whoever runs the platform: stages, attempts, leases. */
export const ShowJob = defineRequest(
  'jobs.show',
  z.object({ job_id: z.uuid() }),
  z.object({ job: z.record(z.string(), z.unknown()), work: z.array(z.record(z.string(), z.unknown())) }),
);

/**
 * What a worker is asked to do. `whole` is prepare, recognize and assemble in one go, for a recording that fits one
 * chunk; a worker that finds more chunks than one answers like `prepare`. `rediarize` comes after the end: a completed job
 * has its speakers told apart anew.
 */
export const Stage = z.enum(['whole', 'prepare', 'recognize', 'assemble', 'rediarize']);
export type Stage = z.infer<typeof Stage>;

/** One attempt at one work item. The pair (item_id, attempt) is the fence: a result with an older attempt is ignored. */
const WorkReference = z.object({
  job_id: z.uuid(),
  item_id: z.uuid(),
  attempt: z.number().int().min(1),
});
export type WorkReference = z.infer<typeof WorkReference>;

/** Times in seconds from the start of the recording. */
export const SpeechSpan = z.object({ start: z.number(), end: z.number() });

export const Chunk = z.object({
  index: z.number().int().nonnegative(),
  /** What the audio object holds. */
  start_seconds: z.number(),
  end_seconds: z.number(),
  /**
   * The part that is this chunk's alone; what the object holds beside it is a neighbour's, heard by both where there was
   * no silence to cut in. Own parts of all chunks together are the recording. Absent where there is no overlap, and in
   * what a worker cut that knew of none.
   */
  own_start_seconds: z.number().optional(),
  own_end_seconds: z.number().optional(),
  /** Object with the chunk's samples: 16 kHz mono, signed 16 bit little-endian, no header. */
  audio_key: z.string(),
  speech: z.array(SpeechSpan),
});
export type Chunk = z.infer<typeof Chunk>;

const Recording = WorkReference.extend({
  source_key: z.string(),
  language: z.string(),
  prompt: z.string(),
  num_speakers: NumSpeakers,
  analysis: Analysis.nullable().default(null),
  /** Decoding ends with a refusal past this many seconds. */
  max_seconds: z.number().int(),
  /** Length that its container states; for progress alone. */
  declared_seconds: z.number().int(),
  /** Test keys: only this much of the recording is worked on. */
  truncate_after_seconds: z.number().int().nullable(),
});

export const WholeWork = defineStreamMessage('CURRAWONG_WORK', 'work.whole', Recording);
export const PrepareWork = defineStreamMessage('CURRAWONG_WORK', 'work.prepare', Recording);
export const RecognizeWork = defineStreamMessage(
  'CURRAWONG_WORK',
  'work.recognize',
  WorkReference.extend({
    chunk: Chunk,
    language: z.string(),
    prompt: z.string(),
    analysis: Analysis.nullable().default(null),
  }),
);
export const AssembleWork = defineStreamMessage(
  'CURRAWONG_WORK',
  'work.assemble',
  WorkReference.extend({
    language: z.string(),
    num_speakers: NumSpeakers,
    analysis: Analysis.nullable().default(null),
    duration_seconds: z.number(),
    /** The attempt that recognized each chunk, by chunk index; with it the worker names the chunk's objects. */
    chunk_attempts: z.array(z.number().int()),
  }),
);

export const RediarizeWork = defineStreamMessage(
  'CURRAWONG_WORK',
  'work.rediarize',
  WorkReference.extend({
    num_speakers: NumSpeakers,
    analysis: Analysis.nullable(),
    /** The result whose words are kept. */
    result_key: z.string(),
    /** What was noted of the recording's voices when they were told apart first. */
    voices_key: z.string(),
  }),
);

/**
 * A worker asks before it starts. Not claimed: another has the work, or it is not to be done any more. A message that
 * was sent again meanwhile is as good as its successor while the work is still queued: `attempt` is the one that the
 * worker now has, and the one that its report must carry.
 */
export const ClaimWork = defineRequest(
  'jobs.claim_work',
  WorkReference.extend({ worker: z.string() }),
  z.discriminatedUnion('claimed', [
    z.object({ claimed: z.literal(true), attempt: z.number().int(), lease_seconds: z.number() }),
    z.object({ claimed: z.literal(false) }),
  ]),
);

/** A worker that shuts down gives the attempt back: interruption is not failure. */
export const GiveBackWork = defineRequest('jobs.give_back_work', WorkReference, z.object({}));

/** Sent at least at every third of the lease while a worker works; renews the lease. */
export const WorkProgress = defineNotice('progress.work', WorkReference.extend({ fraction: Fraction }));

/** A chunk is stored and can be recognized while the rest is still being cut. */
export const ChunkCut = defineStreamMessage(
  'CURRAWONG_RESULTS',
  'results.chunk_cut',
  WorkReference.extend({ chunk: Chunk }),
);

export const WorkOutcome = z.discriminatedUnion('kind', [
  z.object({ kind: z.literal('prepared'), duration_seconds: z.number(), chunks: z.number().int() }),
  z.object({ kind: z.literal('recognized') }),
  z.object({
    kind: z.literal('transcribed'),
    duration_seconds: z.number(),
    result_key: z.string(),
    /** Absent where the voices were not kept: then they cannot be told apart anew. */
    voices_key: z.string().optional(),
    /** That of the result: what was asked for, or what was detected. */
    language: z.string().optional(),
  }),
  z.object({
    kind: z.literal('rediarized'),
    result_key: z.string(),
    /** Whether any word has another speaker than before. */
    speakers_changed: z.boolean(),
  }),
  /** The recording itself, or what is left of it, is at fault: no attempt will do better. */
  z.object({
    kind: z.literal('refused'),
    code: z.enum(['undecodable_audio', 'recording_too_long', 'voices_unusable']),
    detail: z.string(),
  }),
  /** The attempt is lost; another may succeed. */
  z.object({ kind: z.literal('broke'), reason: z.string() }),
]);
export type WorkOutcome = z.infer<typeof WorkOutcome>;

export const WorkFinished = defineStreamMessage(
  'CURRAWONG_RESULTS',
  'results.work_finished',
  WorkReference.extend({ outcome: WorkOutcome }),
);

/** What is told of a job that has ended, wherever its client wants it told: no text of it, no names, no file name. */
export const EndedJob = z.object({
  job_id: z.uuid(),
  account_id: z.uuid(),
  mode: KeyMode,
  status: z.enum(['completed', 'failed']),
  language: z.string(),
  audio_duration_seconds: z.number().int().nullable(),
  error_message: z.string().nullable(),
  created_at: Timestamp,
  completed_at: Timestamp,
  cost_micro_aud: z.number().int(),
  num_speakers: NumSpeakers,
  analysis: Analysis.nullable(),
  /** Given with the recording; null where the account's own is meant. */
  webhook_url: z.string().nullable(),
});
export type EndedJob = z.infer<typeof EndedJob>;

/** Something a client may want to know happened to a job. */
export const JobChanged = defineStreamMessage(
  'CURRAWONG_EVENTS',
  'events.job_changed',
  z.object({
    job_id: z.uuid(),
    account_id: z.uuid(),
    status: JobStatus,
    at: Timestamp,
    // Absent in what a process of before says while an upgrade goes round.
    mode: KeyMode.optional(),
    /** Where it has ended. */
    ended: EndedJob.optional(),
  }),
);

/**
 * Jobs that have ended and of whose announcement nobody has said for a while that it is kept: what was published of them
 * was lost, or is on its way. Each is given to one asker at a time.
 */
export const ListUnannounced = defineRequest(
  'jobs.list_unannounced',
  z.object({ limit: z.number().int().min(1).max(200) }),
  z.object({ jobs: z.array(EndedJob) }),
);

/** The ends of these jobs are kept by whoever announces them, and need not be said again. */
export const ConfirmAnnounced = defineRequest(
  'jobs.confirm_announced',
  z.object({ job_ids: z.array(z.uuid()).max(500) }),
  z.object({}),
);
