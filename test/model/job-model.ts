/**
 * What a job may do, said once more and as small as it can be said: two steps of one stage, two attempts of everything,
 * a participant that fences, no waiting times. Written from the contract, not from the code; the code is held against it.
 */
export const STEPS = ['a', 'b'] as const;
export type StepName = (typeof STEPS)[number];

export type Status =
  | 'pending'
  | 'skipped'
  | 'dispatched'
  | 'retry_scheduled'
  | 'unknown'
  | 'succeeded'
  | 'failed'
  | 'compensating'
  | 'compensated'
  | 'compensation_failed';
export type State = 'PROCESSING' | 'COMPENSATING' | 'COMPLETED' | 'FAILED' | 'CANCELLED' | 'NEEDS_REVIEW';

export interface ModelStep {
  readonly status: Status;
  readonly attempts: number;
  /** Some attempt may have taken effect. */
  readonly may: boolean;
  /** Its success has been heard. */
  readonly heard: boolean;
  /** Of the call that is out, forward or undo; null: none is. */
  readonly lease: 'live' | 'dead' | null;
  readonly undos: number;
}

export interface ModelJob {
  readonly state: State;
  readonly cause: 'failure' | 'cancel' | null;
  readonly steps: Readonly<Record<StepName, ModelStep>>;
}

export type Kind = 'forward' | 'recovery';
export type Word = 'success' | 'refused' | 'transient' | 'doubt' | 'revoked';

export interface ModelCall {
  readonly step: StepName;
  readonly direction: 'do' | 'undo';
  readonly attempt: number;
}

export interface ModelAnswer extends ModelCall {
  readonly word: Word;
}

export type ModelEvent =
  | { readonly type: 'turn'; readonly kind: Kind }
  | { readonly type: 'result'; readonly answer: ModelAnswer; readonly kind: Kind | null }
  | { readonly type: 'cancel' };

/** Each may be taken away, to see that the model would notice. */
export interface ModelGuards {
  readonly undoWaitsForCalls: boolean;
  readonly doubtIsSticky: boolean;
  readonly unknownIsUndone: boolean;
  readonly failureNamesItsAttempt: boolean;
}

export const ALL_GUARDS: ModelGuards = {
  undoWaitsForCalls: true,
  doubtIsSticky: true,
  unknownIsUndone: true,
  failureNamesItsAttempt: true,
};

/** Two of one and one of the other: enough for every order of one late answer, and few enough to try all. */
export const ATTEMPTS_MAX: Readonly<Record<StepName, number>> = { a: 2, b: 1 };

/** Equal jobs have equal names; short, since there are very many. */
export function nameOfJob({ state, cause, steps }: ModelJob): string {
  return `${state}${cause?.[0] ?? '-'}${nameOfStep(steps.a)}${nameOfStep(steps.b)}`;
}

function nameOfStep({ status, attempts, may, heard, lease, undos }: ModelStep): string {
  return ` ${status}${attempts}${may ? '?' : ''}${heard ? '!' : ''}${lease?.[0] ?? '-'}${undos}`;
}

const FRESH: ModelStep = { status: 'pending', attempts: 0, may: false, heard: false, lease: null, undos: 0 };
export const START: ModelJob = { state: 'PROCESSING', cause: null, steps: { a: FRESH, b: FRESH } };

export const isEnd = (state: State): boolean => state !== 'PROCESSING' && state !== 'COMPENSATING';
const isFinal = (state: State): boolean => isEnd(state) && state !== 'NEEDS_REVIEW';

export interface ModelDecision {
  readonly job: ModelJob;
  readonly calls: readonly ModelCall[];
  /** Edges taken, as `from to`. */
  readonly jobEdges: readonly string[];
  readonly stepEdges: readonly string[];
}

/** null: refused. */
export function decideModel(job: ModelJob, event: ModelEvent, guards: ModelGuards): ModelDecision | null {
  const draft = new Draft(job, guards);
  if (event.type === 'cancel') {
    if (job.state !== 'PROCESSING') return null;
    draft.turnBack('cancel');
    draft.advance(null);
  } else if (event.type === 'turn') {
    if (!isFinal(job.state)) draft.advance(event.kind);
  } else if (job.state !== 'COMPLETED') {
    if (event.answer.direction === 'do') draft.hearForward(event.answer);
    else draft.hearUndo(event.answer);
    if (!isFinal(job.state)) draft.advance(event.kind);
  }
  return { job: draft.job, calls: draft.calls, jobEdges: draft.jobEdges, stepEdges: draft.stepEdges };
}

class Draft {
  job: ModelJob;
  readonly calls: ModelCall[] = [];
  readonly jobEdges: string[] = [];
  readonly stepEdges: string[] = [];
  readonly guards: ModelGuards;

  constructor(job: ModelJob, guards: ModelGuards) {
    this.job = job;
    this.guards = guards;
  }

  move(to: State, cause = this.job.cause): void {
    this.jobEdges.push(`${this.job.state} ${to}`);
    this.job = { ...this.job, state: to, cause };
  }

  set(name: StepName, over: Partial<ModelStep>): void {
    const was = this.job.steps[name];
    if (over.status !== undefined && (over.status !== was.status || over.status === 'compensating')) {
      this.stepEdges.push(`${was.status} ${over.status}`);
    }
    this.job = { ...this.job, steps: { ...this.job.steps, [name]: { ...was, ...over } } };
  }

  /** Goes on until nothing moves. */
  advance(kind: Kind | null): void {
    for (let before = ''; before !== this.fingerprint(); ) {
      before = this.fingerprint();
      for (const name of STEPS) this.expire(name);
      if (this.job.state === 'PROCESSING') this.forward(kind);
      else if (this.job.state === 'COMPENSATING') this.recover(kind);
    }
  }

