/**
 * What can happen to a job, what `decide` answers, and the calls that follow from it.
 */
import type { Answer } from './answers.ts';
import type { PolicyOverrides } from './errors.ts';
import type { Full, Pass, Passage } from './gates.ts';
import type { EpochMs, GateId, JobId } from './ids.ts';
import type { Job } from './job.ts';
import type { Json } from './json.ts';
import type { FieldError, Route, WorkflowPlan } from './plan.ts';

/** Forward load and recovery have their own drivers, so that neither starves the other. */
export type DriverKind = 'forward' | 'recovery';

export interface Driver {
  readonly kind: DriverKind;
  readonly owner: string;
  /** How long this run can still go on; 0 means not at all. */
  readonly remainingMs: number;
  /** For a child that has not begun: what its parent says. */
  readonly admission?: Admission;
}

/** Whether a child begins: its turn has come, it has not yet, or its parent does not want it any more. */
export type Admission = 'start' | 'wait' | 'stop';

export type Direction = 'do' | 'undo' | 'query';

/** One answer of a participant, naming the operation and the attempt it belongs to. */
export interface Result {
  readonly step: string;
  readonly direction: Direction;
  readonly operationId: string;
  readonly attempt: number;
  readonly at: EpochMs;
  readonly answer: Answer;
}

/** What a token says of itself once its signature was found right. */
export interface TokenRef {
  readonly step: string;
  readonly round: number;
  readonly attempt: number;
  readonly salt: string;
  readonly expiresAt: EpochMs;
}

export type JobEvent =
  /** A driver asks what is to be done now. */
  | { readonly type: 'turn'; readonly driver: Driver }
  /** Answers arrived; the driver, if there is one, goes on from there. */
  | { readonly type: 'results'; readonly results: readonly Result[]; readonly driver: Driver | null }
  /** Who holds a step's token answers it, or says that the work goes on. */
  | {
      readonly type: 'callback';
      readonly token: TokenRef;
      /** null: a heartbeat. */
      readonly answer: Answer | null;
    }
  /** A caller sends what a step waits for, or will. */
  | {
      readonly type: 'signal';
      readonly actor: string;
      readonly signal: string;
      readonly key: string;
      readonly print: string;
      readonly payload: Json;
    }
  | {
      readonly type: 'cancel';
      readonly actor: string;
      readonly reason: string;
      readonly expectedRevision: number | null;
    }
  /** A named person acts, with a reason. */
  | {
      readonly type: 'operate';
      readonly actor: string;
      readonly reason: string;
      readonly evidence: string | null;
      readonly expectedRevision: number | null;
      readonly act: OperatorAct;
    }
  /** Everything up to `upTo` is out; entries before `trimTo` are stored apart. */
  | { readonly type: 'published'; readonly upTo: number; readonly trimTo: number }
  /** Another job now stands in relation to this one. */
  | { readonly type: 'linked'; readonly replayedBy: string }
  /** Children of this job have ended, or the job that takes them all back has. */
  | { readonly type: 'reports'; readonly reports: readonly ChildReport[]; readonly driver: Driver | null }
  /** A driver has done a piece of work on the children of a step. */
  | {
      readonly type: 'children';
      readonly step: string;
      readonly round: number;
      readonly done: ChildrenDone;
      readonly driver: Driver;
    }
  /** A recovery job has taken back all that this child had done. */
  | { readonly type: 'undone'; readonly by: JobId }
  /** A recovery job has undone an effect that this job had left. */
  | { readonly type: 'recovered'; readonly step: string; readonly round: number; readonly by: string }
  /** What is stored contradicts the rules: a decision about it failed with this message. */
  | { readonly type: 'broken'; readonly message: string }
  /** A gate opens for what it holds of this job, from `startAt` on; what is still held stays where it is. */
  | { readonly type: 'released'; readonly gate: GateId; readonly startAt: EpochMs }
  /** Another version of its definition takes the job over. */
  | {
      readonly type: 'migrate';
      readonly to: WorkflowPlan;
      readonly actor: string;
      readonly reason: string;
      readonly expectedRevision: number | null;
    }
  /** The watchdog moves a job that is not due yet to its later bucket. */
  | { readonly type: 'refile' };

