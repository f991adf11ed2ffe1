import type { Problem } from './client';

/**
 * The API says which field is wrong: `password: must have at least 10 characters`. Gives its sentence where it is
 * about the named field, to stand beside it.
 */
export function fieldError(problem: Problem | null | undefined, field: string): string | undefined {
  const told = fieldOf(problem);
  if (told?.field !== field) return undefined;
  return `${told.text[0]!.toUpperCase()}${told.text.slice(1)}${/[.!?]$/.test(told.text) ? '' : '.'}`;
}

/** The problem, unless one of the fields shows it already. */
export function otherProblem(problem: Problem | null | undefined, fields: readonly string[]): Problem | null {
  const told = fieldOf(problem);
  return told && fields.includes(told.field) ? null : (problem ?? null);
}

function fieldOf(problem: Problem | null | undefined): { field: string; text: string } | null {
  if (problem?.status !== 400) return null;
  const match = /^([a-z][a-z_]*): (.+)$/s.exec(problem.detail);
  return match && { field: match[1]!, text: match[2]! };
}
