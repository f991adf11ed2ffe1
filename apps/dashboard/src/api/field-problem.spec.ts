import { fieldError, otherProblem } from './field-problem';

const problem = (detail: string, status = 400) => ({ status, detail, retryAfterSeconds: null });

it('what the API says of a field stands beside that field, as a sentence', () => {
  const told = problem('password: must have at least 10 characters');
  expect(fieldError(told, 'password')).toBe('Must have at least 10 characters.');
  expect(fieldError(told, 'email')).toBeUndefined();
});

it('and nowhere else', () => {
  const told = problem('password: must have at least 10 characters');
  expect(otherProblem(told, ['email', 'password'])).toBeNull();
  expect(otherProblem(told, ['email'])).toBe(told);
});

it('what is about no field is shown as it is', () => {
  const told = problem('This link is no longer valid. Ask for a new one.');
  expect(fieldError(told, 'password')).toBeUndefined();
  expect(otherProblem(told, ['password'])).toBe(told);
});

it('another status than 400 is never about a field', () => {
  const told = problem('email: is taken', 409);
  expect(fieldError(told, 'email')).toBeUndefined();
  expect(otherProblem(told, ['email'])).toBe(told);
});
