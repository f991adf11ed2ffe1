// Kinds of test, told apart by file name:
//   *.spec.ts              pure: no process, no network
//   *.integration.spec.ts  against real Postgres, NATS and S3
//   *.e2e.spec.ts          over HTTP through the running services; those in e2e/measured run alone
//   *.chart.spec.ts        what helm makes of the chart; no cluster
//   *.cluster.spec.ts      on a Kubernetes cluster, in the order of their names
const shared = {
  testEnvironment: 'node',
  // @swc/jest compiles to CommonJS; packages that ship ES modules only are compiled as well.
  transform: { '^.+\\.(ts|mjs|js)$': ['@swc/jest'] },
  transformIgnorePatterns: [
    'node_modules/(?!(@nestjs|nestjs-pino|file-type|strtok3|token-types|uint8array-extras|@tokenizer|@borewit|music-metadata|uuid|content-type|media-typer|win-guid|cookie|openid-client|oauth4webapi|jose|cockatiel|pitchy)/)',
  ],
  moduleNameMapper: {
    '^@currawong/([^/]+)/(.+)$': '<rootDir>/libs/$1/src/$2',
    '^@currawong/([^/]+)$': '<rootDir>/libs/$1/src',
  },
  roots: ['<rootDir>/apps', '<rootDir>/libs', '<rootDir>/tools', '<rootDir>/e2e', '<rootDir>/bench'],
  testPathIgnorePatterns: ['/node_modules/', '/dist/'],
};
// Servers for a jest that was called directly; `npm test` brings its own.
const servers = {
  globalSetup: '<rootDir>/libs/testing/src/global-setup.ts',
  globalTeardown: '<rootDir>/libs/testing/src/global-teardown.ts',
};
export default {
  testTimeout: 90_000,
  projects: [
    { ...shared, displayName: 'unit', testRegex: '(?<!\\.(integration|e2e|chart|cluster))\\.spec\\.ts$' },
    { ...shared, ...servers, displayName: 'integration', testRegex: '\\.integration\\.spec\\.ts$' },
    { ...shared, ...servers, displayName: 'e2e', testRegex: '(?<!/measured/[^/]*)\\.e2e\\.spec\\.ts$' },
    { ...shared, ...servers, displayName: 'measured', testRegex: '/measured/[^/]*\\.e2e\\.spec\\.ts$' },
    {
      ...shared,
      displayName: 'chart',
      testRegex: '\\.chart\\.spec\\.ts$',
      globalSetup: '<rootDir>/e2e/chart/global-setup.ts',
    },
    {
      ...shared,
      displayName: 'cluster',
      testRegex: '\\.cluster\\.spec\\.ts$',
      globalSetup: '<rootDir>/e2e/cluster/global-setup.ts',
      globalTeardown: '<rootDir>/e2e/cluster/global-teardown.ts',
    },
  ],
};
