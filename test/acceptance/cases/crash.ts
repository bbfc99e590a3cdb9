/**
 * A function dies at its n-th outside call, for every n that it has. The crashed jobs are left as they are until the last
 * call has had its crash; then the clock moves past their leases and all of them must end properly.
 */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import { eventually } from '../support/eventually.ts';
import { signup, unique, withBadEmail, withBadPlan } from '../support/inputs.ts';
import { type LocalScenario, localScenario } from '../support/scenario.ts';
import { isSettled, type JobState } from '../support/wire.ts';

/** More outside calls than any function makes for one signup. */
const CALLS_MAX = 40;

/** One job whose function crashes at that call. Its id, or null where the function ended before it came to that call. */
async function crashAt(s: LocalScenario, target: string, at_call: number, input: unknown): Promise<string | null> {
  await s.local.clearFaults();
  await s.local.fault({ target, mode: 'crash', at_call });
  const key = unique('crash');
  const hangUp = new AbortController();
  const answered = s.submit('signup', input, { key, signal: hangUp.signal }).catch(() => undefined);
  let answeredJob: string | undefined;
  void answered.then((answer) => {
    if (answer) answeredJob = (answer.body as { job_id: string }).job_id;
  });

  const crashed = await eventually(`${target} crashes at call ${at_call}, or its job settles`, async () => {
    if ((await s.local.faults()).some(({ fired }) => fired > 0)) return true;
    return answeredJob && isSettled(await s.api.job(answeredJob)) ? false : undefined;
  });
  hangUp.abort();
  if (!crashed) return null;
  // A caller without an answer asks again under its key: it must find the job, or start it now.
  return (await s.start('signup', input, { key })).job_id;
}

interface CrashCase {
  target: 'submit' | 'dispatch' | 'compensate';
  of: string;
  input: () => unknown;
  end: JobState;
  /** crash points that the function has at the least */
  points: number;
}

const CASES: CrashCase[] = [
  { target: 'submit', of: 'a good signup', input: signup, end: 'COMPLETED', points: 1 },
  { target: 'dispatch', of: 'a good signup', input: signup, end: 'COMPLETED', points: 5 },
  { target: 'dispatch', of: 'a signup that billing refuses', input: withBadPlan, end: 'FAILED', points: 3 },
  { target: 'compensate', of: 'a signup that the user step refuses', input: withBadEmail, end: 'FAILED', points: 3 },
];

describe('crash', () => {
  for (const { target, of, input, end, points } of CASES) {
    localScenario(
      `${target} of ${of} dies at any of its calls: the job ends as it should, nothing half-applied`,
      async (s) => {
        const jobIds: string[] = [];
        for (let call = 1; call <= CALLS_MAX; call++) {
          const jobId = await crashAt(s, target, call, input());
          if (jobId === null) break;
          jobIds.push(jobId);
        }
        assert.ok(jobIds.length >= points, `${target} crashed at ${jobIds.length} call(s) only`);
        assert.ok(jobIds.length < CALLS_MAX, `${target} has no end of calls`);
        await s.local.clearFaults();
        for (const job of await s.local.settleAll(jobIds)) assert.equal(job.current_state, end, job.job_id);
      },
    );
  }

  localScenario('the watchdog dies at its first call: the next one does its work', async (s) => {
    await s.local.fault({ target: 'watchdog', mode: 'crash', at_call: 1 });
    await s.local.fault({ target: 'dispatch', mode: 'crash', at_call: 1 });
    const { job_id } = await s.start('signup', signup());
    const [job] = await s.local.settleAll([job_id]);
    assert.equal(job?.current_state, 'COMPLETED');
  });
});
