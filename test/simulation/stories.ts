/**
 * Every way a job of the example workflows can end, told in a simulated world: the real participants on memory stores,
 * what goes wrong by the story, and beside it whatever a fault plan adds.
 */
import { answerOf, requestOf } from '../../lib/contract/envelope.ts';
import { failure } from '../../lib/core/answers.ts';
import type { Json } from '../../lib/core/json.ts';
import { EXAMPLE_SERVICES } from '../../lib/participants/index.ts';
import { brokenAnswers, placeOrder, type Told } from '../../lib/testing/simulation/client.ts';
import type { FaultPlan } from '../../lib/testing/simulation/faults.ts';
import type { Effect } from '../../lib/testing/simulation/ledger.ts';
import type { RunRecord } from '../../lib/testing/simulation/record.ts';
import { brokenAtRest } from '../../lib/testing/simulation/rest-rules.ts';
import type { MakeWorld } from '../../lib/testing/simulation/run.ts';
import { WORLD_START, type World, world } from '../../lib/testing/simulation/world.ts';
import { host, memoryOperations, type OperationView } from '../../lib/worker/index.ts';
import { examples } from '../../lib/workflows/examples.ts';
import { STORIES } from '../operations/stories.ts';
import type { Between } from '../operations/world.ts';

export interface Story {
  readonly name: string;
  readonly workflow: string;
  readonly input: Json;
  readonly between?: () => Between;
  readonly ends: readonly string[];
}

const research = { workflow: 'research', input: { question: 'why' } };

/** Answers that do not come, for the first `times` calls of a topic. */
const silent = (topic: string, times: number) => (): Between => {
  let left = times;
  return async (envelope, deliver) => {
    const answer = await deliver();
    if (envelope.call.topic !== topic || left <= 0) return answer;
    left -= 1;
    return failure('EXT_TIMEOUT', 'no answer', true);
  };
};

export const ALL_STORIES: readonly Story[] = [
  ...STORIES,
  { name: 'a research that succeeds', ...research, ends: ['COMPLETED'] },
  {
    name: 'a research whose answer is lost once',
    ...research,
    between: silent('research:audit', 1),
    ends: ['COMPLETED'],
  },
  {
    name: 'a research whose answers are all lost',
    ...research,
    between: silent('research:plan', 1_000),
    ends: ['DEAD_LETTERED'],
  },
];

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
    participants: ({ time }) => participants(story, views, time.now),
    traced,
  });
  const { record } = where;
  const told: Told[] = [];
  const { workflow: workflowType, input } = story;
  where.time.soon(0, () => placeOrder(where, { callerId: 'ann', workflowType, version: null, input, key: 'k1' }, told));
  if (!(await where.untilQuiet(PATIENCE_MS))) record.breaks('I10 does not come to rest');
  const [job] = where.jobs.values();
  if (record.broken.length === 0) await judge(story, where, views, told);
  return { record, virtualMs: where.time.now() - WORLD_START, state: job?.state ?? 'none' };
}

async function judge(
  story: Story,
  where: World,
  views: readonly OperationView[],
  told: readonly Told[],
): Promise<void> {
  const { record, jobs } = where;
  const [job] = jobs.values();
  if (told.length === 0) record.breaks('I1 nobody was told that the job is taken');
  if (jobs.size !== 1 || job === undefined) record.breaks(`I9 one order became ${jobs.size} jobs`);
  else if (!story.ends.includes(job.state)) record.breaks(`I2 ends ${job.state}, not ${story.ends.join(' or ')}`);
  for (const rule of [...brokenAnswers(where, told), ...(await brokenAtRest(where, await effectsIn(views)))]) {
    record.breaks(rule);
  }
}

const TOPICS = new Set(EXAMPLE_SERVICES.flatMap(({ topics }) => [...topics.keys()]));

function participants(story: Story, views: OperationView[], now: () => number) {
  const byTopic = new Map<string, ReturnType<typeof host>>();
  for (const service of EXAMPLE_SERVICES) {
    const store = memoryOperations();
    views.push(store);
    const serve = host(service, { store, now });
    for (const topic of service.topics.keys()) byTopic.set(topic, serve);
  }
  const between: Between = story.between?.() ?? ((_envelope, deliver) => deliver());
  return (envelope: Parameters<Between>[0]) =>
    between(envelope, async () => {
      const serve = byTopic.get(envelope.call.topic);
      if (serve === undefined) throw new Error(`nobody serves ${envelope.call.topic}`);
      return answerOf(await serve(requestOf(envelope)));
    });
}

/** The ledgers of the worker kit in the words of the simulation. */
async function effectsIn(views: readonly OperationView[]): Promise<Effect[]> {
  const operations = (await Promise.all(views.map((view) => view.operations()))).flat();
  return operations.map(({ operationId, operation: { effect, revoked } }) => ({
    operationId,
    kind: 'fencing',
    standing: effect === 'applied' ? 1 : 0,
    applied: effect === 'applied' || effect === 'undone' ? 1 : 0,
    atWork: 0,
    refused: false,
    undone: effect === 'undone',
    tombstone: revoked,
    byHand: false,
    output: null,
  }));
}
