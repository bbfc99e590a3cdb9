/**
 * A decision that could not be made: what is stored contradicts the rules, by a mistake in the code that wrote it or in
 * the one that reads it. Nothing is guessed: the job stops where it is and asks for a person, with a dead letter.
 */
import { type Draft, logError, moveJob } from './draft.ts';
import { ended, leaveOut } from './ends.ts';

const CODE = 'ORCH_STATE_MACHINE_INVARIANT_BROKEN';

/** False where the job has stopped already: then there is nothing more to say. */
export function breakOff(draft: Draft, message: string): boolean {
  const { job } = draft;
  switch (job.state) {
    case 'PENDING':
    case 'VALIDATING':
      if (job.state === 'PENDING') moveJob(draft, 'dispatched', null);
      note(draft, message);
      leaveOut(draft);
      moveJob(draft, 'rejected', null, { errorCode: CODE });
      ended(draft);
      return true;
    case 'PROCESSING':
    case 'RETRY_SCHEDULED':
      note(draft, message);
      moveJob(draft, 'undecidable', null, { errorCode: CODE });
      return true;
    case 'COMPENSATING':
      note(draft, message);
      moveJob(draft, 'effect_unknown', null, { errorCode: CODE });
      return true;
    case 'NEEDS_REVIEW':
    case 'COMPLETED':
    case 'CANCELLED':
    case 'FAILED':
    case 'DEAD_LETTERED':
      return false;
  }
}

function note(draft: Draft, message: string): void {
  draft.job.stoppedReason = CODE;
  draft.job.lastErrorCode = CODE;
  draft.job.lastErrorMessage = message;
  logError(draft, { step: null, attempt: 0, errorCode: CODE, message, nextAttemptAt: null });
}
