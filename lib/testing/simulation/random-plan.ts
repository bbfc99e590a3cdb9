/**
 * Workflows that the definition language would let through, and for each of their steps a participant with habits of
 * its own.
 */
import { type PolicyOverrides, SAGA_POLICY } from '../../core/errors.ts';
import {
  CALL,
  type OnUnknown,
  type StepKind,
  type StepPlan,
  type StepWork,
  type UndoPlan,
  type WorkflowPlan,
} from '../../core/plan.ts';
import type { Chance } from './chance.ts';
import type { ServiceKind } from './ledger.ts';
import { BABBLE, type ForwardWord, type QueryWord, type ServiceSpec, type UndoWord } from './service.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const DAY = 24 * 60 * MINUTE;

/** A workflow, and for each of its steps a participant. */
export function planOf(
  chance: Chance,
  type: string,
  version: number,
  services: Map<string, ServiceSpec>,
): WorkflowPlan {
  const stageCount = chance.between(1, 3);
  const pivotAt = chance.often(0.15) ? chance.between(0, stageCount - 1) : null;
  const steps: StepPlan[] = [];
  for (let stage = 0; stage < stageCount; stage += 1) {
    const width = stage === pivotAt ? 1 : chance.pick([1, 1, 2, 3]);
    for (let at = 0; at < width; at += 1) {
      const name = `${type.slice(0, 1)}${stage}${'xyz'[at] ?? 'x'}`;
      const past = pivotAt !== null && stage > pivotAt;
      const step = stepOf(chance, name, stage, stage === pivotAt ? 'irreversible' : past ? 'readOnly' : null);
      steps.push(step);
      services.set(name, serviceOf(chance, name, step.timeoutMs));
    }
  }
  const undoable = steps.filter(({ undo }) => undo !== null && !('none' in undo)).map(({ name }) => name);
  const order = chance.pick(['default', 'default', 'declared', 'concurrent']);
  const turnAt = chance.between(0, undoable.length);
  return {
    type,
    version,
    digest: '',
    steps,
    stages: stageCount,
    recovery: order === 'declared' ? [...undoable.slice(turnAt), ...undoable.slice(0, turnAt)] : null,
    concurrentUndo: order === 'concurrent',
    deadlineMs: chance.pick([30 * SECOND, 10 * MINUTE, DAY, DAY, DAY]),
    undoDeadlineMs: chance.pick([MINUTE, DAY, DAY]),
    maxRetries: chance.pick([0, 1, 3, 20, 20]),
    retry: retryOf(chance),
    events: { completed: `${type}:completed`, failed: `${type}:failed` },
    quarantine: chance.pick(['default', 'default', 'always']),
    sagaRetry: chance.pick([null, null, { ...SAGA_POLICY, maxAttempts: 3, backoffBaseSeconds: chance.pick([1, 60]) }]),
    onFailed: chance.often(0.1) ? 'rerun' : 'return',
    checkInput: (input) => ({ ok: true, value: input }),
    output: ({ outputs }) => ({ done: Object.keys(outputs) }),
  };
}

function retryOf(chance: Chance): PolicyOverrides {
  return chance.pick<PolicyOverrides>([{}, {}, { EXT_: { maxAttempts: 2 } }, { EXT_: { jitter: 'none' } }]);
}

function stepOf(chance: Chance, name: string, stage: number, only: 'irreversible' | 'readOnly' | null): StepPlan {
  const kind = only ?? chance.pick(['compensatable', 'compensatable', 'compensatable', 'readOnly']);
  const undo = kind === 'readOnly' ? null : kind === 'irreversible' ? { none: 'irreversible' } : undoOf(chance, name);
  const asks = kind !== 'readOnly' && chance.often(0.4);
  const choices: OnUnknown[] = ['retry', 'retry', 'review'];
  if (asks) choices.push('query', 'query');
  if (undo !== null && !('none' in undo)) choices.push('compensate');
  const work = workOf(chance, name, kind);
  const brought = work.type === 'approval' && chance.often(0.5);
  return {
    name,
    stage,
    kind,
    work,
    when: guardOf(chance, kind),
    topic: work.type === 'call' || brought ? `${name}:do` : null,
    timeoutMs: chance.pick([10 * SECOND, 10 * SECOND, 2 * SECOND, 60 * SECOND]),
    retry: chance.often(0.2) ? { EXT_: { maxAttempts: 1 } } : {},
    onUnknown: kind === 'readOnly' ? 'retry' : chance.pick(choices),
    query: asks ? { topic: `${name}:find` } : null,
    undo,
    map: ({ outputs }) => ({ of: name, after: Object.keys(outputs) }),
    checkOutput: (body) =>
      body === BABBLE
        ? { ok: false, errors: [{ path: '/', message: 'not what was asked' }] }
        : { ok: true, value: body },
  };
}

