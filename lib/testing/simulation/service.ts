/**
 * A participant that behaves as its script says: well, badly, late, or not at all, but never against what its kind
 * promises. What it does about a call is drawn from the operation's name and the attempt, so it is the same in every
 * run of a seed that comes to make this call.
 */
import { type Answer, failure } from '../../core/answers.ts';
import type { Call } from '../../core/events.ts';
import type { Json } from '../../core/json.ts';
import type { CallEnvelope } from '../../ports.ts';
import { type Chance, chanceFrom, mixed, numberOf } from './chance.ts';
import type { Effect, Ledger, ServiceKind } from './ledger.ts';
import type { Timeline } from './timeline.ts';

/**
 * `lost`: done, and the answer is not. `doubt`: not done, and it does not say so. `hang`: does it, or not, after
 * everybody has stopped listening. `promise`: accepts, and tells the end by message.
 */
export type ForwardWord = 'ok' | 'lost' | 'doubt' | 'transient' | 'busy' | 'hang' | 'promise';
export type UndoWord = 'ok' | 'lost' | 'transient' | 'hang' | 'promise';
export type QueryWord = 'ok' | 'unknown' | 'lost' | 'transient' | 'promise';

export interface ServiceSpec {
  readonly name: string;
  readonly kind: ServiceKind;
  /** The longest that a call is at work. */
  readonly maxRunMs: number;
  /** Drawn from; more often named, more often said. */
  readonly forward: readonly ForwardWord[];
  readonly undo: readonly UndoWord[];
  readonly query: readonly QueryWord[];
  /** Shares of operations, and of undos, that it refuses for good; of answers that fit no schema. */
  readonly refuses: number;
  readonly refusesUndo: number;
  readonly babbles: number;
  /** An undo that meets its forward call at work: asks to come again, or keeps the call from taking effect. */
  readonly undoWaits: boolean;
  /** Characters that it adds to each answer: above a limit they are stored apart from the job. */
  readonly pad: number;
}

export interface ServiceWorld {
  readonly time: Timeline;
  readonly ledger: Ledger;
  readonly seed: number;
  /** Nothing goes wrong any more by chance; what was refused stays refused. */
  isCalm(): boolean;
  /** A person has seen to whoever refused an undo. */
  isCooperative(): boolean;
  /** The end of what was promised. */
  tell(envelope: CallEnvelope, answer: Answer): void;
}

export type Serve = (envelope: CallEnvelope, role: 'do' | 'undo' | 'query') => Promise<Answer>;

/** An answer that no generated step's schema takes. */
export const BABBLE = 'nobody asked for this';

const TELLS_LATE_MS = 1_200_000;

const broken = failure('EXT_UNAVAILABLE', 'the connection broke', true);
const down = failure('EXT_UNAVAILABLE', 'down, and nothing was done', false);
const busy = failure('EXT_THROTTLED', 'too many requests', false, 1_000);
const inProgress = failure('EXT_IN_PROGRESS', 'still at work', true);
const revoked = failure('CONTRACT_OPERATION_REVOKED', 'undone or fenced before', false);
const refusal = failure('DQ_REFUSED', 'refused', false);
const undoRefusal = failure('CONTRACT_CONFLICT', 'cannot be undone', false);

export function service(spec: ServiceSpec, world: ServiceWorld): Serve {
  const habits = habitsOf(spec, world);
  return (envelope, role) => {
    if (role === 'do') return forward(habits, envelope);
    return role === 'undo' ? undo(habits, envelope) : query(habits, envelope);
  };
}

interface Habits {
  readonly spec: ServiceSpec;
  readonly world: ServiceWorld;
  /** Drawn anew for each attempt. */
  chanceOf(call: Call, salt: number): Chance;
  /** The same for ever, by name. */
  always(name: string, salt: number, share: number): boolean;
  after<T>(ms: number, make: () => T): Promise<T>;
  wordOf<W extends string>(words: readonly W[], good: W, chance: Chance): W;
  tell(envelope: CallEnvelope, answer: Answer, times: number): void;
}

