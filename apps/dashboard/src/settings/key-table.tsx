import type { ApiKeyBody } from '@currawong/contracts';
import { dateTime, day } from '../format/time';
import { Button } from '../ui/button';

interface KeyTableProps {
  keys: ApiKeyBody[];
  caption: string;
  /** Undefined for keys that are revoked already. */
  onRevoke?: (key: ApiKeyBody) => void;
}

export function KeyTable({ keys, caption, onRevoke }: KeyTableProps) {
  return (
    <table className="table table-stack key-table">
      <caption className="visually-hidden">{caption}</caption>
      <thead>
        <tr>
          <th scope="col">Name</th>
          <th scope="col">Key</th>
          <th scope="col">Created</th>
          <th scope="col">{onRevoke ? 'Last used' : 'Revoked'}</th>
          {onRevoke && (
            <th scope="col">
              <span className="visually-hidden">Revoke</span>
            </th>
          )}
        </tr>
      </thead>
      <tbody>
        {keys.map((key) => (
          <tr key={key.id}>
            <td className="key-name">
              {key.name}
              {key.mode === 'test' && <span className="key-mode">Test</span>}
            </td>
            <td>
              <code className="key-shown">
                {key.prefix}…{key.last_four}
              </code>
            </td>
            <td data-label="Created">{day(key.created_at)}</td>
            <td data-label={onRevoke ? 'Last used' : 'Revoked'}>
              {onRevoke ? (key.last_used_at ? dateTime(key.last_used_at) : 'Never') : day(key.revoked_at!)}
            </td>
            {onRevoke && (
              <td className="right key-revoke">
                <Button small kind="danger" aria-label={`Revoke ${key.name}`} onClick={() => onRevoke(key)}>
                  Revoke
                </Button>
              </td>
            )}
          </tr>
        ))}
      </tbody>
    </table>
  );
}
