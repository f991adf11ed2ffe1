import { jobsHref, jobsPath, jobsWanted } from './list';

it('filter and page are kept in the address', () => {
  const wanted = { page: 3, pageSize: 20, status: 'failed' } as const;
  expect(jobsHref(wanted)).toBe('/jobs?status=failed&page=3');
  expect(jobsWanted('status=failed&page=3', 20)).toEqual(wanted);
  expect(jobsPath(wanted)).toBe('/jobs?page=3&page_size=20&status=failed');
});

it('the first page of everything has the plain address', () => {
  expect(jobsHref({ page: 1, status: null })).toBe('/jobs');
  expect(jobsPath({ page: 1, pageSize: 6, status: null })).toBe('/jobs?page=1&page_size=6');
});

it.each(['page=0', 'page=-1', 'page=1.5', 'page=many', 'page=1e99', 'status=lost'])(
  'nonsense in the address is left out: %s',
  (search) => expect(jobsWanted(search, 20)).toEqual({ page: 1, pageSize: 20, status: null }),
);
