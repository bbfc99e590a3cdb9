/**
 * The lock file of released definitions: for each version what it was made of. Jobs run for days; a version that changes
 * under them would have them go on by other rules than they began with. So a released version never changes: what is
 * different gets a new number, and stays beside the old one until no job needs that.
 */
import type { WorkflowPlan } from '../core/plan.ts';

/** By type, then version. */
export type WorkflowLock = Readonly<Record<string, Readonly<Record<string, LockedVersion>>>>;

export interface LockedVersion {
  readonly digest: string;
  readonly parts: Readonly<Record<string, string>>;
}

export function lockOf(plans: readonly WorkflowPlan[]): WorkflowLock {
  const lock: Record<string, Record<string, LockedVersion>> = {};
  for (const { type, version, digest, parts = {} } of plans) {
    lock[type] = { ...lock[type], [version]: { digest, parts } };
  }
  return lock;
}

export interface LockCheck {
  /** One sentence each: what is wrong and what to do. */
  readonly problems: readonly string[];
  /** Versions that are not in the lock yet. */
  readonly unreleased: readonly WorkflowPlan[];
}

export function checkLock(lock: WorkflowLock, plans: readonly WorkflowPlan[]): LockCheck {
  const problems: string[] = [];
  const unreleased: WorkflowPlan[] = [];
  for (const plan of plans) {
    const locked = versionIn(lock, plan.type, plan.version);
    if (locked === undefined) unreleased.push(plan);
    else if (locked.digest !== plan.digest) problems.push(changed(lock, plan, locked));
  }
  for (const [type, versions] of Object.entries(lock)) {
    for (const version of Object.keys(versions)) {
      if (plans.some((plan) => plan.type === type && String(plan.version) === version)) continue;
      problems.push(
        `${type} ${version} is released and gone from the code: put it back, or when \`dacapo plan\` finds no job of it, take it out of the lock file`,
      );
    }
  }
  return { problems, unreleased };
}

function changed(lock: WorkflowLock, plan: WorkflowPlan, locked: LockedVersion): string {
  const newest = Math.max(...Object.keys(lock[plan.type] ?? {}).map(Number), plan.version);
  return (
    `${plan.type} ${plan.version} is released and has changed in ${differing(locked.parts, plan.parts ?? {})}: ` +
    `undo the change, or keep version ${plan.version} as it was and register the new one beside it as version ${newest + 1}`
  );
}

/** Names of the parts that are not the same in both. */
export function differing(before: LockedVersion['parts'], after: LockedVersion['parts']): string {
  const names = [...new Set([...Object.keys(before), ...Object.keys(after)])];
  const different = names.filter((name) => before[name] !== after[name]);
  return different.length === 0 ? 'what its digest covers' : different.join(', ');
}

function versionIn(lock: WorkflowLock, type: string, version: number): LockedVersion | undefined {
  const versions = Object.hasOwn(lock, type) ? lock[type] : undefined;
  return versions !== undefined && Object.hasOwn(versions, String(version)) ? versions[String(version)] : undefined;
}
