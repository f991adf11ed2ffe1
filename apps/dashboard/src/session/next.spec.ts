import { destination, signInPath } from './next';

it('after signing in one is where one was', () => {
  const path = signInPath('/jobs', 'status=failed&page=2');
  expect(path).toBe('/sign-in?next=%2Fjobs%3Fstatus%3Dfailed%26page%3D2');
  expect(destination(path.split('?')[1]!)).toBe('/jobs?status=failed&page=2');
});

it('from the overview nothing needs to be remembered', () => expect(signInPath('/', '')).toBe('/sign-in'));

it.each([
  '',
  'next=https://evil.example',
  'next=//evil.example',
  'next=/\\evil.example',
  'next=javascript:alert(1)',
  'next=/sign-in',
  'next=/sign-up?next=/jobs',
])('an address cannot lead out of the dashboard or round in circles: %s', (search) =>
  expect(destination(search)).toBe('/'),
);
