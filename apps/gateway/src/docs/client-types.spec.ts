import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { GatewayEnvironment } from '../config';
import { clientTypes } from './client-types';
import { openApiDocument } from './openapi';

const path = 'libs/client/src/api-types.ts';
const file = join(__dirname, '../../../..', path);

it('the types of the client library are those of the document', () => {
  const { MAX_FILE_BYTES } = GatewayEnvironment.shape;
  const written = clientTypes(
    openApiDocument({
      MAX_FILE_BYTES: MAX_FILE_BYTES.parse(undefined),
      accepted: { languages: ['en'], auto: false },
    }),
  );
  if (process.env['WRITE_CLIENT_TYPES'] === '1') writeFileSync(file, written);
  try {
    expect(readFileSync(file, 'utf8')).toBe(written);
  } catch (error) {
    const command =
      'WRITE_CLIENT_TYPES=1 npx jest --selectProjects unit --testPathPatterns docs/client-types';
    throw new Error(`${path} is behind the gateway's answers. Write it anew:\n  ${command}`, {
      cause: error,
    });
  }
});
