import type { AccountBody, AccountChange } from '@currawong/contracts';
import { useState } from 'react';
import { send } from '../api/client';
import { useSession } from '../session/session';
import { useForm } from '../sign-in/use-form';
import { announce } from '../ui/announcer';

/** A form that changes a part of the account. `saved` until the next change, for the word beside the button. */
export function useAccountForm(change: (values: Record<string, string>) => AccountChange) {
  const { accountChanged } = useSession();
  const [saved, setSaved] = useState(false);
  const form = useForm<AccountBody>(
    (values) => send('PATCH', '/account', change(values)),
    (account) => {
      accountChanged(account);
      setSaved(true);
      announce('Saved.');
    },
  );
  return { ...form, saved: saved && !form.busy && !form.problem, onChange: () => setSaved(false) };
}