/** What only reads may as well wait; and whoever is called may say that it answers later. */
function workOf(chance: Chance, name: string, kind: StepKind): StepWork {
  if (kind !== 'readOnly' || chance.often(0.5)) {
    if (!chance.often(0.2)) return CALL;
    return { type: 'call', later: { withinMs: 10 * MINUTE, heartbeatMs: chance.pick([null, null, 20 * SECOND]) } };
  }
  const waitMs = chance.pick([0, SECOND, MINUTE, 20 * MINUTE]);
  switch (chance.pick(['timer', 'signal', 'approval'] as const)) {
    case 'timer':
      return { type: 'timer', due: (_seen, now) => now + waitMs };
    case 'signal': {
      const onTimeout = chance.often(0.7) ? { output: { of: name, nobody: true } } : { fail: 'EXT_TIMEOUT' };
      return { type: 'signal', signal: name, withinMs: waitMs + SECOND, onTimeout };
    }
    case 'approval':
      return {
        type: 'approval',
        withinMs: waitMs + SECOND,
        remindEveryMs: chance.pick([null, Math.max(SECOND, Math.floor(waitMs / 4))]),
        onExpiry: chance.pick(['approved', 'approved', 'declined', 'fail']),
        onDecline: chance.pick(['fail', 'continue']),
      };
  }
}

/** A pivot is never left out: what comes after it counts on it. */
function guardOf(chance: Chance, kind: StepKind): StepPlan['when'] {
  if (kind === 'irreversible' || !chance.often(0.1)) return null;
  const answer = chance.often(0.5);
  return () => answer;
}

function undoOf(chance: Chance, name: string): UndoPlan | { none: string } {
  if (chance.often(0.1)) return { none: 'nothing to take back' };
  const [cancel, refund] = [`${name}:undo`, `${name}:refund`];
  const chooses = chance.often(0.2);
  return {
    topics: chooses ? [cancel, refund] : [cancel],
    choose: (output) => (chooses && output !== null ? refund : cancel),
    map: null,
    timeoutMs: chance.pick([10 * SECOND, 2 * SECOND]),
    retry: chance.often(0.2) ? { maxAttempts: 2 } : {},
  };
}

const KINDS: readonly ServiceKind[] = ['fencing', 'fencing', 'fencing', 'fencing', 'plain', 'plain', 'sloppy'];

function serviceOf(chance: Chance, name: string, timeoutMs: number): ServiceSpec {
  const good = chance.pick([0, 1, 3, 10]);
  const kind = chance.pick(KINDS);
  const says = <W extends string>(word: W, bad: readonly W[]): W[] => {
    const words = [...Array<W>(good).fill(word), ...bad.filter(() => chance.often(0.3))];
    return words.length === 0 ? [word] : words;
  };
  return {
    name,
    kind,
    maxRunMs: timeoutMs + chance.pick([SECOND, MINUTE, 10 * MINUTE]),
    forward: says<ForwardWord>('ok', ['lost', 'doubt', 'transient', 'busy', 'hang', 'promise']),
    undo: says<UndoWord>('ok', ['lost', 'transient', 'hang', 'promise']),
    query: says<QueryWord>('ok', ['unknown', 'lost', 'transient', 'promise']),
    refuses: chance.pick([0, 0, 0.1, 0.4]),
    refusesUndo: chance.pick([0, 0, 0, 0.3]),
    babbles: chance.pick([0, 0, 0, 0, 0.2]),
    undoWaits: chance.often(0.5),
    pad: chance.often(0.1) ? 600 : 0,
  };
}