/** What a parent hears; true for ever, so that it may come twice, late, or in another order. */
export type ChildReport = {
  readonly step: string;
  readonly round: number;
  readonly ok: boolean;
  readonly errorCode: string | null;
} & ({ readonly what: 'child'; readonly index: number } | { readonly what: 'undo'; readonly attempt: number });

export type ChildrenDone =
  | { readonly what: 'created'; readonly upTo: number }
  /** Told to stop; who had ended then is reported with it. */
  | { readonly what: 'stopped'; readonly upTo: number }
  | { readonly what: 'looked' }
  | { readonly what: 'merged'; readonly upTo: number; readonly output: Json }
  | { readonly what: 'unmergeable'; readonly message: string };

export type Resolution = 'applied' | 'not_applied' | 'compensated';

/** What an operator can do to a job, beside cancelling it. */
export type OperatorAct =
  | { readonly action: 'resume' }
  | { readonly action: 'retry_compensation' }
  | { readonly action: 'close' }
  | { readonly action: 'force_close' }
  | { readonly action: 'approve'; readonly step: string; readonly decision: 'approved' | 'declined' }
  | {
      readonly action: 'resolve';
      readonly step: string;
      readonly resolution: Resolution;
      /** What the step answered, when the operator knows; undefined when not given. */
      readonly output: Json | undefined;
    };

/** Facts a decision takes as given. Numbers drawn by chance come in from outside. */
export interface Rules {
  /** Where a topic leads; undefined means nowhere. */
  route(topic: string): Route | undefined;
  /** Whether a call may be made now, as far as its dependency and the people in charge are concerned. */
  gate(passage: Passage): Pass;
  /** Whether this target has as many calls as it may have; absent or null: there is room. */
  readonly full?: (target: string) => Full | null;
  readonly policies: PolicyOverrides;
  /** How long a hint may take to arrive before the watchdog takes the job up. */
  readonly hintGraceMs: number;
  /** Extra delay of a retry while the retry tokens of this container are spent; 0 otherwise. */
  retryPenaltyMs(topic: string): number;
  /** When set, only owners that start with it are alive: one process serves all, and a restart ends every lease. */
  readonly livingOwners: string | null;
}

export interface Context {
  readonly now: EpochMs;
  /** In [0, 1). */
  readonly random: number;
  /** Fresh for the write that this decision may become. */
  readonly writeId: string;
  /** At least 128 bits of chance, fresh for each decision: what tokens are made from. */
  readonly nonce: string;
  /** Of the function that acts: `orchestrator:dispatch`. */
  readonly actor: string;
  readonly rules: Rules;
}

export interface Call {
  readonly step: string;
  readonly direction: Direction;
  readonly topic: string;
  readonly target: string;
  readonly operationId: string;
  /** The forward operation this undo or query is about; also where the undo is a recovery job's own step. */
  readonly about: string | null;
  readonly attempt: number;
  readonly body: Json;
  /** Ask the participant to keep the operation from ever applying. */
  readonly fence: boolean;
  readonly timeoutMs: number;
  readonly lastStartAt: EpochMs;
  readonly deadlineAt: EpochMs;
  /** What the participant may answer with later; null: its answer to the call is all. */
  readonly token: TokenRef | null;
}

export type Ignored =
  | 'terminal'
  | 'leased'
  | 'nothing_due'
  | 'duplicate'
  | 'late'
  | 'stale_attempt'
  | 'unknown_operation'
  | 'already_published'
  | 'unknown_version'
  | 'newer_schema';

export type Decision =
  | { readonly status: 'changed'; readonly job: Job; readonly calls: readonly Call[] }
  | { readonly status: 'ignored'; readonly reason: Ignored }
  | {
      readonly status: 'refused';
      readonly code: string;
      readonly detail: string;
      /** What the person left out that would make it fit. */
      readonly needs?: 'output';
      readonly errors?: readonly FieldError[];
    };
