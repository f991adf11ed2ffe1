import type { WebhookAttempt, WebhookDeliveryDetail } from '@currawong/contracts';
import { dateTime } from '../format/time';
import { durationText, outcomeText } from './delivery-texts';

/** Each attempt with what came of it; the newest first, because that is what one comes to see. */
export function AttemptList({ delivery: { attempts, status } }: { delivery: WebhookDeliveryDetail }) {
  if (attempts.length === 0)
    return (
      <p className="soft">
        {status === 'pending'
          ? 'There was none yet. It is sent as soon as its receiver has room for it.'
          : 'There was none.'}
      </p>
    );
  return (
    <ol className="attempts" role="list" reversed>
      {attempts.toReversed().map((attempt) => (
        <Attempt key={attempt.number} attempt={attempt} />
      ))}
    </ol>
  );
}

function Attempt({ attempt }: { attempt: WebhookAttempt }) {
  const { number, at, duration_ms, status_code, answer } = attempt;
  const isGood = status_code !== null && status_code >= 200 && status_code < 300;
  return (
    <li className="attempt">
      <p className="attempt-number soft number">{number}</p>
      <p className={isGood ? 'attempt-outcome' : 'attempt-outcome attempt-bad'}>{outcomeText(attempt)}</p>
      <p className="attempt-times soft number">
        <time dateTime={at}>{dateTime(at)}</time>
        <span>{durationText(duration_ms)}</span>
      </p>
      {answer !== '' && (
        <pre
          className="attempt-answer"
          tabIndex={0}
          aria-label={`Beginning of the answer to attempt ${number}`}
        >
          {answer}
        </pre>
      )}
    </li>
  );
}
