/**
 * Every state that a job, two drivers, a participant and the messages between them can come to, breadth first: nothing
 * is drawn by chance, so what holds here holds for all orders. A violation is found with the shortest way to it.
 */
import {
  ALL_GUARDS,
  decideModel,
  isEnd,
  type Kind,
  type ModelAnswer,
  type ModelCall,
  type ModelDecision,
  type ModelEvent,
  type ModelGuards,
  type ModelJob,
  type ModelStep,
  nameOfJob,
  START,
  STEPS,
  type StepName,
  type Word,
} from './job-model.ts';

interface Effect {
  readonly stands: boolean;
  readonly tombstone: boolean;
}

interface Configuration {
  readonly job: ModelJob;
  /** What each driver has read and not written yet. */
  readonly drivers: readonly (ModelJob | null)[];
  readonly calls: readonly ModelCall[];
  readonly answers: readonly ModelAnswer[];
  readonly effects: Readonly<Record<StepName, Effect>>;
  readonly cancelled: boolean;
}

/** Guards outside of a decision. */
export interface WorldGuards extends ModelGuards {
  readonly revision: boolean;
  readonly tombstone: boolean;
}

export const EVERY_GUARD: WorldGuards = { ...ALL_GUARDS, revision: true, tombstone: true };

export interface Exploration {
  readonly configurations: number;
  /** The shortest way to a broken rule, step by step; null: there is none. */
  readonly violation: readonly string[] | null;
  /** Configurations from which no end can be reached any more. */
  readonly stuck: number;
  readonly jobEdges: ReadonlySet<string>;
  readonly stepEdges: ReadonlySet<string>;
  /** Every question a decision was asked, once, with the model's answer. */
  readonly asked: ReadonlyMap<string, Asked>;
}

export interface Asked {
  readonly job: ModelJob;
  readonly event: ModelEvent;
  readonly decision: ModelDecision | null;
}

interface Move {
  readonly label: string;
  readonly to: Configuration;
  /** The rule that the move itself breaks. */
  readonly broken?: string;
}

export function explore(guards: WorldGuards): Exploration {
  const asked = new Map<string, Asked>();
  const ask = (job: ModelJob, event: ModelEvent): ModelDecision | null => {
    const key = `${nameOfJob(job)} ${nameOfEvent(event)}`;
    const known = asked.get(key);
    if (known !== undefined) return known.decision;
    const decision = decideModel(job, event, guards);
    asked.set(key, { job, event, decision });
    return decision;
  };
  const start: Configuration = {
    job: START,
    drivers: [null, null],
    calls: [],
    answers: [],
    effects: { a: NOTHING, b: NOTHING },
    cancelled: false,
  };
  /** Places in the queue, by key. */
  const seen = new Map<string, number>([[keyOf(start), 0]]);
  const queue: Found[] = [{ configuration: start, from: -1, label: 'start', before: [] }];
  const ends: number[] = [];
  let violation: string[] | null = null;
  for (let at = 0; at < queue.length && violation === null; at += 1) {
    const found = queue[at];
    if (found === undefined) break;
    const { configuration } = found;
    const rule = brokenIn(configuration);
    if (rule !== null) violation = [...wayTo(queue, at), rule];
    if (isEnd(configuration.job.state)) ends.push(at);
    for (const { label, to, broken } of movesFrom(configuration, guards, ask)) {
      if (broken !== undefined) violation ??= [...wayTo(queue, at), label, broken];
      const key = keyOf(to);
      const known = seen.get(key);
      if (known !== undefined) queue[known]?.before.push(at);
      else {
        seen.set(key, queue.length);
        queue.push({ configuration: to, from: at, label, before: [at] });
      }
    }
  }
  const decisions = [...asked.values()].flatMap(({ decision }) => decision ?? []);
  return {
    configurations: seen.size,
    violation,
    stuck: violation === null ? seen.size - reaching(ends, queue) : 0,
    jobEdges: new Set(decisions.flatMap(({ jobEdges }) => jobEdges)),
    stepEdges: new Set(decisions.flatMap(({ stepEdges }) => stepEdges)),
    asked,
  };
}

const NOTHING: Effect = { stands: false, tombstone: false };

function nameOfEvent(event: ModelEvent): string {
  if (event.type === 'result') return `${nameOfAnswer(event.answer)} ${event.kind ?? 'nobody'}`;
  return event.type === 'turn' ? event.kind : 'cancel';
}

function nameOfCall({ step, direction, attempt }: ModelCall): string {
  return `${step}${direction[0]}${attempt}`;
}

function nameOfAnswer(answer: ModelAnswer): string {
  return `${nameOfCall(answer)}${answer.word}`;
}

function nameOfEffect({ stands, tombstone }: Effect): string {
  return stands ? (tombstone ? 'x' : 's') : tombstone ? 't' : 'n';
}

function keyOf({ job, calls, answers, drivers, effects, cancelled }: Configuration): string {
  const called = calls.map(nameOfCall).sort().join();
  const answered = answers.map(nameOfAnswer).sort().join();
  const read = drivers.map((one) => (one === null ? '' : nameOfJob(one))).sort();
  return `${nameOfJob(job)}|${called}|${answered}|${read}|${nameOfEffect(effects.a)}${nameOfEffect(effects.b)}${cancelled ? 'c' : ''}`;
}

interface Found {
  readonly configuration: Configuration;
  /** Where it was come to from first, and by what. */
  readonly from: number;
  readonly label: string;
  readonly before: number[];
}

function wayTo(queue: readonly Found[], end: number): string[] {
  const way: string[] = [];
  for (let at = queue[end]; at !== undefined; at = queue[at.from]) way.unshift(at.label);
  return way;
}

