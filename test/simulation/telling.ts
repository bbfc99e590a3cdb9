/**
 * Tells a story in a simulated world: the real participants on memory stores, what goes wrong by the story, the people
 * in it, and beside it whatever a fault plan adds. Then every rule is held against what there is.
 */
import { answerOf, requestOf } from '../../lib/contract/envelope.ts';
import { deadLetterIdOf, type JobId } from '../../lib/core/ids.ts';
import type { Job } from '../../lib/core/job.ts';
import { cancel } from '../../lib/operations/cancel.ts';
import { discard } from '../../lib/operations/discard.ts';
import type { Engine } from '../../lib/operations/engine.ts';
import { operate } from '../../lib/operations/operate.ts';
import { replay } from '../../lib/operations/replay.ts';
import { EXAMPLE_SERVICES } from '../../lib/participants/index.ts';
import type { CallEnvelope } from '../../lib/ports.ts';
import { brokenAnswers, placeOrder, type Told } from '../../lib/testing/simulation/client.ts';
import type { FaultPlan } from '../../lib/testing/simulation/faults.ts';
import type { Effect } from '../../lib/testing/simulation/ledger.ts';
import type { RunRecord } from '../../lib/testing/simulation/record.ts';
import { brokenAtRest } from '../../lib/testing/simulation/rest-rules.ts';
import type { MakeWorld } from '../../lib/testing/simulation/run.ts';
import { WORLD_START, type World, world } from '../../lib/testing/simulation/world.ts';
import { host, memoryOperations, type OperationView } from '../../lib/worker/index.ts';
import { examples } from '../../lib/workflows/examples.ts';
import type { Between } from '../operations/world.ts';
import type { Deed, Story } from './stories.ts';

export interface Telling {
  readonly record: RunRecord;
  readonly virtualMs: number;
  readonly state: string;
}

/** Retries, the slowest fault, and a night's sleep. */
const PATIENCE_MS = 2 * 86_400_000;

/** @param make another world to tell it in */
export async function tell(story: Story, faults: FaultPlan, traced = false, make: MakeWorld = world): Promise<Telling> {
  const views: OperationView[] = [];
  const where = await make({
    seed: 1,
    plans: examples,
    faults: () => faults,
    route: (topic) => (TOPICS.has(topic) ? { target: 'memory', fencing: true, maxRunMs: 60_000 } : undefined),
    participants: (around) => participants(story, views, around),
    traced,
  });
  const { record } = where;
  const told: Told[] = [];
  const { workflow: workflowType, input } = story;
  where.time.soon(0, () => placeOrder(where, { callerId: 'ann', workflowType, version: null, input, key: 'k1' }, told));
  await rest(where);
  for (const deed of story.afterwards ?? []) {
    act(where, deed);
    await rest(where);
  }
  if (record.broken.length === 0) await judge(story, where, views, told);
  return { record, virtualMs: where.time.now() - WORLD_START, state: jobOf(where)?.state ?? 'none' };
}

async function rest({ record, untilQuiet }: World): Promise<void> {
  if (!(await untilQuiet(PATIENCE_MS))) record.breaks('I10 does not come to rest');
}

/** The story's own job. */
function jobOf({ jobs }: World): Job | undefined {
  return [...jobs.values()].find(({ lineage }) => lineage.replayOf === undefined);
}

const PERSON_WAITS_MS = 30_000;
const TRIES_MAX = 5;

/** Somebody acts, and tries again when no answer comes. */
function act(where: World, deed: Deed, heard: () => void = () => {}, tries = 1): void {
  const job = jobOf(where);
  if (job === undefined) return;
  where.start(
    'operate',
    job.jobId,
    (engine) => perform(engine, job.jobId, deed),
    ({ end }) => {
      if (end === 'done' || tries >= TRIES_MAX) heard();
      else where.time.soon(PERSON_WAITS_MS, () => act(where, deed, heard, tries + 1));
    },
  );
}