function habitsOf(spec: ServiceSpec, world: ServiceWorld): Habits {
  return {
    spec,
    world,
    chanceOf: (call, salt) =>
      chanceFrom(mixed(world.seed, salt, numberOf(call.operationId), call.direction.length, call.attempt)),
    always: (name, salt, share) => share > 0 && chanceFrom(mixed(world.seed, salt, numberOf(name))).often(share),
    after: (ms, make) => new Promise((resolve) => world.time.soon(ms, () => resolve(make()))),
    wordOf: (words, good, chance) => (world.isCalm() ? good : chance.pick(words)),
    tell: (envelope, answer, times) => {
      for (let told = 0; told < times; told += 1) world.tell(envelope, answer);
    },
  };
}

function forward(habits: Habits, envelope: CallEnvelope): Promise<Answer> {
  const { spec, world, after, always } = habits;
  const { call } = envelope;
  const effect = world.ledger.of(call.operationId, spec.kind);
  const chance = habits.chanceOf(call, 1);
  const workMs = chance.between(1, 300);
  const known = knownAnswer(spec, effect);
  if (known !== null) return after(workMs, () => known);
  // Who does not know an operation again may refuse what it has done.
  const drawnFrom = spec.kind === 'sloppy' ? `${call.operationId} ${call.attempt}` : call.operationId;
  if (always(drawnFrom, 2, spec.refuses)) {
    effect.refused = true;
    return after(workMs, () => refusal);
  }
  const babbles = always(call.operationId, 3, spec.babbles);
  const output: Json = babbles ? BABBLE : { of: call.step, by: call.operationId, pad: 'x'.repeat(spec.pad) };
  const work: Work = (ms, then) => {
    effect.atWork += 1;
    return after(ms, () => {
      effect.atWork -= 1;
      return then(apply(effect, output));
    });
  };
  switch (habits.wordOf(spec.forward, 'ok', chance)) {
    case 'ok':
      return work(workMs, (answer) => answer);
    case 'lost':
      return work(workMs, () => broken);
    case 'doubt':
      return after(workMs, () => broken);
    case 'transient':
      return after(workMs, () => down);
    case 'busy':
      return after(workMs, () => busy);
    case 'hang':
      return hang(habits, envelope, chance, work);
    case 'promise':
      return promise(habits, envelope, chance, work);
  }
}

type Work = (ms: number, then: (answer: Answer) => Answer) => Promise<Answer>;

function hang({ spec, world, after, tell }: Habits, envelope: CallEnvelope, chance: Chance, work: Work) {
  // Who promises nothing may also be at work for longer than it says.
  const longest = spec.kind === 'sloppy' ? 3 * spec.maxRunMs : spec.maxRunMs;
  const ms = chance.between(Math.min(envelope.call.timeoutMs, spec.maxRunMs), longest);
  if (chance.often(0.4)) return after(ms, () => broken);
  // Some tell the end although nobody was promised one.
  const tellMs = chance.often(0.5) ? chance.pick([0, 0, TELLS_LATE_MS]) : null;
  return work(ms, (answer) => {
    if (tellMs !== null) world.time.after(tellMs, () => tell(envelope, answer, 1));
    return broken;
  });
}

/** A promise is kept, or broken in words, or in silence; some keep it twice. */
function promise({ spec, after, tell }: Habits, envelope: CallEnvelope, chance: Chance, work: Work) {
  const ms = chance.between(100, spec.maxRunMs);
  const end = chance.between(0, 9);
  if (end === 0) void after(ms, () => tell(envelope, down, 1));
  else if (end > 1) {
    void work(ms, (answer) => {
      tell(envelope, answer, end === 2 ? 2 : 1);
      return answer;
    });
  }
  return after(1, () => ({ kind: 'accepted' }) as const);
}

