import { describe, expect, it } from 'vitest';
import { readDoor } from '../../lib/contract/doors.ts';

const submit = { workflow_type: 'signup', input: { company: 'Acme' } };
const event = {
  version: '0',
  id: 'e-1',
  'detail-type': 'job.submit',
  source: 'shop',
  account: '111122223333',
  time: '2026-12-01T00:00:00Z',
  region: 'eu-west-1',
  resources: [],
  detail: submit,
};

describe('a message of a queue', () => {
  it('is a submit under the message id where it names no key', () => {
    expect(readDoor(JSON.stringify(submit), 'm-1')).toEqual({
      source: 'sqs',
      doorId: 'm-1',
      callerId: 'door:sqs',
      correlationId: null,
      trace: null,
      raw: submit,
      readable: true,
      workflowType: 'signup',
      version: null,
      input: { company: 'Acme' },
      idempotencyKey: null,
    });
  });

  it('says for whom, under which key, and in which trace', () => {
    const traceparent = `00-${'a'.repeat(32)}-${'b'.repeat(16)}-01`;
    const named = {
      ...submit,
      workflow_version: 2,
      idempotency_key: 'k-1',
      correlation_id: 'c-1',
      caller_id: 'shop',
      trace_context: { traceparent, tracestate: 'a=1' },
    };
    expect(readDoor(JSON.stringify(named), 'm-1')).toMatchObject({
      readable: true,
      version: 2,
      idempotencyKey: 'k-1',
      correlationId: 'c-1',
      callerId: 'shop',
      trace: { traceparent, tracestate: 'a=1' },
    });
  });

  it.each([
    ['', 'is empty'],
    ['{"workflow_type":', 'not valid JSON'],
    ['[]', '/'],
    ['"signup"', '/'],
    ['{"workflow_type":"signup"}', '/input'],
    ['{"workflow_type":7,"input":{}}', '/workflow_type'],
    ['{"workflow_type":"signup","input":{},"priority":1}', 'priority'],
    ['{"workflow_type":"signup","input":{},"idempotency_key":""}', '/idempotency_key'],
    ['{"workflow_type":"signup","input":{"__proto__":1}}', '__proto__'],
    ['{"workflow_type":"signup","input":12345678901234567890}', 'rounded'],
  ])('%j is no submit and says why', (text, why) => {
    const read = readDoor(text, 'm-1');
    expect(read).toMatchObject({ readable: false, code: 'ORCH_MALFORMED_REQUEST', doorId: 'm-1', source: 'sqs' });
    expect(read.readable ? '' : read.detail).toContain(why);
  });

  it('that is no submit keeps what it says about itself, and the text where it is no JSON', () => {
    const read = readDoor(JSON.stringify({ ...submit, input: undefined, caller_id: 'shop', correlation_id: 'c' }), 'm');
    expect(read).toMatchObject({ readable: false, workflowType: 'signup', callerId: 'shop', correlationId: 'c' });
    expect(readDoor('not json', 'm').raw).toBe('not json');
  });
});

describe('an event that a rule put into the queue', () => {
  it('is its detail, under the id of the event', () => {
    expect(readDoor(JSON.stringify(event), 'm-1')).toMatchObject({
      readable: true,
      source: 'eventbridge',
      doorId: 'e-1',
      callerId: 'door:eventbridge',
      input: { company: 'Acme' },
      raw: event,
    });
  });

  it('with a detail that is no submit is kept whole', () => {
    const read = readDoor(JSON.stringify({ ...event, detail: { hello: 1 } }), 'm-1');
    expect(read).toMatchObject({ readable: false, source: 'eventbridge', doorId: 'e-1', raw: { id: 'e-1' } });
  });
});
