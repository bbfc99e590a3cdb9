/**
 * A case: it gets a client that remembers each job made through it. When its body is done, every such job must settle and
 * keep what holds of every job (checks.ts): so each case tests the promises, beside what its name says.
 */
import assert from 'node:assert/strict';
import { after, test } from 'node:test';
import { type Answer, type Api, jobIn, type Submission } from './api.ts';
import { assertAddsUp, assertEffectsMatch, assertHistoryValid, assertOutcomePublished, ledgersFor } from './checks.ts';
import { eventually } from './eventually.ts';
import { unique } from './inputs.ts';
import type { Local } from './local.ts';
import { openDeployment } from './runtime.ts';
import { isSettled, type Job } from './wire.ts';

/** How many cases that disturb nobody run at once: a slow deployment is told apart from a wrong one by asking less of it. */
export const SIDE_BY_SIDE = { concurrency: Number(process.env.DACAPO_ACCEPTANCE_AT_ONCE || 6) };
const CASE_MS_MAX = 60_000;

const deployment = await openDeployment();
after(() => deployment.close());

export class Scenario {
  readonly api: Api;
  readonly #jobs = new Set<string>();

  constructor(api: Api) {
    this.api = api;
  }

  /** Any submit, under a fresh key unless the case brings one. */
  async submit(type: string, input: unknown, submission: Submission = {}): Promise<Answer> {
    const answer = await this.api.submit(type, input, { key: unique('key'), ...submission });
    this.remember(answer);
    return answer;
  }

  /** A submit that must be taken. */
  async start(type: string, input: unknown, submission: Submission = {}): Promise<Job> {
    return jobIn(await this.submit(type, input, submission));
  }

  remember({ body }: Answer): void {
    if (body instanceof Object && 'job_id' in body && typeof body.job_id === 'string') this.#jobs.add(body.job_id);
  }

  settled(jobId: string): Promise<Job> {
    return this.until(jobId, 'settles', isSettled);
  }

  until(jobId: string, what: string, holds: (job: Job) => boolean): Promise<Job> {
    return eventually(`job ${jobId} ${what}`, async () => {
      const job = await this.api.job(jobId);
      return holds(job) ? job : undefined;
    });
  }

  protected settleAll(jobIds: string[]): Promise<Job[]> {
    return Promise.all(jobIds.map((jobId) => this.settled(jobId)));
  }

  async finish(): Promise<void> {
    const jobs = await this.settleAll([...this.#jobs]);
    const { local } = deployment;
    const ledgers = local && (await ledgersFor(local, jobs));
    for (const job of jobs) {
      const history = await assertHistoryValid(this.api, job.job_id);
      assertAddsUp(job);
      if (!local || !ledgers) continue;
      assertEffectsMatch(job, ledgers);
      await this.eventuallyPublished(async () => assertOutcomePublished(job, history, await local.events(job.job_id)));
    }
  }

  protected async eventuallyPublished(assertion: () => Promise<void>): Promise<void> {
    await eventually('outcome event', async () => {
      await assertion();
      return true;
    });
  }
}

/** A case that also looks inside and disturbs: embedded mode only, alone on its runtime. */
export class LocalScenario extends Scenario {
  readonly local: Local;

  constructor(api: Api, local: Local) {
    super(api);
    this.local = local;
  }

  protected override settleAll(jobIds: string[]): Promise<Job[]> {
    return this.local.settleAll(jobIds);
  }

  /** Publishing may be what a crash interrupted: then the watchdog does it, when the clock says so. */
  protected override async eventuallyPublished(assertion: () => Promise<void>): Promise<void> {
    await this.local.fastForward('outcome event', async () => {
      await assertion();
      return { seen: '', result: true };
    });
  }
}

/** A case for any deployment. */
export function scenario(name: string, body: (s: Scenario) => Promise<void>): void {
  test(name, { timeout: CASE_MS_MAX }, async () => {
    const s = new Scenario(deployment.api);
    await body(s);
    await s.finish();
  });
}

/** A case that needs `/local/*`; elsewhere it is skipped and says so. */
export function localScenario(name: string, body: (s: LocalScenario) => Promise<void>): void {
  const skip = deployment.local ? false : 'needs /local/*: this deployment is not in embedded mode';
  test(name, { timeout: CASE_MS_MAX, skip }, async () => {
    assert.ok(deployment.local);
    const s = new LocalScenario(deployment.api, deployment.local);
    await s.local.calmDown();
    try {
      await body(s);
      await s.finish();
    } finally {
      await s.local.clearFaults();
    }
  });
}
