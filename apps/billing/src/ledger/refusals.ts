import { refuse } from '@currawong/contracts';
import {
  type Amounts,
  audRoundedDown,
  audRoundedUp,
  minutesRoundedDown,
  minutesRoundedUp,
  priceMicroAud,
} from './amounts';
import type { Hold } from './holds';

/** The answers that a customer reads: the numbers, rounded against no surprise, and what to do next. */
export function belowMinimum(availableMicroAud: bigint, minimumMicroAud: bigint) {
  return refuse(
    'insufficient_credit',
    `Your available balance is ${audRoundedDown(availableMicroAud)} and no free minutes are left. ` +
      `At least ${audRoundedUp(minimumMicroAud)} is needed to submit a recording. ` +
      `Top up ${audRoundedUp(minimumMicroAud - availableMicroAud)} or more, then send the recording again.`,
  );
}

export function recordingTooDear(available: Amounts, hold: Hold, seconds: bigint) {
  const { costMicroAud, missingMicroAud } = shortfall(available, hold, seconds);
  return refuse(
    'insufficient_credit',
    `This recording of ${minutesRoundedUp(seconds)} minutes needs ${audRoundedUp(costMicroAud)} ` +
      `beyond your ${minutesRoundedDown(available.freeSeconds)} free minutes, ` +
      `and ${audRoundedDown(available.microAud)} is available. ` +
      `Top up ${audRoundedUp(missingMicroAud)} or more, then send the recording again.`,
  );
}

export function captureTooDear(available: Amounts, hold: Hold, seconds: bigint) {
  const { costMicroAud, missingMicroAud } = shortfall(available, hold, seconds);
  return refuse(
    'insufficient_credit',
    `The recording turned out to be ${minutesRoundedUp(seconds)} minutes long, more than the ` +
      `${minutesRoundedDown(hold.freeSeconds + hold.paidSeconds)} minutes that were set aside. ` +
      `The rest costs ${audRoundedUp(costMicroAud)} and ${audRoundedDown(available.microAud)} is available. ` +
      `Top up ${audRoundedUp(missingMicroAud)} or more, then send the recording again.`,
  );
}

export function alreadySettled(hold: Hold) {
  return refuse(
    'conflict',
    hold.state === 'captured'
      ? `Job ${hold.jobId} has been charged already.`
      : `The credit held for job ${hold.jobId} has been released already.`,
  );
}

export function notTheirJob(jobId: string) {
  return refuse('conflict', `Job ${jobId} belongs to another account.`);
}

/** Money that the seconds need beyond what the hold has and what is free, and how much of it is not there. */
function shortfall(available: Amounts, hold: Hold, seconds: bigint) {
  const paidSeconds = seconds - hold.freeSeconds - available.freeSeconds;
  const price = hold.pricePerMinuteMicroAud;
  const costMicroAud = priceMicroAud(paidSeconds, price) - priceMicroAud(hold.paidSeconds, price);
  return { costMicroAud, missingMicroAud: costMicroAud - available.microAud };
}
