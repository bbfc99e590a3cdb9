/** Jobs that come by queue and by event, and what cannot become a job. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { describe, test } from 'node:test';
import { PutEventsCommand } from '@aws-sdk/client-eventbridge';
import { eventually } from '../../acceptance/support/eventually.ts';
import { api, become, events, outputOf, PATIENCE_MS, received, send, settledJob } from '../stack.ts';

const input = () => ({ company: `Acme ${randomUUID()}`, email: 'ada@example.com', plan: 'free' });
interface Letter {
  readonly job_id: string;
  readonly payload: unknown;
  readonly failure_error_code: string;
}

become('operator');

describe('doors', { concurrency: true }, () => {
  test('a submit by SQS is a job, whose outcome reaches a consumer by rule and queue', async () => {
    const correlation_id = randomUUID();
    const submit = { workflow_type: 'signup', input: input(), correlation_id, caller_id: 'shop' };
    await send(outputOf('IntakeQueueUrl'), JSON.stringify(submit));
    const job = await settledJob(correlation_id);
    assert.deepEqual([job.current_state, job.source, job.caller_id], ['COMPLETED', 'sqs', 'shop']);
    const event = await received('outcome event', outputOf('OutcomeQueueUrl'), (body) => {
      const told = JSON.parse(body) as {
        'detail-type': string;
        source: string;
        detail: { job_id: string; output: unknown };
      };
      return told.detail.job_id === job.job_id ? told : undefined;
    });
    assert.deepEqual([event.source, event['detail-type']], ['dacapo', 'signup:completed']);
    assert.deepEqual(event.detail.output, job.output);
  });

  test('a submit by an event on the bus is a job under the id of the event', async () => {
    const correlation_id = randomUUID();
    const Detail = JSON.stringify({ workflow_type: 'signup', input: input(), correlation_id });
    const entry = { EventBusName: outputOf('BusName'), Source: 'shop', DetailType: 'job.submit', Detail };
    const { Entries = [] } = await events.send(new PutEventsCommand({ Entries: [entry] }));
    const job = await settledJob(correlation_id);
    assert.deepEqual([job.current_state, job.source], ['COMPLETED', 'eventbridge']);
    assert.equal(job.idempotency_key, Entries[0]?.EventId);
  });

  const letterWith = (what: string, holds: (letter: Letter) => boolean): Promise<Letter> =>
    eventually(
      what,
      async () => {
        const path = '/dead-letters?reason=poison_message&limit=100';
        const { items } = (await api.read(path)) as { items: { dead_letter_id: string }[] };
        for (const { dead_letter_id } of items) {
          const letter = (await api.read(`/dead-letters/${dead_letter_id}`)) as Letter;
          if (holds(letter)) return letter;
        }
        return undefined;
      },
      PATIENCE_MS,
    );

  test('a message that is no submit is a readable job among the dead letters', async () => {
    const text = `no submit ${randomUUID()}`;
    await send(outputOf('IntakeQueueUrl'), text);
    const letter = await letterWith('poison letter', ({ payload }) => payload === text);
    const job = await api.job(letter.job_id);
    assert.deepEqual([job.current_state, job.outcome, job.input], ['DEAD_LETTERED', 'rolled_back', text]);
  });

  test('a hint in a dead-letter queue goes on its way again, unless its job does not exist', async () => {
    const correlation_id = randomUUID();
    const submit = { workflow_type: 'signup', input: input(), correlation_id };
    await send(outputOf('IntakeQueueUrl'), JSON.stringify(submit));
    const { job_id, state_history } = await settledJob(correlation_id);
    const hint = (jobId: string): string => JSON.stringify({ kind: 'hint', jobId, revision: 0, hops: 0 });
    await send(outputOf('DispatchDeadLettersUrl'), hint(job_id));
    const stranger = `j${'a'.repeat(20)}${randomUUID()
      .replace(/[^a-f2-7]/g, '')
      .padEnd(6, 'b')
      .slice(0, 6)}`;
    await send(outputOf('DispatchDeadLettersUrl'), hint(stranger));
    const letter = await letterWith('letter of a hint', ({ payload }) => JSON.stringify(payload) === hint(stranger));
    assert.equal(letter.failure_error_code, 'ORCH_UNKNOWN_JOB');
    assert.deepEqual((await api.job(job_id)).state_history, state_history);
  });
});
