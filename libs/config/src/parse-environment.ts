import { z } from 'zod';

/** What a process reads from: `process.env`, or a record in a test. */
export type Environment = Readonly<Record<string, string | undefined>>;

/** The environment does not allow the process to start. The message is for the person who set it. */
export class ConfigurationError extends Error {
  override readonly name = 'ConfigurationError';

  /** @param problems one line per variable */
  constructor(readonly problems: readonly string[]) {
    super(['The configuration is not usable:', ...problems.map((problem) => `  ${problem}`)].join('\n'));
  }
}

/**
 * Variables to the schema's type; those that the schema does not name are ignored. An empty variable counts as unset,
 * because that is what Helm and compose files write for "nothing".
 * @throws ConfigurationError naming every variable that is wrong, what was given (never of a secret) and what is allowed
 */
export function parseEnvironment<S extends z.ZodObject>(schema: S, environment: Environment): z.infer<S> {
  const given = Object.fromEntries(
    Object.entries(environment).filter(([, value]) => value !== undefined && value !== ''),
  );
  const parsed = schema.safeParse(given);
  if (parsed.success) return parsed.data;
  throw new ConfigurationError(parsed.error.issues.map((issue) => problem(issue, given)));
}

/**
 * `parseEnvironment` for the start of a process: what is wrong goes to stderr and the process ends with 78 (EX_CONFIG),
 * which tells a supervisor that starting again will not help.
 */
export function loadConfiguration<S extends z.ZodObject>(
  schema: S,
  environment: Environment = process.env,
): z.infer<S> {
  try {
    return parseEnvironment(schema, environment);
  } catch (error) {
    if (!(error instanceof ConfigurationError)) throw error;
    process.stderr.write(`${error.message}\n`);
    process.exit(EX_CONFIG);
  }
}

export const EX_CONFIG = 78;

function problem(issue: z.core.$ZodIssue, given: Environment): string {
  const name = issue.path.join('.');
  if (name === '') return issue.message;
  const value = given[name];
  if (value === undefined) return `${name} is not set: ${allowed(issue)}`;
  return SECRET_NAME.test(name)
    ? `${name} (its value is not shown): ${allowed(issue)}`
    : `${name}=${value}: ${allowed(issue)}`;
}

/** Zod's words, except where they speak of types that an environment does not have. */
function allowed(issue: z.core.$ZodIssue): string {
  if (issue.code === 'invalid_value') return `allowed: ${issue.values.map(String).join(', ')}`;
  if (issue.code === 'invalid_type' && issue.input === undefined) return 'it is required';
  return issue.message;
}

/** Addresses are among them because they carry passwords. */
const SECRET_NAME = /SECRET|KEY|PASSWORD|TOKEN|URL/i;
