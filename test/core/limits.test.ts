/** Numbers that stand in relation to each other, or to what the platforms allow. */
import { describe, expect, it } from 'vitest';
import { UNDO_POLICY } from '../../lib/core/errors.ts';
import { LIMITS } from '../../lib/core/limits.ts';
import { backoffMs } from '../../lib/core/retry.ts';
import { DAY, given, rulesOf, stateOf, step, T0, turn, undoBy, workflow } from './support.ts';

const KIB = 1_024;
/** What the platforms take at most. */
const PLATFORM = {
  lambdaTimeoutMs: 900_000,
  apiGatewayTimeoutMs: 29_000,
  lambdaPayloadBytes: 6 * KIB * KIB,
  dynamoItemBytes: 400 * KIB,
  sqsMessageBytes: 1_024 * KIB,
  sqsDelayMs: 900_000,
  sqsRetentionMs: 14 * DAY,
  eventBridgeEntryBytes: 256 * KIB,
};

describe('the limits of time', () => {
  it('leave a dispatch run time for the longest call with all its margins', () => {
    expect(LIMITS.stepTimeoutMsMax + LIMITS.callMarginMs + LIMITS.leaseMarginMs).toBeLessThan(LIMITS.dispatchTimeoutMs);
    expect(LIMITS.dispatchTimeoutMs).toBeLessThanOrEqual(PLATFORM.lambdaTimeoutMs);
  });

  it('hold the default of a thing within its maximum', () => {
    expect(LIMITS.stepTimeoutMsDefault).toBeLessThanOrEqual(LIMITS.stepTimeoutMsMax);
    expect(LIMITS.jobDeadlineMsDefault).toBeLessThanOrEqual(LIMITS.jobDeadlineMsMax);
    expect(LIMITS.undoDeadlineMsDefault).toBeLessThanOrEqual(LIMITS.jobDeadlineMsMax);
  });

  it('let a lease outlive the call it is for, and its call start early enough', () => {
    const timeoutMs = 7_000;
    const moment = given(workflow([[step('a', { timeoutMs })]])).when(turn());
    const lease = stateOf(moment, 'a').lease;
    const call = moment.calls[0];
    expect(lease?.until).toBe(T0 + timeoutMs + LIMITS.leaseMarginMs);
    expect((call?.lastStartAt ?? 0) + timeoutMs).toBeLessThanOrEqual(lease?.until ?? 0);
    expect(call?.lastStartAt).toBeGreaterThan(T0);
  });

  it('gather the answers of a stage in less time than the margin of a lease', () => {
    expect(LIMITS.foldWindowMs).toBeLessThan(LIMITS.leaseMarginMs);
    expect(LIMITS.foldWindowMs).toBeLessThan(LIMITS.callMarginMs);
  });

  it('park only where waiting in the driver would cost more than a hint takes', () => {
    expect(LIMITS.parkThresholdMs).toBeLessThan(LIMITS.hintGraceMsEmbedded);
    expect(LIMITS.hintGraceMsEmbedded).toBeLessThan(LIMITS.hintGraceMs);
    expect(LIMITS.hintGraceMs).toBeLessThanOrEqual(LIMITS.bucketMs);
  });

  it('tell an outage from what a lost message costs', () => {
    expect(LIMITS.outageMsMin).toBeGreaterThan(2 * LIMITS.hintGraceMs);
    expect(LIMITS.outageMsMin).toBeLessThan(LIMITS.undoDeadlineMsDefault / 10);
  });

  it('answer a waiting caller before the door gives up', () => {
    expect(LIMITS.preferWaitSecondsMax * 1_000 + LIMITS.callMarginMs).toBeLessThan(PLATFORM.apiGatewayTimeoutMs);
  });

  it('let an undo use all its attempts before its deadline', () => {
    const waits = Array.from({ length: UNDO_POLICY.maxAttempts - 1 }, (_, index) => backoffMs(UNDO_POLICY, index));
    const calls = UNDO_POLICY.maxAttempts * (LIMITS.stepTimeoutMsMax + LIMITS.leaseMarginMs);
    expect(waits.reduce((sum, ms) => sum + ms, calls)).toBeLessThan(LIMITS.undoDeadlineMsDefault);
  });

  it('keep a job longer than any message about it can wait and be sent again', () => {
    expect(LIMITS.deadLetterQueueRetentionMs).toBeLessThanOrEqual(PLATFORM.sqsRetentionMs);
    expect(LIMITS.jobRetentionMs).toBeGreaterThan(2 * LIMITS.deadLetterQueueRetentionMs);
    expect(LIMITS.messageMaxReceives).toBeGreaterThanOrEqual(5);
    expect(LIMITS.queueDelayMsMax).toBeLessThanOrEqual(PLATFORM.sqsDelayMs);
  });
});