function perform(engine: Engine, jobId: JobId, deed: Deed): Promise<unknown> {
  const viewer = { callerId: 'ada', role: 'operator' } as const;
  const reason = 'as the story has it';
  const deadLetterId = deadLetterIdOf(jobId);
  switch (deed.action) {
    case 'cancel':
      return cancel(engine, { jobId, viewer, reason, expectedRevision: null });
    case 'replay':
      return replay(engine, { deadLetterId, viewer, reason, input: undefined });
    case 'discard':
      return discard(engine, { deadLetterId, viewer, reason });
    default:
      return operate(engine, { jobId, viewer, reason, expectedRevision: null, evidence: 'looked at it', act: deed });
  }
}

async function judge(
  story: Story,
  where: World,
  views: readonly OperationView[],
  told: readonly Told[],
): Promise<void> {
  const { record, jobs } = where;
  const job = jobOf(where);
  const replays = [...jobs.values()].filter(({ lineage }) => lineage.replayOf !== undefined);
  const replayEnds = story.replayEnds ?? [];
  if (told.length === 0) record.breaks('I1 nobody was told that the job is taken');
  if (job === undefined) record.breaks('I1 there is no job');
  else if (!story.ends.includes(job.state)) record.breaks(`I2 ends ${job.state}, not ${story.ends.join(' or ')}`);
  if (jobs.size !== 1 + replays.length || replays.length !== (story.replayEnds === undefined ? 0 : 1)) {
    record.breaks(`I9 one order became ${jobs.size} jobs, ${replays.length} of them replays`);
  }
  for (const { state } of replays) {
    if (!replayEnds.includes(state)) record.breaks(`I2 its replay ends ${state}, not ${replayEnds.join(' or ')}`);
  }
  const effects = await effectsIn(views, story.byHand ?? []);
  for (const rule of [...brokenAnswers(where, told), ...(await brokenAtRest(where, effects))]) record.breaks(rule);
}

const TOPICS = new Set(EXAMPLE_SERVICES.flatMap(({ topics }) => [...topics.keys()]));

function participants(story: Story, views: OperationView[], where: World) {
  const byTopic = new Map<string, ReturnType<typeof host>>();
  for (const service of EXAMPLE_SERVICES) {
    const store = memoryOperations();
    views.push(store);
    const serve = host(service, { store, now: where.time.now });
    for (const topic of service.topics.keys()) byTopic.set(topic, serve);
  }
  const between: Between = story.between?.() ?? ((_envelope, deliver) => deliver());
  let isCancelled = false;
  return async (envelope: CallEnvelope) => {
    const answer = between(envelope, async () => {
      const serve = byTopic.get(envelope.call.topic);
      if (serve === undefined) throw new Error(`nobody serves ${envelope.call.topic}`);
      return answerOf(await serve(requestOf(envelope)));
    });
    if (envelope.call.topic === story.cancelledAt && !isCancelled) {
      isCancelled = true;
      await new Promise<void>((heard) => act(where, { action: 'cancel' }, heard));
    }
    return answer;
  };
}

/** The ledgers of the worker kit in the words of the simulation. */
async function effectsIn(views: readonly OperationView[], byHand: readonly string[]): Promise<Effect[]> {
  const operations = (await Promise.all(views.map((view) => view.operations()))).flat();
  return operations.map(({ operationId, operation: { effect, revoked } }) => {
    const isByHand = byHand.includes(operationId.split('.')[1] ?? '');
    return {
      operationId,
      kind: 'fencing',
      standing: effect === 'applied' && !isByHand ? 1 : 0,
      applied: effect === 'applied' || effect === 'undone' ? 1 : 0,
      atWork: 0,
      refused: false,
      undone: effect === 'undone' || isByHand,
      tombstone: revoked,
      byHand: isByHand,
      output: null,
    };
  });
}
