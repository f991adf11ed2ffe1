import {
  AccountKeysChanged,
  AccountSessionsEnded,
  CreateAccount,
  CreateKey,
  ListAccounts,
  ListKeys,
  RevokeKey,
  SetAccountState,
  SetPassword,
  ShowAccount,
} from './accounts';
import {
  AddCredit,
  BalanceLow,
  CaptureForJob,
  CheckCredit,
  CheckLedger,
  DescribeHolds,
  GetAccountSummary,
  GetStatement,
  GetUsageBreakdown,
  HoldForJob,
  ListOpenHolds,
  ListTopUps,
  OpenAccount,
  ReleaseForJob,
  SetLowBalanceNotice,
  StartTopUp,
  TakePaymentEvent,
} from './billing';
import type { NoticeContract, RequestContract, StreamMessageContract, StreamName } from './define';
import { CheckBillingReady, CheckJobsReady } from './health';
import {
  AssembleWork,
  ChunkCut,
  ClaimWork,
  DiscardJob,
  GetJob,
  GiveBackWork,
  JobChanged,
  KeepUpload,
  ListJobs,
  LocateAudio,
  NameSpeakers,
  OpenUpload,
  PrepareWork,
  RecognizeWork,
  RediarizeJob,
  RediarizeWork,
  SetAudioRetention,
  ShowJob,
  SubmitJob,
  WholeWork,
  WorkFinished,
  WorkProgress,
} from './jobs';
import { ListLanguages, WorkerAnnounced } from './workers';

export type ServiceName = 'gateway' | 'jobs' | 'billing' | 'worker' | 'admin';

/** What a service says and hears on the message broker: this, and nothing else, is what the broker lets it do. */
export interface ServiceMessages {
  asks: readonly RequestContract[];
  answers: readonly RequestContract[];
  publishes: readonly StreamMessageContract[];
  /** by the name of the durable consumer */
  consumes: Readonly<Record<string, readonly StreamMessageContract[]>>;
  sends: readonly NoticeContract[];
  hears: readonly NoticeContract[];
  /** Streams that it makes and keeps as they should be; nobody else may. */
  owns: readonly StreamName[];
}

const NOTHING = {
  asks: [],
  answers: [],
  publishes: [],
  consumes: {},
  sends: [],
  hears: [],
  owns: [],
} as const;

/** `admin` is the operator's command. A test compares this table with what the programs do. */
export const SERVICES: Readonly<Record<ServiceName, ServiceMessages>> = {
  gateway: {
    ...NOTHING,
    asks: [
      ...[OpenUpload, KeepUpload, SubmitJob, DiscardJob],
      ...[GetJob, ListJobs, NameSpeakers, RediarizeJob, LocateAudio, SetAudioRetention],
      ...[ListLanguages, CheckJobsReady],
      ...[OpenAccount, AddCredit, GetAccountSummary, GetStatement, GetUsageBreakdown],
      ...[StartTopUp, ListTopUps, TakePaymentEvent, SetLowBalanceNotice, CheckBillingReady],
    ],
    answers: [
      ...[CreateAccount, ShowAccount, ListAccounts, SetAccountState, SetPassword],
      ...[CreateKey, RevokeKey, ListKeys],
    ],
    consumes: { 'gateway-balance-low': [BalanceLow] },
    sends: [AccountKeysChanged, AccountSessionsEnded],
    hears: [AccountKeysChanged, AccountSessionsEnded],
  },
  jobs: {
    asks: [CheckCredit, HoldForJob, CaptureForJob, ReleaseForJob, DescribeHolds, ListOpenHolds],
    answers: [
      ...[OpenUpload, KeepUpload, SubmitJob, DiscardJob],
      ...[GetJob, ListJobs, NameSpeakers, RediarizeJob, LocateAudio, ShowJob, SetAudioRetention],
      ...[ListLanguages, CheckJobsReady],
      ...[ClaimWork, GiveBackWork],
    ],
    publishes: [WholeWork, PrepareWork, RecognizeWork, AssembleWork, RediarizeWork, JobChanged],
    consumes: { 'jobs-chunks': [ChunkCut], 'jobs-results': [WorkFinished] },
    sends: [],
    hears: [WorkProgress, WorkerAnnounced],
    owns: ['CURRAWONG_WORK', 'CURRAWONG_RESULTS', 'CURRAWONG_EVENTS'],
  },
  billing: {
    ...NOTHING,
    answers: [
      ...[OpenAccount, AddCredit, GetAccountSummary, CheckCredit, SetLowBalanceNotice],
      ...[HoldForJob, CaptureForJob, ReleaseForJob, DescribeHolds, ListOpenHolds, CheckLedger],
      ...[StartTopUp, ListTopUps, TakePaymentEvent, GetStatement, GetUsageBreakdown, CheckBillingReady],
    ],
    publishes: [BalanceLow],
  },
  worker: {
    ...NOTHING,
    asks: [ClaimWork, GiveBackWork],
    publishes: [ChunkCut, WorkFinished],
    consumes: {
      'work-speech': [WholeWork, RecognizeWork],
      'work-audio': [PrepareWork, AssembleWork, RediarizeWork],
    },
    sends: [WorkProgress, WorkerAnnounced],
  },
  admin: {
    ...NOTHING,
    asks: [
      ...[CreateAccount, ShowAccount, ListAccounts, SetAccountState, SetPassword],
      ...[CreateKey, RevokeKey, ListKeys],
      ...[AddCredit, CheckLedger, ShowJob],
    ],
  },
};

/** The streams that a process of this name makes: its own; all where it is none of the services, as in tests. */
export function streamsMadeBy(name: string): readonly StreamName[] | 'all' {
  return name in SERVICES ? SERVICES[name as ServiceName].owns : 'all';
}
