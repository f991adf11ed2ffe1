import { JobsEnvironment } from './config';

it('test keys have 30 minutes of audio a day unless configured otherwise', () => {
  expect(JobsEnvironment.shape.TEST_SECONDS_PER_DAY.parse(undefined)).toBe(30 * 60);
});
