/**
 * What a client says and hears. `R` is a registry of definitions, by type only: `client<typeof registry>(…)` knows each
 * workflow's input and output. Nothing of the server's code comes along, so a client runs in a browser too.
 */
import type { Json, JsonObject } from '../contract/json.ts';
import type { Problem } from '../contract/problem.ts';
import type { WireDependency } from '../contract/wire-dependency.ts';
import type { WireHistoryEntry } from '../contract/wire-history.ts';
import type { WireJob } from '../contract/wire-job.ts';
import type { WireDryRun, WirePause } from '../contract/wire-pause.ts';
import type { WireSchedule } from '../contract/wire-schedule.ts';
import type { WireSupport } from '../contract/wire-support.ts';
import type { InputOf, OutputOf, Registry, TypeOf, Workflow } from '../definition/index.ts';

/** Every workflow of a registry, by its type. */
export type Workflows<R extends Registry> = {
  readonly [W in R['workflows'][number] as TypeOf<W>]: W;
};
export type TypeName<R extends Registry> = keyof Workflows<R> & string;

type Of<R extends Registry, T extends TypeName<R>> = Workflows<R>[T] extends Workflow ? Workflows<R>[T] : Workflow;
/** Without a registry nothing is known of inputs and outputs but that they are JSON. */
export type Input<R extends Registry, T extends TypeName<R>> = Registry extends R ? Json : InputOf<Of<R, T>>;
export type Output<R extends Registry, T extends TypeName<R>> = Registry extends R ? Json : OutputOf<Of<R, T>>;

export interface Job<I = Json, O = Json, T extends string = string>
  extends Omit<WireJob, 'input' | 'output' | 'workflow_type'> {
  readonly workflow_type: T;
  readonly input?: I;
  /** null until it has completed. */
  readonly output?: O | null;
  /** Where it stands and what can be done about it; there when the job was asked for by its id. */
  readonly support?: WireSupport;
}
export type JobOf<R extends Registry, T extends TypeName<R> = TypeName<R>> =
  T extends TypeName<R> ? Job<Input<R, T>, Output<R, T>, T> : never;

export type HistoryEntry = WireHistoryEntry;
export type Schedule = WireSchedule;

export interface Submitted<J> {
  readonly job: J;
  /** Somebody had submitted the same under this key before. */
  readonly replayed: boolean;
  /** Given or made up: a repetition with it finds the same job. */
  readonly idempotencyKey: string;
}

export type BatchAnswer<J> =
  | { readonly status: number; readonly job: J; readonly problem?: never }
  | { readonly status: number; readonly problem: Problem; readonly job?: never };

export interface DeadLetter extends JsonObject {
  readonly dead_letter_id: string;
  readonly job_id: string;
  readonly workflow_type: string;
  readonly reason: string;
  readonly status: 'open' | 'replayed' | 'discarded';
  readonly quarantined_at: string;
  readonly replay_eligible: boolean;
  readonly replayed_by: string | null;
  readonly discarded_by: string | null;
}

export interface AuditEntry extends JsonObject {
  readonly audit_id: string;
  readonly at: string;
  readonly actor: string;
  readonly action: string;
  readonly subject: string;
  readonly job_id: string | null;
  readonly result: 'done' | 'refused';
  readonly reason: string;
  readonly error_code: string | null;
  readonly detail: string | null;
}

export type Dependency = WireDependency;

export interface Page<T> {
  readonly items: readonly T[];
  readonly next_cursor: string | null;
}

/** Undefined members count as absent, so that what may be missing can be passed on as it is. */
export interface JobFilter {
  readonly state?: string | undefined;
  readonly workflow_type?: string | undefined;
  readonly correlation_id?: string | undefined;
  readonly from?: string | undefined;
  readonly to?: string | undefined;
  readonly limit?: number | undefined;
}

export interface DeadLetterFilter {
  readonly reason?: string | undefined;
  readonly workflow_type?: string | undefined;
  readonly status?: string | undefined;
  readonly limit?: number | undefined;
}

export interface AuditFilter {
  readonly job_id?: string | undefined;
  readonly actor?: string | undefined;
  readonly limit?: number | undefined;
}

/** Why, and which revision the decision was made on: somebody else's change in between is then a refusal. */
export interface Act {
  readonly reason: string;
  readonly expectedRevision?: number | undefined;
}

export interface Resolution extends Act {
  readonly step: string;
  readonly resolution: 'applied' | 'not_applied' | 'compensated';
  readonly output?: Json | undefined;
  readonly evidence?: string | undefined;
}

/** What a schedule is to be; what is left out has its default, and nothing of what it was before. */
export interface ScheduleWish {
  readonly workflow_type: string;
  readonly workflow_version?: number | undefined;
  readonly input: Json;
  /** `cron(0 8 * * MON-FRI)` or `rate(5 minutes)`. */
  readonly expression: string;
  readonly timezone?: string | undefined;
  readonly overlap?: 'skip' | 'queue' | 'allow' | undefined;
  readonly backfill?: { readonly max_ticks?: number; readonly within_seconds?: number } | undefined;
  readonly paused?: boolean | undefined;
  readonly caller_id?: string | undefined;
  readonly correlation_id?: string | undefined;
  readonly reason?: string | undefined;
  readonly expectedRevision?: number | undefined;
}

export type Pause = WirePause;
export type PauseScope = Pause['scope'];
/** Of a dry run with how many jobs would go. */
export type ReleasedPause = Pause & Partial<Pick<WireDryRun, 'dry_run' | 'would_release'>>;

export interface ReleaseOfPause {
  readonly ratePerSecond: number;
  readonly dryRun?: boolean | undefined;
  readonly reason: string;
}