/** Accepted now; its end comes by message, twice now and then, or never. */
function byMessage({ after, tell }: Habits, envelope: CallEnvelope, chance: Chance, end: () => Answer) {
  const ms = chance.pick([chance.between(1, 300), chance.between(300, 60_000), TELLS_LATE_MS]);
  const times = chance.pick([0, 1, 1, 1, 1, 2]);
  void after(ms, () => tell(envelope, end(), times));
  // The message may be there before it is written down that there will be one.
  return after(chance.between(1, 300), () => ({ kind: 'accepted' }) as const);
}

function undo(habits: Habits, envelope: CallEnvelope): Promise<Answer> {
  const { spec, world, after, always, chanceOf, wordOf } = habits;
  const { call } = envelope;
  const effect = world.ledger.of(call.about ?? call.operationId, spec.kind);
  const chance = chanceOf(call, 4);
  const ms = chance.between(1, 300);
  if (!world.isCooperative() && effect.standing > 0 && always(call.operationId, 5, spec.refusesUndo)) {
    return after(ms, () => undoRefusal);
  }
  const undone = (): Answer => takeBack(spec, effect);
  switch (wordOf(spec.undo, 'ok', chance)) {
    case 'ok':
      return after(ms, undone);
    case 'lost':
      return after(ms, () => {
        undone();
        return broken;
      });
    case 'transient':
      return after(ms, () => down);
    case 'hang':
      return after(chance.between(call.timeoutMs, call.timeoutMs * 2), undone);
    case 'promise':
      return byMessage(habits, envelope, chance, undone);
  }
}

function query(habits: Habits, envelope: CallEnvelope): Promise<Answer> {
  const { spec, world, after, chanceOf, wordOf } = habits;
  const { call } = envelope;
  const effect = world.ledger.of(call.about ?? call.operationId, spec.kind);
  const chance = chanceOf(call, 6);
  const word = wordOf(spec.query, 'ok', chance);
  const told = (): Answer => {
    if (word === 'lost') return broken;
    if (word === 'transient') return down;
    return { kind: 'success', output: word === 'unknown' ? { state: 'unknown' } : tellOf(spec, effect, call.fence) };
  };
  return word === 'promise' ? byMessage(habits, envelope, chance, told) : after(chance.between(1, 300), told);
}

/** What is answered without doing anything; null: it is to be done. */
function knownAnswer({ kind }: ServiceSpec, effect: Effect): Answer | null {
  if (kind === 'sloppy') return null;
  if (effect.standing > 0) return { kind: 'success', output: effect.output };
  if (effect.tombstone) return revoked;
  if (effect.refused) return refusal;
  return kind === 'fencing' && effect.atWork > 0 ? inProgress : null;
}

/** Takes effect, unless that is kept from happening: by a tombstone, or by having happened. */
function apply(effect: Effect, output: Json): Answer {
  if (effect.tombstone && effect.kind !== 'sloppy') return revoked;
  if (effect.kind === 'sloppy' || effect.standing === 0) {
    effect.standing += 1;
    effect.applied += 1;
    effect.output = output;
  }
  return { kind: 'success', output: effect.output };
}

function takeBack({ kind, undoWaits }: ServiceSpec, effect: Effect): Answer {
  if (kind === 'fencing') {
    if (undoWaits && effect.atWork > 0) return inProgress;
    effect.tombstone = true;
  }
  const found = effect.standing > 0;
  effect.standing = kind === 'sloppy' ? Math.max(0, effect.standing - 1) : 0;
  effect.undone = true;
  return { kind: 'success', output: { undone: true, found } };
}

function tellOf({ kind }: ServiceSpec, effect: Effect, fence: boolean): Json {
  if (effect.standing > 0) return { state: 'applied', output: effect.output };
  if (kind === 'fencing' && effect.atWork > 0) return { state: 'running' };
  const fenced = kind === 'fencing' && (fence || effect.tombstone);
  if (fenced) effect.tombstone = true;
  return fenced ? { state: 'not_applied', fenced } : { state: 'not_applied' };
}
