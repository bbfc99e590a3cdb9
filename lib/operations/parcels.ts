/**
 * Answers on their way through a queue. One that does not fit into a message goes by reference: its output is put among
 * the job's values first, under its content hash, and the message names it. Whoever takes the message gets it whole.
 */
import type { Result } from '../core/events.ts';
import type { JobId } from '../core/ids.ts';
import { byteLength, sha256Hex } from '../core/json.ts';
import { LIMITS } from '../core/limits.ts';
import type { Ports } from '../ports.ts';
import type { Engine } from './engine.ts';

/** Half a message: what a queue writes as an escape takes up to six bytes for two, and there is an envelope around it. */
const INLINE_BYTES_MAX = LIMITS.queueMessageBytesMax / 4;

export async function sendResult({ ports }: Engine, jobId: JobId, result: Result): Promise<void> {
  await ports.queue.send('dispatch', { kind: 'result', jobId, result: await packed(ports, jobId, result) }, 0);
}

async function packed(ports: Ports, jobId: JobId, result: Result): Promise<Result> {
  const { answer } = result;
  if (answer.kind !== 'success') return result;
  const text = JSON.stringify(answer.output);
  // What is over the limit of outputs is not kept anyway; that it was is what counts.
  if (byteLength(text) <= INLINE_BYTES_MAX) return result;
  const hash = sha256Hex(text);
  await ports.values.put(jobId, hash, text);
  return { ...result, answer: { kind: 'success', output: null, storedAs: hash } };
}

/** @throws when a value that was promised is gone: the message stays in its queue until somebody has looked */
export async function unpacked(engine: Engine, jobId: JobId, results: readonly Result[]): Promise<readonly Result[]> {
  if (!results.some(({ answer }) => isStored(answer))) return results;
  return Promise.all(results.map((result) => whole(engine.ports, jobId, result)));
}

async function whole(ports: Ports, jobId: JobId, result: Result): Promise<Result> {
  const { answer } = result;
  if (answer.kind !== 'success' || answer.storedAs === undefined) return result;
  const text = await ports.values.get(jobId, answer.storedAs);
  if (text === null) throw new Error(`the answer ${answer.storedAs} of job ${jobId} is gone: restore it from a backup`);
  return { ...result, answer: { kind: 'success', output: JSON.parse(text) } };
}

function isStored(answer: Result['answer']): boolean {
  return answer.kind === 'success' && answer.storedAs !== undefined;
}
