import type { Arena } from '../arena/arena';

/** What this version of the interface offers, by its own description: what is not there is not used. */
export interface Abilities {
  readonly idempotency: boolean;
  readonly deletion: boolean;
  readonly webhooks: boolean;
}

interface Operation {
  parameters?: { name?: string }[];
}

export async function abilitiesOf(arena: Arena): Promise<Abilities> {
  const answer = await fetch(`${arena.services.baseUrl}/api/v1/openapi.json`);
  const { paths } = (await answer.json()) as { paths: Record<string, Record<string, Operation>> };
  const transcribe = paths['/transcribe']?.['post'] ?? paths['/api/v1/transcribe']?.['post'];
  const job = paths['/jobs/{job_id}'] ?? paths['/api/v1/jobs/{job_id}'] ?? {};
  return {
    idempotency: (transcribe?.parameters ?? []).some(({ name }) => name?.toLowerCase() === 'idempotency-key'),
    deletion: 'delete' in job,
    webhooks: JSON.stringify(transcribe ?? {}).includes('webhook_url'),
  };
}