  fingerprint(): string {
    return `${nameOfJob(this.job)} ${this.calls.length}`;
  }

  expire(name: StepName): void {
    const { status, lease, attempts, undos } = this.job.steps[name];
    if (lease !== 'dead') return;
    if (status === 'dispatched') this.fail(name, attempts, 'doubt');
    else if (status === 'compensating') this.failUndo(name, undos);
  }

  forward(kind: Kind | null): void {
    const steps = STEPS.map((name) => this.job.steps[name]);
    if (steps.some(({ status }) => status === 'failed')) this.turnBack('failure');
    else if (steps.every(({ status }) => status === 'succeeded')) this.move('COMPLETED');
    else if (kind === 'forward') this.callReady();
  }

  callReady(): void {
    for (const name of STEPS) {
      const { status, attempts } = this.job.steps[name];
      if (status !== 'pending' && status !== 'retry_scheduled' && status !== 'unknown') continue;
      this.set(name, { status: 'dispatched', attempts: attempts + 1, lease: 'live' });
      this.calls.push({ step: name, direction: 'do', attempt: attempts + 1 });
    }
  }

  turnBack(cause: 'failure' | 'cancel'): void {
    const stands = STEPS.some((name) => this.stands(this.job.steps[name]));
    for (const name of STEPS) {
      const { status, may } = this.job.steps[name];
      if (status === 'pending' || (status === 'retry_scheduled' && !may)) this.set(name, { status: 'skipped' });
    }
    if (stands) this.move('COMPENSATING', cause);
    else this.move(cause === 'cancel' ? 'CANCELLED' : 'FAILED', cause);
  }

  /** An effect is there, or may be, or may come to be. */
  stands({ status, may }: ModelStep): boolean {
    if (status === 'succeeded' || status === 'dispatched') return true;
    if (status === 'unknown') return this.guards.unknownIsUndone;
    return may && (status === 'failed' || status === 'retry_scheduled' || status === 'skipped');
  }

  recover(kind: Kind | null): void {
    const { steps } = this.job;
    const isOut = STEPS.some((name) => steps[name].status === 'dispatched' && steps[name].lease === 'live');
    if (isOut && this.guards.undoWaitsForCalls) return;
    // What has begun comes to its end first; then b before a, as this workflow declares.
    const begun = STEPS.find((name) => steps[name].status === 'compensating');
    const next = begun ?? (['b', 'a'] as const).find((name) => this.owesUndo(steps[name]));
    if (next === undefined) {
      if (!isOut) this.endRecovery();
      return;
    }
    const { undos, lease } = steps[next];
    if (kind !== 'recovery' || (begun !== undefined && lease === 'live')) return;
    this.set(next, { status: 'compensating', undos: undos + 1, lease: 'live' });
    this.calls.push({ step: next, direction: 'undo', attempt: undos + 1 });
  }

  owesUndo(step: ModelStep): boolean {
    return step.status !== 'dispatched' && this.stands(step);
  }

  endRecovery(): void {
    if (STEPS.some((name) => this.job.steps[name].status === 'compensation_failed')) this.move('NEEDS_REVIEW');
    else this.move(this.job.cause === 'cancel' ? 'CANCELLED' : 'FAILED');
  }

  hearForward({ step: name, attempt, word }: ModelAnswer): void {
    const step = this.job.steps[name];
    if (word !== 'success') {
      const isCurrent = !this.guards.failureNamesItsAttempt || attempt === step.attempts;
      if (step.status === 'dispatched' && isCurrent) this.fail(name, attempt, word);
      else if (step.status === 'unknown' && word === 'revoked') this.set(name, { status: 'failed', may: false });
      return;
    }
    switch (step.status) {
      case 'dispatched':
      case 'retry_scheduled':
      case 'unknown':
        this.set(name, { status: 'succeeded', may: false, heard: true, lease: null });
        break;
      case 'failed':
      case 'skipped':
        if (!step.heard) this.set(name, { may: true, heard: true });
        break;
      case 'compensating':
      case 'compensation_failed':
        this.set(name, { heard: true });
        break;
      default:
    }
  }

  fail(name: StepName, _attempt: number, word: Exclude<Word, 'success'>): void {
    const step = this.job.steps[name];
    const before = this.guards.doubtIsSticky && step.may;
    const may = word !== 'revoked' && (before || word === 'doubt');
    const known = { may, lease: null };
    const again = step.attempts < ATTEMPTS_MAX[name] && (word === 'transient' || word === 'doubt');
    if (this.job.state !== 'PROCESSING' || word === 'revoked') {
      this.set(name, { ...known, status: may ? 'unknown' : 'failed' });
    } else if (word === 'doubt' || (may && !again)) {
      this.set(name, { ...known, status: 'unknown' });
      if (!again) this.set(name, { status: 'failed' });
    } else {
      this.set(name, { ...known, status: again ? 'retry_scheduled' : 'failed' });
    }
  }

  hearUndo({ step: name, attempt, word }: ModelAnswer): void {
    const { status, undos } = this.job.steps[name];
    if (undos === 0) return;
    if (word === 'success') {
      if (status !== 'compensating' && status !== 'compensation_failed') return;
      this.set(name, { status: 'compensated', may: false, lease: null });
    } else if (status === 'compensating' && attempt === undos && this.job.steps[name].lease !== null) {
      this.failUndo(name, attempt);
    }
  }

  failUndo(name: StepName, attempt: number): void {
    if (attempt < ATTEMPTS_MAX[name]) this.set(name, { lease: null });
    else this.set(name, { status: 'compensation_failed', lease: null });
  }
}
