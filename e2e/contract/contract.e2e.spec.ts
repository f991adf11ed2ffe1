import { base } from './1-base';
import { authentication } from './2-authentication';
import { transcribe } from './3-transcribe';
import { jobs } from './4-jobs';
import { usage } from './5-usage';
import { credit } from './6-credit';
import { health } from './8-health';
import { Contract, TWO_SECONDS } from './contract';

// What clients rely on (parts 1 to 8 of the public contract), over HTTP against the running services: a sentence of the
// contract, a test. Part 7 needs limits of its own: see ../rate-limits.e2e.spec.ts. All parts share one platform.
let contract: Contract;
beforeAll(async () => {
  contract = await Contract.start(['billing', 'jobs', 'worker', 'gateway', 'gateway-2']);
  contract.jobId = await contract.customer.submit(TWO_SECONDS);
  await contract.customer.finished(contract.jobId);
}, 120_000);
afterAll(() => contract?.stop());

const here = () => contract;
describe('1 base', () => base(here));
describe('2 authentication', () => authentication(here));
describe('3 POST /transcribe', () => transcribe(here));
describe('4 jobs', () => jobs(here));
describe('5 usage', () => usage(here));
describe('6 credit', () => credit(here));
describe('8 health and the legacy surface', () => health(here));

it('leaves books that add up', async () => {
  expect(await contract.checkBooks()).toMatchObject({ problems: [], open_holds: [] });
});
