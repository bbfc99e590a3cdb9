/**
 * One caller beside another: how long a single job takes while somebody else has ten thousand waiting, against how long
 * it takes alone; and how long it takes while thousands of jobs of the same caller hang at another dependency. What
 * counts is the ratio: both sides are measured in one process, one after the other.
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { type Embedded, startEmbedded } from './embedded.ts';

const SAMPLES = 60;
/** Somebody's jobs that wait, kept at least so many while the other is measured. */
const WAITING = 10_000;
const HUNG = 3_000;
const BATCH = 100;
const LOOK_EVERY_MS = 50;

interface Times {
  readonly p50: number;
  readonly p95: number;
}

/** The same as the crowd's, at the same dependencies; or another, at none of them. */
const SIGNUP = { type: 'signup', input: { company: 'Quiet', email: 'ada@quiet.example', plan: 'standard' } };
const RESEARCH = { type: 'research', input: { question: 'why?' } };
type Quiet = typeof SIGNUP | typeof RESEARCH;

/** Brings the crowd and keeps it there; the answer lets it go. */
type Crowd = (embedded: Embedded) => Promise<() => Promise<void>>;

export async function neighbours(): Promise<void> {
  process.stdout.write('scene                          calls take    p50 ms   p95 ms   p95 against alone\n');
  for (const delayMs of [0, 20, 50]) await scene(`beside ${WAITING} waiting jobs`, delayMs, SIGNUP, flood);
  await scene(`beside ${HUNG} hung jobs of its own`, 20, RESEARCH, hang);
}

async function scene(name: string, delayMs: number, quiet: Quiet, crowd: Crowd): Promise<void> {
  const directory = mkdtempSync(join(tmpdir(), 'dacapo-neighbours-'));
  const embedded = await startEmbedded(directory, delayMs);
  await sampled(embedded, quiet);
  const alone = await sampled(embedded, quiet);
  const leave = await crowd(embedded);
  const crowded = await sampled(embedded, quiet);
  await leave();
  row('alone', delayMs, alone, null);
  row(name, delayMs, crowded, crowded.p95 / alone.p95);
  await embedded.stop();
  rmSync(directory, { recursive: true, force: true });
}

function row(name: string, delayMs: number, { p50, p95 }: Times, ratio: number | null): void {
  const cells = [`${delayMs} ms`.padStart(10), p50.toFixed(1).padStart(9), p95.toFixed(1).padStart(8)];
  const told = ratio === null ? '' : `${ratio.toFixed(2)} x`.padStart(19);
  process.stdout.write(`${name.padEnd(30)} ${cells.join(' ')} ${told}\n`);
}

let made = 0;

/** One job at a time, with a short pause between: a quiet caller. */
async function sampled({ port }: Embedded, { type, input }: Quiet): Promise<Times> {
  const times: number[] = [];
  for (let n = 0; n < SAMPLES; n += 1) {
    made += 1;
    const from = performance.now();
    const answer = await fetch(`http://127.0.0.1:${port}/workflows/${type}/jobs`, {
      method: 'POST',
      headers: {
        'content-type': 'application/json',
        'idempotency-key': `quiet-${made}`,
        'x-caller-id': 'quiet',
        prefer: 'wait=25',
      },
      body: JSON.stringify(input),
    });
    await answer.text();
    if (answer.status !== 201) throw new Error(`answered ${answer.status}`);
    times.push(performance.now() - from);
    await new Promise((resolve) => setTimeout(resolve, 10));
  }
  times.sort((a, b) => a - b);
  const at = (share: number): number => times[Math.floor(times.length * share)] ?? 0;
  return { p50: at(0.5), p95: at(0.95) };
}

const flood: Crowd = async (embedded) => {
  let sent = await submitted(embedded, 'loud', 'Acme', WAITING);
  let isOver = false;
  const waiting = async (): Promise<number> => sent - (await embedded.done());
  const feed = async (): Promise<void> => {
    while (!isOver) {
      while ((await waiting()) < WAITING) sent += await submitted(embedded, 'loud', `Acme-${sent}`, BATCH);
      await new Promise((resolve) => setTimeout(resolve, LOOK_EVERY_MS));
    }
  };
  const feeding = feed();
  return async () => {
    isOver = true;
    await feeding;
    const left = await waiting();
    if (left < WAITING - BATCH) throw new Error(`only ${left} jobs were still waiting`);
  };
};

/** Of the caller itself: what hangs is one dependency, not the one that is asked for. */
const hang: Crowd = async (embedded) => {
  await submitted(embedded, 'quiet', 'hung', HUNG);
  return async () => {};
};

async function submitted({ port }: Embedded, caller: string, company: string, count: number): Promise<number> {
  for (let at = 0; at < count; at += BATCH) {
    const items = Array.from({ length: BATCH }, (_, n) => ({
      idempotency_key: `${company}-${at + n}`,
      input: { company, email: 'crowd@acme.example', plan: 'standard' },
    }));
    const answer = await fetch(`http://127.0.0.1:${port}/workflows/signup/jobs:batch`, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'x-caller-id': caller },
      body: JSON.stringify(items),
    });
    await answer.text();
    if (answer.status !== 200) throw new Error(`answered ${answer.status}`);
  }
  return count;
}
