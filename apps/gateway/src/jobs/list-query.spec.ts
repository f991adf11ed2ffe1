import { ListQuery } from './list-query';

describe('the query of GET /jobs', () => {
  it('has defaults, also for parameters that are sent empty', () => {
    const defaults = { page: 1, page_size: 20 };
    expect(ListQuery.parse({})).toEqual(defaults);
    expect(ListQuery.parse({ page: '', page_size: '', status: '' })).toEqual(defaults);
  });

  it('takes the edges of what is allowed', () => {
    const query = { page: '7', page_size: '100', status: 'failed' };
    expect(ListQuery.parse(query)).toEqual({ page: 7, page_size: 100, status: 'failed' });
  });

  it.each(['1000001', '99999999999', '9'.repeat(40), '9'.repeat(400)])('takes %s for a page', (page) => {
    const { data } = ListQuery.safeParse({ page });
    expect(Number.isSafeInteger(data?.page)).toBe(true);
    // What the database is asked to skip is a 64 bit integer.
    expect(data!.page * 100).toBeLessThan(2 ** 63);
  });

  it.each([
    [{ page: '0' }, 'must be a whole number, 1 or more'],
    [{ page: '-1' }, 'must be a whole number, 1 or more'],
    [{ page: '1.5' }, 'must be a whole number, 1 or more'],
    [{ page: ['1', '2'] }, 'must be a whole number, 1 or more'],
    [{ page_size: '0' }, 'must be a whole number from 1 to 100'],
    [{ page_size: '101' }, 'must be a whole number from 1 to 100'],
    [{ status: 'done' }, 'must be one of pending, uploading, processing, completed, failed'],
    [{ status: ['failed', 'failed'] }, 'must be one of pending, uploading, processing, completed, failed'],
  ])('refuses %j and says what is allowed', (query, rule) => {
    expect(ListQuery.safeParse(query).error?.issues[0]?.message).toBe(rule);
  });
});
