/** What embedded mode adds for tests: faults, the clock, the participants' ledgers, the events that were published. */
import assert from 'node:assert/strict';
import type { Api } from './api.ts';
import { eventually, PATIENCE_MS } from './eventually.ts';
import { type BusEvent, type Call, isSettled, type Job, type Ledger } from './wire.ts';

/** A call to an example participant takes milliseconds: a job that is still for so long waits for the clock. */
const AT_REST_MS = 250;
/** Just over a step's timeout of 10 s: a hung call is given up by its driver before its lease ends. */
const JUMP_MS = 10_500;
/** Longer than the window in which failures count against a dependency (60 s). */
const FORGET_FAILURES_MS = 120_000;

export interface Fault {
  target: string;
  mode: 'fail' | 'fail_after_effect' | 'drop_response' | 'hang' | 'delay' | 'duplicate' | 'crash';
  times?: number;
  delay_ms?: number;
  error_code?: string;
  at_call?: number;
}

/** What was seen, to tell whether anything still moves, and the result once there is one. */
export interface Sight<T> {
  seen: string;
  result: T | undefined;
}

export class Local {
  readonly api: Api;

  constructor(api: Api) {
    this.api = api;
  }

  async fault(fault: Fault): Promise<void> {
    await this.post('/local/faults', fault);
  }

  async faults(): Promise<(Fault & { fired: number })[]> {
    return ((await this.api.read('/local/faults')) as { items: (Fault & { fired: number })[] }).items;
  }

  async clearFaults(): Promise<void> {
    const answer = await this.api.call('DELETE', '/local/faults');
    assert.ok(answer.status < 300, `DELETE /local/faults: ${answer.status}`);
  }

  async advance(ms: number): Promise<void> {
    await this.post('/local/clock', { advance_ms: ms });
  }

  async restart(): Promise<void> {
    await this.post('/local/restart', {});
  }

  /** What one case did to the runtime must not reach the next: no faults, no breaker open, no failures counted. */
  async calmDown(): Promise<void> {
    await this.clearFaults();
    await this.advance(FORGET_FAILURES_MS);
    const answer = await this.api.call('GET', '/dependencies');
    if (answer.status === 404) return; // no breakers, nothing to close
    const { items } = answer.body as { items: { dependency_id: string; breaker: string }[] };
    for (const { dependency_id, breaker } of items) {
      if (breaker === 'CLOSED') continue;
      const path = `/dependencies/${encodeURIComponent(dependency_id)}/breaker`;
      await this.post(path, { state: 'CLOSED', reason: 'acceptance: the next case starts calm' });
    }
  }

  async participant(service: string): Promise<Ledger> {
    return (await this.api.read(`/local/participants/${service}`)) as Ledger;
  }

  /** The calls that a job made to a participant, oldest first. */
  async calls(service: string, jobId: string, topic?: string): Promise<Call[]> {
    const { calls } = await this.participant(service);
    return calls.filter((call) => call.operation_id.startsWith(`${jobId}.`) && (!topic || call.topic === topic));
  }

  async events(jobId: string): Promise<BusEvent[]> {
    const { items } = (await this.api.read('/local/events')) as { items: BusEvent[] };
    return items.filter((event) => event.detail.job_id === jobId);
  }

  async event(jobId: string, detailType: string): Promise<BusEvent> {
    return eventually(`event ${detailType} of ${jobId}`, async () =>
      (await this.events(jobId)).find((event) => event.detail_type === detailType),
    );
  }

  /** Looks until there is a result, and moves the clock whenever nothing else moves. */
  async fastForward<T>(what: string, look: () => Promise<Sight<T>>, patienceMs = 2 * PATIENCE_MS): Promise<T> {
    let last = '';
    let still = Date.now();
    return eventually(
      what,
      async () => {
        const sight = await look().catch((error: unknown) => ({ seen: String(error), result: undefined, error }));
        if (sight.result !== undefined) return sight.result;
        if (sight.seen !== last) {
          last = sight.seen;
          still = Date.now();
        } else if (Date.now() - still > AT_REST_MS) {
          await this.advance(JUMP_MS);
          still = Date.now();
        }
        if ('error' in sight) throw sight.error;
        return undefined;
      },
      patienceMs,
    );
  }

  /** The jobs once all have settled, on a clock that jumps. */
  async settleAll(jobIds: readonly string[]): Promise<Job[]> {
    return this.fastForward(`${jobIds.length} job(s) settle: ${jobIds.join(', ')}`, async () => {
      const jobs = await Promise.all(jobIds.map((jobId) => this.api.job(jobId)));
      return { seen: jobs.map((job) => job.revision).join(), result: jobs.every(isSettled) ? jobs : undefined };
    });
  }

  async settle(jobId: string): Promise<Job> {
    const [job] = await this.settleAll([jobId]);
    assert.ok(job);
    return job;
  }

  private async post(path: string, body: unknown): Promise<void> {
    const answer = await this.api.call('POST', path, { body });
    assert.ok(answer.status < 300, `POST ${path}: ${answer.status} ${JSON.stringify(answer.body)}`);
  }
}