describe('the limits of size', () => {
  it('fit what the platforms take, with room for what goes around it', () => {
    expect(LIMITS.controlItemBytesMax).toBeLessThan(PLATFORM.dynamoItemBytes);
    expect(LIMITS.valueItemBytesMax).toBeLessThan(PLATFORM.dynamoItemBytes);
    expect(LIMITS.queueMessageBytesMax).toBeLessThan(PLATFORM.sqsMessageBytes);
    expect(LIMITS.eventDetailBytesMax).toBeLessThan(PLATFORM.eventBridgeEntryBytes);
  });

  it('let an answer be as large as an input, and a call carry either', () => {
    expect(LIMITS.outputBytesMax).toBe(LIMITS.inputBytesMax);
    expect(LIMITS.inputBytesMax).toBeLessThan(LIMITS.callBytesMax);
    expect(LIMITS.callBytesMax).toBeLessThan(PLATFORM.lambdaPayloadBytes);
  });

  it('keep the values inside a job small beside the job', () => {
    expect(LIMITS.valueInlineBytesMax).toBeLessThanOrEqual(LIMITS.valuesInlineBytesMax);
    expect(LIMITS.valuesInlineBytesMax).toBeLessThan(LIMITS.controlItemBytesMax / 100);
  });

  it('publish before a chunk of history is full', () => {
    expect(LIMITS.publishBatch).toBeLessThan(LIMITS.historyChunk);
  });

  it('keep the default within what a list gives', () => {
    expect(LIMITS.listLimitDefault).toBeLessThanOrEqual(LIMITS.listLimitMax);
  });
});

describe('a driver', () => {
  const plan = workflow([[step('a', { timeoutMs: 10_000, undo: undoBy('a:undo', { timeoutMs: 10_000 }) })]]);
  const needed = 10_000 + LIMITS.callMarginMs;

  it('starts a call only if its timeout and a margin fit into what it has left', () => {
    expect(given(plan).when(turn({ remainingMs: needed })).calls).toEqual([]);
    expect(given(plan).when(turn({ remainingMs: needed + 1 })).calls).toHaveLength(1);
  });

  it('takes no time left for none, not for unknown', () => {
    expect(given(plan).when(turn({ remainingMs: 0 })).calls).toEqual([]);
  });

  it('of the other kind calls nothing', () => {
    expect(given(plan).when(turn({ kind: 'recovery' })).calls).toEqual([]);
  });

  it('counts a lease as gone once its process is, and not before', () => {
    const moment = given(plan).when(turn({ owner: 'p1:x' }));
    const alive = { ...moment, rules: rulesOf({ livingOwners: 'p1:' }) };
    const restarted = { ...moment, rules: rulesOf({ livingOwners: 'p2:' }) };
    expect(given(alive).when(turn({ owner: 'p1:y' })).decision).toEqual({ status: 'ignored', reason: 'leased' });
    expect(stateOf(given(restarted).when(turn({ owner: 'p2:x', remainingMs: 0 })), 'a').status).toBe('unknown');
  });
});
