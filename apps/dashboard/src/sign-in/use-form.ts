import { useRef, useState, type FormEvent } from 'react';
import { otherProblem } from '../api/field-problem';
import type { Answer, Problem } from '../api/client';

/** A form that is sent once at a time and keeps what the API had against it. Field names are those of the API. */
export function useForm<T>(
  send: (values: Record<string, string>) => Promise<Answer<T>>,
  onDone: (value: T) => void | Promise<void>,
) {
  const [busy, setBusy] = useState(false);
  const [problem, setProblem] = useState<Problem | null>(null);
  const sending = useRef(false);
  const submit = async (form: HTMLFormElement) => {
    if (sending.current) return;
    sending.current = true;
    setBusy(true);
    setProblem(null);
    const values = Object.fromEntries(
      [...new FormData(form)].filter((entry): entry is [string, string] => typeof entry[1] === 'string'),
    );
    const answer = await send(values);
    sending.current = false;
    setBusy(false);
    if (answer.ok) return onDone(answer.value);
    setProblem(answer.problem);
    focusWrongField(form);
  };
  return {
    busy,
    problem,
    /** What is wrong, less what stands beside one of these fields. */
    rest: (...fields: string[]) => otherProblem(problem, fields),
    onSubmit: (event: FormEvent<HTMLFormElement>) => {
      event.preventDefault();
      void submit(event.currentTarget);
    },
  };
}

/** Once the error stands there. */
function focusWrongField(form: HTMLFormElement): void {
  requestAnimationFrame(() => form.querySelector<HTMLElement>('[aria-invalid]')?.focus());
}
