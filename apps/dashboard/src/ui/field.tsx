import {
  useId,
  useState,
  type InputHTMLAttributes,
  type ReactNode,
  type SelectHTMLAttributes,
  type TextareaHTMLAttributes,
} from 'react';
import './field.css';

interface Described {
  label: ReactNode;
  /** Stands under the label, always there. */
  hint?: ReactNode;
  /** What is wrong with the value, as a sentence. */
  error?: string | undefined;
  /** Where the label need not say that it may be left out. */
  optional?: boolean;
}

/** What ties a control to its texts. */
interface ControlProps {
  id: string;
  'aria-describedby': string | undefined;
  'aria-invalid': true | undefined;
}

/** A label, a hint and an error around any control. */
export function Field({
  label,
  hint,
  error,
  optional,
  children,
}: Described & { children: (control: ControlProps) => ReactNode }) {
  const id = useId();
  const described = [hint && `${id}-hint`, error && `${id}-error`].filter(Boolean).join(' ');
  return (
    <div className="field">
      <label htmlFor={id}>
        {label}
        {optional && <span className="field-optional"> (optional)</span>}
      </label>
      {hint && (
        <p className="field-hint" id={`${id}-hint`}>
          {hint}
        </p>
      )}
      {children({
        id,
        'aria-describedby': described || undefined,
        'aria-invalid': error ? true : undefined,
      })}
      {error && (
        <p className="field-error" id={`${id}-error`}>
          {error}
        </p>
      )}
    </div>
  );
}

export function TextField({
  label,
  hint,
  error,
  optional = false,
  ...rest
}: Described & InputHTMLAttributes<HTMLInputElement>) {
  return (
    <Field {...{ label, hint, error, optional }}>
      {(control) => <input {...rest} {...control} className="control" />}
    </Field>
  );
}

export function SelectField({
  label,
  hint,
  error,
  optional = false,
  ...rest
}: Described & SelectHTMLAttributes<HTMLSelectElement>) {
  return (
    <Field {...{ label, hint, error, optional }}>
      {(control) => <select {...rest} {...control} className="control control-select" />}
    </Field>
  );
}

export function TextAreaField({
  label,
  hint,
  error,
  optional = false,
  ...rest
}: Described & TextareaHTMLAttributes<HTMLTextAreaElement>) {
  return (
    <Field {...{ label, hint, error, optional }}>
      {(control) => <textarea rows={3} {...rest} {...control} className="control control-area" />}
    </Field>
  );
}

/** A password that can be shown: typing blind helps nobody. */
export function PasswordField({
  label,
  hint,
  error,
  ...rest
}: Described & Omit<InputHTMLAttributes<HTMLInputElement>, 'type'>) {
  const [shown, setShown] = useState(false);
  return (
    <Field {...{ label, hint, error }}>
      {(control) => (
        <div className="control-with-button">
          <input
            {...rest}
            {...control}
            className="control"
            type={shown ? 'text' : 'password'}
            autoCapitalize="none"
            autoCorrect="off"
            spellCheck={false}
          />
          <button
            type="button"
            className="control-button"
            aria-pressed={shown}
            aria-label="Show the password"
            onClick={() => setShown(!shown)}
          >
            {shown ? 'Hide' : 'Show'}
          </button>
        </div>
      )}
    </Field>
  );
}
