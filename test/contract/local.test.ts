import { describe, expect, it } from 'vitest';
import type { Json } from '../../lib/contract/json.ts';
import { readAdvance, readFault, shownFault, shownParticipant } from '../../lib/contract/local.ts';
import { UNSEEN } from '../../lib/worker/index.ts';

describe('a fault', () => {
  it('fires once unless told otherwise', () => {
    const fault = { target: 'tenant:create', mode: 'fail', times: 1, delayMs: 0, errorCode: null };
    expect(readFault({ target: 'tenant:create', mode: 'fail' })).toEqual(fault);
    expect(readFault({ target: 'dispatch', mode: 'crash' })).toEqual({
      target: 'dispatch',
      mode: 'crash',
      times: 1,
      atCall: 1,
    });
  });

  it.each<[Json, object]>([
    [
      { target: 'a:b', mode: 'delay', delay_ms: 50, times: 2 },
      { times: 2, delay_ms: 50 },
    ],
    [{ target: 'a:b', mode: 'fail', error_code: 'DQ_X' }, { error_code: 'DQ_X' }],
    [{ target: 'submit', mode: 'crash', at_call: 3 }, { at_call: 3 }],
  ])('is shown as it was given: %j', (given, shown) => {
    expect(shownFault({ ...readFault(given), fired: 1 })).toMatchObject({ ...(given as object), ...shown, fired: 1 });
  });

  it.each<[string, Json]>([
    ['an unknown field', { target: 'a:b', mode: 'fail', time: 2 }],
    ['a field of the other kind', { target: 'a:b', mode: 'fail', at_call: 2 }],
    ['an unknown mode', { target: 'a:b', mode: 'explode' }],
    ['a function that cannot hang', { target: 'dispatch', mode: 'hang' }],
    ['a topic that cannot crash', { target: 'a:b', mode: 'crash' }],
    ['a function that does not exist', { target: 'probe', mode: 'crash' }],
    ['no times at all', { target: 'a:b', mode: 'fail', times: 0 }],
    ['half a time', { target: 'a:b', mode: 'fail', times: 1.5 }],
    ['a delay without a length', { target: 'a:b', mode: 'delay' }],
    ['a code in small letters', { target: 'a:b', mode: 'fail', error_code: 'oops' }],
    ['no object', ['a:b']],
    ['nothing', null],
  ])('is refused for %s', (_why, given) => {
    expect(() => readFault(given)).toThrow(expect.objectContaining({ code: 'ORCH_MALFORMED_REQUEST' }));
  });

  it('tells what to write instead', () => {
    expect(() => readFault({ target: 'a:b', mode: 'explode' })).toThrow('fail_after_effect');
    expect(() => readFault({ target: 'a:b', mode: 'crash' })).toThrow('watchdog');
  });
});

describe('the clock', () => {
  it('moves forward by whole milliseconds only', () => {
    expect(readAdvance({ advance_ms: 60_000 })).toBe(60_000);
    for (const given of [{ advance_ms: -1 }, { advance_ms: 0.5 }, {}, { advance_ms: 1, to: 2 }]) {
      expect(() => readAdvance(given)).toThrow(expect.objectContaining({ code: 'ORCH_MALFORMED_REQUEST' }));
    }
  });
});

it('a participant is shown by what it holds and how it was called', () => {
  const operations = [
    { operationId: 'op1', operation: { ...UNSEEN, record: { tenant_id: 't1', company: 'Ada' } } },
    { operationId: 'op2', operation: UNSEEN },
  ];
  const calls = [{ topic: 'tenant:create', operationId: 'op1', attempt: 1, at: 0, result: 'ok' }];
  expect(shownParticipant({ operations, calls })).toEqual({
    records: [{ tenant_id: 't1', company: 'Ada', operation_id: 'op1' }],
    calls: [{ topic: 'tenant:create', operation_id: 'op1', attempt: 1, at: '1970-01-01T00:00:00.000Z', result: 'ok' }],
  });
});
