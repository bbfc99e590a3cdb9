/**
 * What a wait may not be: endless, unreadable, or named so that nobody can address it.
 */
import { STEP_NAME } from '../core/ids.ts';
import { LIMITS } from '../core/limits.ts';
import { toJson } from './body.ts';
import { durationProblems, millisecondsOf } from './duration.ts';
import { check } from './schemas.ts';
import type { StepDraft, Waits } from './step.ts';

/** As all error codes: the prefix says which policy it falls under. */
const ERROR_CODE = /^[A-Z][A-Z0-9]*(?:_[A-Z0-9]+)+$/;

export function* waitProblems(step: StepDraft, waits: Waits): Generator<string> {
  switch (waits.type) {
    case 'sleep':
      yield* spanProblems('sleep', waits.span);
      return;
    case 'until':
      return;
    case 'signal':
      yield* signalProblems(step, waits);
      return;
    case 'approval':
      yield* spanProblems('expires', waits.expires);
      yield* durationProblems('remind', waits.remind, LIMITS.jobDeadlineMsMax);
      yield* reminderProblems(waits);
      return;
  }
}

function* reminderProblems({ expires, remind }: Waits & { readonly type: 'approval' }): Generator<string> {
  const [spanMs, everyMs] = [millisecondsOf(expires), millisecondsOf(remind ?? '')];
  if (spanMs === null || everyMs === null || everyMs === 0) return;
  const times = Math.floor(spanMs / everyMs);
  if (times > LIMITS.approvalRemindersMax) {
    yield `remind '${remind}' calls the wait to mind ${times} times until it expires, and ${LIMITS.approvalRemindersMax} is the most; write a longer one`;
  }
}

function* spanProblems(what: string, span: string | undefined): Generator<string> {
  if (span === undefined) yield `${what} is missing; a wait has an end: write ${what}: '2 d'`;
  yield* durationProblems(what, span, LIMITS.jobDeadlineMsMax);
}

function* signalProblems(step: StepDraft, waits: Waits & { readonly type: 'signal' }): Generator<string> {
  yield* spanProblems('within', waits.within);
  if (!STEP_NAME.test(waits.signal)) {
    yield `'${waits.signal}' is not a signal name; use a small letter, then at most 39 small letters, digits or hyphens`;
  }
  if ('fail' in waits.onTimeout) {
    if (!ERROR_CODE.test(waits.onTimeout.fail)) {
      yield `onTimeout.fail '${waits.onTimeout.fail}' is not an error code; write one like 'EXT_TIMEOUT'`;
    }
    return;
  }
  if (step.output !== undefined && !fits(step.output, waits.onTimeout.output)) {
    yield 'onTimeout.output does not fit the output schema; give what a sender would have sent';
  }
}

function fits(schema: NonNullable<StepDraft['output']>, output: unknown): boolean {
  try {
    return check(schema, toJson(output)).ok;
  } catch {
    return false;
  }
}

export function* laterProblems({ later }: StepDraft): Generator<string> {
  if (later === undefined) return;
  yield* spanProblems('later.within', later.within);
  yield* durationProblems('later.heartbeat', later.heartbeat, LIMITS.jobDeadlineMsMax);
  const [within, heartbeat] = [millisecondsOf(later.within), millisecondsOf(later.heartbeat ?? '')];
  if (within !== null && heartbeat !== null && heartbeat >= within) {
    yield 'later.heartbeat is not shorter than later.within; leave it out, or shorten it';
  }
}

/** How long the step itself says that it waits, at most; 0 for one that calls, or whose moment depends on the job. */
export function longestWaitMs({ waits, later }: StepDraft): number {
  switch (waits?.type) {
    case undefined:
      return millisecondsOf(later?.within ?? '') ?? 0;
    case 'sleep':
      return millisecondsOf(waits.span) ?? 0;
    case 'signal':
      return millisecondsOf(waits.within) ?? 0;
    case 'approval':
      return millisecondsOf(waits.expires) ?? 0;
    case 'until':
      return 0;
  }
}
