/**
 * Moves documents between the job and the value store. Large ones are stored apart under their content hash before
 * the job refers to them, so the cost of a transition does not grow with the payload; the hash is checked on reading.
 */
import type { Job, StepState, Value } from '../core/job.ts';
import type { Json } from '../core/json.ts';
import { byteLength, sha256Hex } from '../core/json.ts';
import { LIMITS } from '../core/limits.ts';
import type { Ports } from '../ports.ts';

type Change = (value: Value) => Value;

/** The same job with every document replaced by what `change` makes of it. */
function mapValues(job: Job, change: Change): Job {
  const optional = (value: Value | null): Value | null => (value === null ? null : change(value));
  const mapStep = (step: StepState): StepState => {
    const output = optional(step.output);
    const result = optional(step.undo?.result ?? null);
    const value = optional(step.received?.value ?? null);
    const same = output === step.output && result === (step.undo?.result ?? null);
    if (same && value === (step.received?.value ?? null)) return step;
    return {
      ...step,
      output,
      received: step.received === null ? null : { ...step.received, value },
      undo: step.undo === null ? null : { ...step.undo, result },
    };
  };
  const past = job.past.map((one) => ({ ...one, output: optional(one.output) }));
  return { ...job, input: change(job.input), output: optional(job.output), steps: job.steps.map(mapStep), past };
}

function valuesIn(job: Job): Value[] {
  const ofSteps = job.steps.flatMap((step) => [step.output, step.undo?.result ?? null, step.received?.value ?? null]);
  const found = [job.input, job.output, ...ofSteps, ...job.past.map((one) => one.output)];
  return found.filter((value) => value !== null);
}

/** Loads every document that is stored apart. */
export async function loadValues(ports: Ports, job: Job): Promise<Job> {
  return withTexts(job, await fetchTexts(ports, job));
}

/** The same for many jobs; those that are not there stay null. */
export async function loadMany(ports: Ports, jobs: readonly (Job | null)[]): Promise<(Job | null)[]> {
  const isWhole = (job: Job): boolean => valuesIn(job).every(({ data }) => data !== undefined);
  return Promise.all(jobs.map((job) => (job === null || isWhole(job) ? job : loadValues(ports, job))));
}

/** Jobs whose documents are read at once for a page: the last of them may turn out not to fit. */
const JOBS_READ_AT_ONCE = 4;

/** Loads documents as long as they fit, those of the first jobs first; the others stay apart and are not shown. */
export async function loadWithin(ports: Ports, jobs: readonly Job[], bytesMax: number): Promise<Job[]> {
  let left = bytesMax;
  const loaded: Job[] = [];
  while (loaded.length < jobs.length) {
    const group = jobs.slice(loaded.length, loaded.length + JOBS_READ_AT_ONCE);
    const texts = left > 0 ? await Promise.all(group.map((job) => fetchTexts(ports, job))) : [];
    for (const [index, job] of group.entries()) {
      const fitting = new Map<string, string>();
      for (const [hash, text] of texts[index] ?? []) {
        left -= byteLength(text);
        if (left >= 0) fitting.set(hash, text);
      }
      loaded.push(withTexts(job, fitting));
    }
  }
  return loaded;
}

async function fetchTexts(ports: Ports, job: Job): Promise<ReadonlyMap<string, string>> {
  const missing = new Set(
    valuesIn(job).flatMap((value) => (value.data === undefined && value.hash ? [value.hash] : [])),
  );
  const texts = new Map<string, string>();
  await Promise.all(
    [...missing].map(async (hash) => {
      const text = await ports.values.get(job.jobId, hash);
      if (text === null) throw new Error(`value ${hash} of job ${job.jobId} is gone: restore it from a backup`);
      texts.set(hash, text);
    }),
  );
  return texts;
}

function withTexts(job: Job, texts: ReadonlyMap<string, string>): Job {
  if (texts.size === 0) return job;
  const documents = new Map([...texts].map(([hash, text]) => [hash, JSON.parse(text) as Json]));
  return mapValues(job, (value) => {
    if (value.data !== undefined || value.hash === null || !documents.has(value.hash)) return value;
    return { data: documents.get(value.hash), hash: value.hash };
  });
}

/** Stores apart what is too large for the job itself, the largest first, and notes the hashes. */
export async function storeValues(ports: Ports, job: Job): Promise<Job> {
  const moves = valuesToMove(job);
  if (moves.size === 0) return job;
  const hashes = new Map<Value, string>();
  await Promise.all(
    [...moves].map(async ([value, text]) => {
      const hash = sha256Hex(text);
      await ports.values.put(job.jobId, hash, text);
      hashes.set(value, hash);
    }),
  );
  return mapValues(job, (value) => {
    const hash = hashes.get(value);
    return hash === undefined ? value : { ...value, hash };
  });
}

interface Measured {
  readonly value: Value;
  readonly text: string;
  readonly bytes: number;
}

/** A value never changes, and most are in the job at every write of it: each is written out and measured once. */
const MEASURED = new WeakMap<Value, Measured>();

function measured(value: Value): Measured {
  const known = MEASURED.get(value);
  if (known !== undefined) return known;
  const text = JSON.stringify(value.data ?? null);
  const fresh = { value, text, bytes: byteLength(text) };
  MEASURED.set(value, fresh);
  return fresh;
}

function valuesToMove(job: Job): Map<Value, string> {
  const inline = valuesIn(job)
    .filter((value) => value.hash === null)
    .map(measured)
    .sort((a, b) => b.bytes - a.bytes);
  const moves = new Map<Value, string>();
  let total = inline.reduce((sum, one) => sum + one.bytes, 0);
  for (const { value, text, bytes } of inline) {
    if (bytes <= LIMITS.valueInlineBytesMax && total <= LIMITS.valuesInlineBytesMax) break;
    moves.set(value, text);
    total -= bytes;
  }
  return moves;
}
