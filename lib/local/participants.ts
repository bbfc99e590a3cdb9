/**
 * The example participants inside the process, behind the same envelope as anywhere, with the faults that are armed
 * for them. Invariant: giving up on a call does not stop the participant; what it answers afterwards is late, not
 * lost, unless a fault keeps the answer for good.
 */
import type { DatabaseSync } from 'node:sqlite';
import {
  type Answer,
  answerOf,
  type EnvelopeRequest,
  HEALTH_TOPIC,
  problemResponse,
  requestOf,
  UNKNOWN_TOPIC,
} from '../contract/envelope.ts';
import type { JsonObject } from '../contract/json.ts';
import { type Fault, shownParticipant } from '../contract/local.ts';
import { EXAMPLE_SERVICES } from '../participants/index.ts';
import type { CallEnvelope, Clock, Participants } from '../ports.ts';
import {
  type Host,
  host,
  identityOf,
  type OperationStore,
  type OperationView,
  type Service,
  sqliteOperations,
  type TraceEvent,
} from '../worker/index.ts';
import { type Delivery, FAULT_MODES, type Outcome } from './fault-modes.ts';
import type { FaultBook } from './faults.ts';

export interface LocalParticipantsOptions {
  readonly write: <T>(work: (database: DatabaseSync) => T) => Promise<T>;
  readonly clock: Clock;
  readonly faults: FaultBook;
  /** An answer that came after its caller had given up. */
  readonly onLateAnswer: (envelope: CallEnvelope, answer: Answer) => void;
  readonly onTrace?: (event: TraceEvent) => void;
  /** What a participant threw or could not store. */
  readonly onError?: (error: unknown, topic: string) => void;
  readonly services?: readonly Service[];
  /** Where a call goes by another way than straight into the process. */
  readonly outside?: Outside;
}

/** The other ways, each asked by the call's target. */
export interface Outside {
  by(target: string): 'queue' | 'http' | 'event' | null;
  http(envelope: CallEnvelope): Promise<Answer>;
  tell(envelope: CallEnvelope): Promise<Answer>;
  command(envelope: CallEnvelope): Promise<Answer>;
}

export interface LocalParticipants extends Participants {
  /** What a service holds and how it was called; null when there is no such service. */
  show(service: string): Promise<JsonObject | null>;
  /** Works on a command as the service behind a queue does. */
  work(request: EnvelopeRequest): Promise<Outcome>;
}

/** A service at its place: how to call it, and what it remembers. */
interface Seat {
  readonly service: Service;
  readonly host: Host;
  readonly store: OperationStore & OperationView;
}

export async function localParticipants(options: LocalParticipantsOptions): Promise<LocalParticipants> {
  const seats = await Promise.all((options.services ?? EXAMPLE_SERVICES).map((service) => seat(service, options)));
  const byTopic = new Map(seats.flatMap((place) => [...place.service.topics.keys()].map((topic) => [topic, place])));
  return {
    async call(envelope) {
      const { topic, target } = envelope.call;
      const { outside } = options;
      const by = outside?.by(target) ?? null;
      // The command goes; what goes wrong goes wrong where it is worked on.
      if (outside !== undefined && by === 'queue') return outside.command(envelope);
      // A topic may be served at several places: the route has decided which.
      const place =
        seats.find(({ service }) => service.name === target && serves(service, topic)) ?? byTopic.get(topic);
      const delivery =
        outside !== undefined && (by === 'http' || by === 'event')
          ? deliveryBy(options, () => (by === 'http' ? outside.http(envelope) : outside.tell(envelope)))
          : place === undefined
            ? null
            : deliveryTo(place, requestOf(envelope), options);
      if (delivery === null) return unserved(topic);
      const fault = await options.faults.take(topic);
      return withinTimeout(envelope, options, outcomeOf(delivery, fault));
    },
    async work(request) {
      const place = byTopic.get(request.topic);
      if (place === undefined) return unserved(request.topic);
      const fault = await options.faults.take(request.topic);
      return outcomeOf(deliveryTo(place, request, options), fault);
    },
    async show(name) {
      const store = seats.find(({ service }) => service.name === name)?.store;
      if (store === undefined) return null;
      const [operations, calls] = await Promise.all([store.operations(), store.calls()]);
      return shownParticipant({ operations, calls });
    },
  };
}

async function seat(service: Service, options: LocalParticipantsOptions): Promise<Seat> {
  const { clock, write, onTrace, onError } = options;
  const store = await sqliteOperations(service.name, write);
  const watch = { ...(onTrace === undefined ? {} : { onTrace }), ...(onError === undefined ? {} : { onError }) };
  return { service, store, host: host(service, { store, now: () => clock.now(), ...watch }) };
}

/** To a service elsewhere: what it remembers of a call is its own. */
function deliveryBy({ clock }: LocalParticipantsOptions, deliver: () => Promise<Answer>): Delivery {
  return { deliver, refuse: async (code) => refusedWith(code), wait: (ms) => waiting(clock, ms) };
}

function refusedWith(code: string): Answer {
  const detail = 'the participant refused before it did anything (injected)';
  return answerOf(problemResponse('service-unavailable', { code, applied: false, detail }));
}

function waiting(clock: Clock, ms: number): Promise<void> {
  return new Promise((resolve) => void clock.after(ms, resolve));
}

function deliveryTo({ host, store }: Seat, request: EnvelopeRequest, options: LocalParticipantsOptions): Delivery {
  const { topic, operationId, attempt } = identityOf(request);
  return {
    deliver: async () => answerOf(await host(request)),
    async refuse(code) {
      await store
        .log({ topic, operationId, attempt, at: options.clock.now(), result: code })
        .catch((error: unknown) => options.onError?.(error, topic));
      return refusedWith(code);
    },
    wait: (ms) => waiting(options.clock, ms),
  };
}

function outcomeOf(delivery: Delivery, fault: Fault | undefined): Promise<Outcome> {
  return fault === undefined || fault.mode === 'crash' ? delivery.deliver() : FAULT_MODES[fault.mode](delivery, fault);
}

function withinTimeout(
  envelope: CallEnvelope,
  { clock, onLateAnswer }: LocalParticipantsOptions,
  outcome: Promise<Outcome>,
): Promise<Answer> {
  return new Promise((resolve) => {
    let waiting = true;
    const stopWaiting = clock.after(envelope.call.timeoutMs, () => {
      waiting = false;
      resolve(NO_ANSWER_IN_TIME);
    });
    void outcome.then((answer) => {
      if (answer === null) return;
      if (!waiting) return onLateAnswer(envelope, answer);
      stopWaiting();
      resolve(answer);
    });
  });
}

const NO_ANSWER_IN_TIME = answerOf(problemResponse('timeout', { detail: 'no answer came within the timeout' }));

function serves({ topics }: Service, topic: string): boolean {
  return topics.has(topic) || topic === HEALTH_TOPIC;
}

/** Routes are checked at start, so this is our own mistake; for an undo it must not look like nothing to undo. */
function unserved(topic: string): Answer {
  const detail = `no participant serves ${topic}; add it to a service, or correct the topic in the workflow`;
  return answerOf(problemResponse('not-found', { code: UNKNOWN_TOPIC, applied: false, detail }));
}
