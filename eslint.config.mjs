import nx from '@nx/eslint-plugin';
import tseslint from 'typescript-eslint';

/** Libraries that each part may use. What is not listed is not allowed: data flows one way round. */
const LIBRARIES = {
  contracts: [],
  config: [],
  telemetry: [],
  messaging: ['contracts', 'config', 'telemetry'],
  database: ['contracts', 'config', 'telemetry', 'messaging', 'testing'],
  'object-store': ['config', 'telemetry', 'testing'],
  outbound: ['testing'],
  // Published: a customer's program has it and nothing else of ours.
  client: [],
  'local-platform': ['contracts'],
  testing: ['contracts', 'local-platform'],
  gateway: [
    'contracts',
    'config',
    'telemetry',
    'messaging',
    'database',
    'object-store',
    'outbound',
    'testing',
  ],
  jobs: ['contracts', 'config', 'telemetry', 'messaging', 'database', 'object-store', 'outbound', 'testing'],
  billing: ['contracts', 'config', 'telemetry', 'messaging', 'database', 'testing'],
  // No database: a worker knows what it is told and tells what it did.
  worker: ['contracts', 'config', 'telemetry', 'messaging', 'object-store', 'testing'],
  // In the browser: the types of the contracts alone.
  dashboard: ['contracts'],
  admin: ['contracts', 'config', 'telemetry', 'messaging', 'object-store', 'testing'],
  start: ['client', 'local-platform', 'contracts', 'testing'],
  // It breaks what the services stand on, and looks at what they did there.
  faults: ['local-platform', 'contracts', 'telemetry', 'testing'],
  // A measurement runs the platform as the tests do.
  bench: ['contracts', 'testing', 'local-platform', 'object-store', 'messaging', 'telemetry'],
};

const depConstraints = Object.entries(LIBRARIES).map(([name, libraries]) => ({
  sourceTag: `name:${name}`,
  onlyDependOnLibsWithTags: [name, ...libraries].map((library) => `name:${library}`),
}));

const TEST_FILES = ['**/*.spec.ts'];

export default tseslint.config(
  { ignores: ['**/dist/**', '**/node_modules/**', '.nx/**', '.currawong/**', '**/*.mjs', '**/*.js'] },
  ...tseslint.configs.recommendedTypeChecked,
  {
    plugins: { '@nx': nx },
    languageOptions: {
      parserOptions: {
        project: ['./tsconfig.json', './apps/dashboard/tsconfig.json'],
        tsconfigRootDir: import.meta.dirname,
      },
    },
    rules: {
      '@nx/enforce-module-boundaries': [
        'error',
        { depConstraints, enforceBuildableLibDependency: false, allow: [] },
      ],
      '@typescript-eslint/no-unused-vars': ['error', { argsIgnorePattern: '^_', varsIgnorePattern: '^_' }],
      '@typescript-eslint/no-floating-promises': 'error',
      '@typescript-eslint/switch-exhaustiveness-check': [
        'error',
        { considerDefaultExhaustiveForUnions: true },
      ],
      // Objects of functions, which take no `this`, are passed around in pieces.
      '@typescript-eslint/unbound-method': 'off',
      // An async method without await still promises; a contract decides what is async, not its body.
      '@typescript-eslint/require-await': 'off',
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            { group: ['@currawong/*/src/*', '@currawong/*/dist/*'], message: 'Libraries have a front door.' },
          ],
        },
      ],
    },
  },
  ...Object.keys(LIBRARIES).map(restrictedImports),
  onlyContracts('apps/jobs/src/lifecycle/**/*.ts'),
  onlyContracts('apps/billing/src/ledger/**/*.ts'),
  {
    // What helm makes of the chart has no types.
    files: [...TEST_FILES, 'e2e/chart/*.ts'],
    rules: {
      'no-restricted-imports': 'off',
      '@typescript-eslint/no-unsafe-assignment': 'off',
      '@typescript-eslint/no-unsafe-member-access': 'off',
      '@typescript-eslint/no-unsafe-argument': 'off',
      '@typescript-eslint/no-unsafe-call': 'off',
      '@typescript-eslint/no-unsafe-return': 'off',
    },
  },
);

/** One place knows each outside system, and only specs use the harness. */
function restrictedImports(name) {
  const rules = [
    { owner: 'messaging', group: ['@nats-io/*'], message: 'Only libs/messaging speaks to NATS.' },
    { owner: 'object-store', group: ['minio'], message: 'Only libs/object-store speaks to the store.' },
    { owner: 'database', group: ['typeorm', 'pg'], message: 'Only libs/database speaks to Postgres.' },
    { owner: 'outbound', group: ['ipaddr.js'], message: 'Only libs/outbound judges addresses.' },
    { owner: 'testing', group: ['@currawong/testing'], message: 'Only specs import testing.' },
  ];
  // What starts and checks the servers speaks to them directly.
  const exempt = ['testing', 'local-platform', 'start', 'faults'].includes(name)
    ? rules.map((rule) => rule.owner)
    : [name];
  const patterns = rules
    .filter((rule) => !exempt.includes(rule.owner))
    .map(({ group, message }) => ({ group, message }));
  if (patterns.length === 0) return {};
  return {
    files: [`{apps,libs,tools}/${name}/**/*.ts`],
    ignores: TEST_FILES,
    rules: { '@typescript-eslint/no-restricted-imports': ['error', { patterns }] },
  };
}

/** Pure code: no Nest, no database, no clock, nothing but the contracts and its own folder. */
function onlyContracts(files) {
  return {
    files: [files],
    ignores: TEST_FILES,
    rules: {
      'no-restricted-imports': [
        'error',
        {
          patterns: [
            {
              regex: '^(?!\\./|@currawong/contracts$)',
              message: 'This folder is pure: it imports contracts alone.',
            },
          ],
        },
      ],
    },
  };
}
