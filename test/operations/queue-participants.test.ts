/**
 * Participants behind queues: a command goes, the answer comes by message, later, in another order, twice, or before
 * anybody wrote down that the command went. The definitions do not know, and the world ends up the same.
 */
import { describe, expect, it } from 'vitest';
import { commandOf } from '../../lib/contract/commands.ts';
import { readMessage } from '../../lib/contract/messages.ts';
import { type Answer, failure } from '../../lib/core/answers.ts';
import { jobIdOf } from '../../lib/core/ids.ts';
import { EXAMPLE_SERVICES } from '../../lib/participants/index.ts';
import type { CallEnvelope } from '../../lib/ports.ts';
import { type CommandResult, consume, host, memoryOperations } from '../../lib/worker/index.ts';
import { readJob, type World, world } from './world.ts';

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

interface Post {
  /** How long each message is on its way, in turn; an empty list: the command, or its result, is lost. */
  readonly results: (command: CallEnvelope, nth: number) => readonly number[];
  /** What the sender hears of its own send. */
  readonly sent?: (command: CallEnvelope, nth: number) => Answer | null;
}

/** The example services, each consuming its queue with the worker kit. */
function postal(post: Post) {
  const effects = memoryOperations();
  const commands: CallEnvelope[] = [];
  let where: World | null = null;
  const byTopic = new Map(
    EXAMPLE_SERVICES.flatMap((service) => {
      const serve = host(service, { store: effects, now: () => where?.ports.clock.now() ?? 0 });
      return [...service.topics.keys()].map((topic) => [topic, serve] as const);
    }),
  );
  const deliver = async (envelope: CallEnvelope, delays: readonly number[]): Promise<void> => {
    const serve = byTopic.get(envelope.call.topic);
    if (serve === undefined || where === null) throw new Error(`nobody reads ${envelope.call.topic}`);
    const { clock, queue } = where.ports;
    const sendResult = async (result: CommandResult): Promise<void> => {
      const message = readMessage(JSON.stringify(result), clock.now());
      if (message === null) throw new Error('this result is none');
      for (const ms of delays) clock.after(ms, () => void queue.send('dispatch', message, 0));
    };
    await consume(serve, [{ messageId: 'm', body: JSON.stringify(commandOf(envelope)) }], { sendResult });
  };
  where = world({
    serve: async (envelope) => {
      commands.push(envelope);
      const nth = commands.filter(({ call }) => call.topic === envelope.call.topic).length;
      const heard = post.sent?.(envelope, nth) ?? { kind: 'accepted' };
      const isGone = heard.kind === 'failure' && !heard.mayHaveApplied;
      if (!isGone) await deliver(envelope, post.results(envelope, nth));
      return heard;
    },
  });
  return {
    where,
    commands,
    standing: async () => (await effects.operations()).filter((one) => one.operation.effect === 'applied'),
  };
}

const signup = { company: 'acme', email: 'a@b.example', plan: 'free' };
const order = { order_id: 'o1', sku: 's', quantity: 1, amount: 5, address: 'here' };

async function run(where: World, workflowType: string, input: object) {
  const request = { callerId: 'caller', source: 'api', workflowType, version: null, input: input as never } as const;
  await where.submit({ ...request, idempotencyKey: 'key', correlationId: null, trace: null });
  const jobId = jobIdOf('caller', workflowType, 'key');
  expect(await where.untilQuiet(jobId, 3 * DAY)).toBe(true);
  return readJob(where, jobId);
}

describe('participants behind queues', () => {
  it.each([
    ['in order', () => [100]],
    ['hours later', () => [5 * HOUR]],
    ['in another order', ({ call }: CallEnvelope) => [call.topic === 'tenant:create' ? 60_000 : 10]],
    ['twice', () => [10, 20_000]],
  ] as const)('do their part when their answers come %s', async (_name, results) => {
    const { where, standing } = postal({ results });
    const job = await run(where, 'signup', signup);
    expect(job).toMatchObject({ state: 'COMPLETED', retryCount: 0 });
    expect(await standing()).toHaveLength(3);
  });

  it.each(['signup', 'order'])('may answer before the send was written down: %s', async (type) => {
    const { where } = postal({
      results: () => [0],
      sent: () => null,
    });
    const bad = type === 'signup' ? { ...signup, plan: 'none' } : { ...order, address: '' };
    expect(await run(where, type, bad)).toMatchObject({ state: 'FAILED', outcome: 'rolled_back' });
  });

  it('are undone over their queues, each effect once, with the undos as late as they like', async () => {
    const { where, commands, standing } = postal({
      results: ({ call }) => (call.direction === 'undo' ? [HOUR, HOUR + 5] : [10]),
    });
    const job = await run(where, 'order', { ...order, address: '' });
    expect(job).toMatchObject({ state: 'FAILED', outcome: 'rolled_back', lastErrorCode: 'CONTRACT_VALIDATION_ERROR' });
    expect(await standing()).toEqual([]);
    const undos = commands.filter(({ call }) => call.direction === 'undo').map(({ call }) => call.topic);
    expect(undos).toEqual(['payment:cancel', 'inventory:release']);
  });

  it('are asked again when an undo or its result is lost', async () => {
    const { where, commands, standing } = postal({
      results: ({ call }, nth) => (call.topic === 'payment:cancel' && nth === 1 ? [] : [10]),
    });
    const job = await run(where, 'order', { ...order, address: '' });
    expect(job).toMatchObject({ state: 'FAILED', outcome: 'rolled_back' });
    expect(await standing()).toEqual([]);
    const undos = commands.flatMap(({ call }) => (call.topic === 'payment:cancel' ? [call.operationId] : []));
    expect(undos).toHaveLength(2);
    expect(new Set(undos).size).toBe(1);
  });

  it('tell by message what became of a command whose send broke', async () => {
    const { where, commands } = postal({
      // Taken by the queue, but the sender does not know, and the result never comes.
      results: ({ call }, nth) => (call.topic === 'payment:authorise' && nth === 1 ? [] : [10]),
      sent: ({ call }, nth) =>
        call.topic === 'payment:authorise' && nth === 1 ? failure('EXT_TIMEOUT', 'the send broke', true) : null,
    });
    const job = await run(where, 'order', order);
    expect(job.state).toBe('COMPLETED');
    const about = commands.filter(({ call }) => call.topic.startsWith('payment:')).map(({ call }) => call.topic);
    expect(about).toEqual(['payment:authorise', 'payment:find']);
    // The answer to the question was never taken for the answer to the command.
    expect(job.steps.find(({ name }) => name === 'payment')?.output?.data).not.toHaveProperty('state');
  });

  it('are sent a command again that the queue refused, since it cannot have applied', async () => {
    const { where, commands } = postal({
      results: () => [10],
      sent: (_command, nth) => (nth === 1 ? failure('EXT_THROTTLED', 'too many', false) : null),
    });
    const job = await run(where, 'signup', signup);
    expect(job).toMatchObject({ state: 'COMPLETED', retryCount: 3 });
    expect(new Set(commands.map(({ call }) => call.operationId)).size).toBe(3);
  });
});