function reaching(ends: readonly number[], queue: readonly Found[]): number {
  const found = new Set(ends);
  for (const place of found) {
    for (const before of queue[place]?.before ?? []) found.add(before);
  }
  return found.size;
}

/** What must hold in every configuration, ended or not. */
function brokenIn({ job, effects }: Configuration): string | null {
  for (const name of STEPS) {
    const { stands } = effects[name];
    const { may, status } = job.steps[name];
    if (job.state === 'COMPLETED' && !stands) return `BROKEN: completed, and ${name} does not stand`;
    const clean = job.state === 'FAILED' || job.state === 'CANCELLED';
    // Told after the end, it is listed as open, and a job of its own undoes it.
    if (clean && stands && !may) return `BROKEN: ${job.state}, and ${name} stands`;
    if (status === 'compensated' && stands) return `BROKEN: ${name} is compensated and stands`;
  }
  return null;
}

type Ask = (job: ModelJob, event: ModelEvent) => ModelDecision | null;

function* movesFrom(at: Configuration, guards: WorldGuards, ask: Ask): Generator<Move> {
  const { job } = at;
  const kind: Kind = job.state === 'COMPENSATING' ? 'recovery' : 'forward';
  if (guards.revision) {
    // A write counts only if nothing came between, so for whoever reads and writes that is one move.
    const decision = isEnd(job.state) ? null : ask(job, { type: 'turn', kind });
    if (decision !== null) yield written(at, decision, `a ${kind} driver writes`);
  } else {
    yield* separately(at, ask);
  }
  if (!at.cancelled) {
    const decision = ask(job, { type: 'cancel' });
    if (decision !== null) yield written({ ...at, cancelled: true }, decision, 'cancel');
  }
  // Delivered at least once: what has been heard may be heard again.
  for (const answer of at.answers) {
    const label = `${answer.step} ${answer.direction} ${answer.attempt} ${answer.word} is heard`;
    // Whoever hears it may go on in the same write; what comes of that is what comes of a turn afterwards.
    ask(job, { type: 'result', answer, kind });
    const decision = ask(job, { type: 'result', answer, kind: null });
    if (decision !== null) yield written(at, decision, label);
  }
  for (const name of STEPS) {
    if (job.steps[name].lease !== 'live') continue;
    const steps = { ...job.steps, [name]: { ...job.steps[name], lease: 'dead' as const } };
    yield { label: `the lease of ${name} ends`, to: { ...at, job: { ...job, steps } } };
  }
  yield* participantMoves(at, guards);
}

/** Reads now and writes later, whatever has come between. */
function* separately(at: Configuration, ask: Ask): Generator<Move> {
  for (const [index, read] of at.drivers.entries()) {
    const become = (job: ModelJob | null): Configuration => ({
      ...at,
      drivers: at.drivers.map((one, other) => (other === index ? job : one)),
    });
    if (read === null) {
      if (!isEnd(at.job.state)) yield { label: `driver ${index} reads`, to: become(at.job) };
      continue;
    }
    const decision = ask(read, { type: 'turn', kind: read.state === 'COMPENSATING' ? 'recovery' : 'forward' });
    if (decision !== null) yield written(become(null), decision, `driver ${index} writes`);
  }
}

function isOut({ status, lease }: ModelStep): boolean {
  return status === 'dispatched' && lease === 'live';
}

/** Calls are on their way from now on. One that never arrives is one whose caller has died. */
function written(at: Configuration, decision: ModelDecision, label: string): Move {
  const to = { ...at, job: decision.job, calls: [...at.calls, ...decision.calls] };
  const out = STEPS.filter((name) => isOut(decision.job.steps[name]));
  const early = decision.calls.some(({ direction }) => direction === 'undo') && out.length > 0;
  return early ? { label, to, broken: `BROKEN: an undo begins while ${out.join()} is out` } : { label, to };
}

function* participantMoves(at: Configuration, guards: WorldGuards): Generator<Move> {
  for (const [index, call] of at.calls.entries()) {
    const rest = { ...at, calls: without(at.calls, index) };
    const { step, direction, attempt } = call;
    const { stands, tombstone } = at.effects[step];
    const become = (effect: Effect, word: Word | null): Move => ({
      label: `${step} ${direction} ${attempt} arrives: ${word ?? 'no answer'}`,
      to: {
        ...rest,
        effects: { ...at.effects, [step]: effect },
        answers:
          word === null || at.answers.some((one) => isSame(one, call, word))
            ? at.answers
            : [...at.answers, { ...call, word }],
      },
    });
    if (direction === 'undo') {
      const undone = { stands: false, tombstone: guards.tombstone };
      yield become(undone, 'success');
      yield become(undone, null);
      yield become({ stands, tombstone }, 'transient');
    } else if (tombstone) {
      yield become({ stands, tombstone }, 'revoked');
    } else {
      yield become({ stands: true, tombstone }, 'success');
      yield become({ stands: true, tombstone }, null);
      if (stands) continue;
      // Of two participants one knows passing trouble, the other refuses: both of both are four times as many orders.
      if (step === 'a') yield become({ stands, tombstone }, 'transient');
      else yield become({ stands, tombstone: true }, 'refused');
    }
  }
}

function isSame(one: ModelAnswer, { step, direction, attempt }: ModelCall, word: Word): boolean {
  return one.step === step && one.direction === direction && one.attempt === attempt && one.word === word;
}

function without<T>(list: readonly T[], index: number): T[] {
  return list.filter((_, other) => other !== index);
}
