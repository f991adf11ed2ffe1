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
  SetWebhook,
  ShowAccount,
  ShowWebhook,
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
import { DeleteJob, FollowJobs, GetDeletion, JobMoved, JobStopped, ListDeletions } from './deletions';
import { CheckBillingReady, CheckJobsReady } from './health';
import {
  AssembleWork,
  ChunkCut,
  ClaimWork,
  ConfirmAnnounced,
  DiscardJob,
  FindStoreUpload,
  GetJob,
  GiveBackWork,
  JobChanged,
  KeepUpload,
  ListJobs,
  ListUnannounced,
  LocateAudio,
  NameSpeakers,
  OpenStoreUpload,
  OpenUpload,
  PrepareWork,
  RecognizeWork,
  RediarizeJob,
  RediarizeWork,
  SetAccountLimits,
  SetAudioRetention,
  ShowJob,
  SubmitJob,
  WholeWork,
  WorkFinished,
  WorkProgress,
} from './jobs';
import { ListLanguages, WorkerAnnounced } from './workers';

export type ServiceName = 'gateway' | 'webhooks' | 'jobs' | 'billing' | 'worker' | 'admin';

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
      ...[DeleteJob, GetDeletion, ListDeletions, FollowJobs],
      ...[OpenUpload, KeepUpload, SubmitJob, DiscardJob, OpenStoreUpload, FindStoreUpload],
      ...[GetJob, ListJobs, NameSpeakers, RediarizeJob, LocateAudio, SetAudioRetention],
      ...[ListLanguages, CheckJobsReady],
      ...[OpenAccount, AddCredit, GetAccountSummary, GetStatement, GetUsageBreakdown],
      ...[StartTopUp, ListTopUps, TakePaymentEvent, SetLowBalanceNotice, CheckBillingReady],
    ],
    answers: [
      ...[CreateAccount, ShowAccount, ListAccounts, SetAccountState, SetPassword],
      ...[CreateKey, RevokeKey, ListKeys, ShowWebhook, SetWebhook],
    ],
    consumes: { 'gateway-balance-low': [BalanceLow] },
    sends: [AccountKeysChanged, AccountSessionsEnded],
    hears: [AccountKeysChanged, AccountSessionsEnded, JobMoved, JobStopped, WorkProgress],
  },
  webhooks: {
    ...NOTHING,
    asks: [ListUnannounced, ConfirmAnnounced],
    consumes: { 'webhooks-job-changed': [JobChanged] },
  },
  jobs: {
    asks: [CheckCredit, HoldForJob, CaptureForJob, ReleaseForJob, DescribeHolds, ListOpenHolds],
    answers: [
      ...[DeleteJob, GetDeletion, ListDeletions, FollowJobs],
      ...[OpenUpload, KeepUpload, SubmitJob, DiscardJob, OpenStoreUpload, FindStoreUpload],
      ...[
        GetJob,
        ListJobs,
        NameSpeakers,
        RediarizeJob,
        LocateAudio,
        ShowJob,
        SetAudioRetention,
        SetAccountLimits,
      ],
      ...[ListLanguages, CheckJobsReady],
      ...[ListUnannounced, ConfirmAnnounced],
      ...[ClaimWork, GiveBackWork],
    ],
    publishes: [WholeWork, PrepareWork, RecognizeWork, AssembleWork, RediarizeWork, JobChanged],
    consumes: { 'jobs-chunks': [ChunkCut], 'jobs-results': [WorkFinished] },
    sends: [JobMoved, JobStopped],
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
    hears: [JobStopped],
  },
  admin: {
    ...NOTHING,
    asks: [
      ...[CreateAccount, ShowAccount, ListAccounts, SetAccountState, SetPassword],
      ...[CreateKey, RevokeKey, ListKeys, ShowWebhook, SetWebhook],
      ...[AddCredit, CheckLedger, ShowJob, SetAccountLimits],
    ],
  },
};

/** The streams that a process of this name makes: its own; all where it is none of the services, as in tests. */
export function streamsMadeBy(name: string): readonly StreamName[] | 'all' {
  return name in SERVICES ? SERVICES[name as ServiceName].owns : 'all';
}
