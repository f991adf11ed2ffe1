import { unfinishedJobs } from './4-jobs';
import { heldCredit } from './6-credit';
import { Contract } from './contract';
import { ScriptedWorker } from '../scripted-worker';

// What the contract says of jobs that have not ended, and of money while they have not: here the worker does what the
// test says, and when.
let contract: Contract;
let worker: ScriptedWorker;
beforeAll(async () => {
  contract = await Contract.start(['billing', 'jobs', 'gateway']);
  worker = await ScriptedWorker.join(contract.platform);
}, 120_000);
afterAll(async () => {
  await worker?.leave();
  await contract?.stop();
});

const here = () => contract;
const scripted = () => worker;
describe('4 jobs that have not ended', () => unfinishedJobs(here, scripted));
describe('6 credit while jobs have not ended', () => heldCredit(here, scripted));

it('leaves books that add up', async () => {
  expect(await contract.checkBooks()).toMatchObject({ problems: [], open_holds: [] });
});
