/**
 * A driver as a function: one message of its queue at a time, or one hint from a submit that waits, or many reports of
 * children, which are folded in together for each parent. What it cannot settle goes back to the queue: a definition that
 * this deployment does not have, a message without a job.
 */
import type { Context, SQSEvent } from 'aws-lambda';
import { type ReadMessage, readMessage, readMessageDocument } from '../../lib/contract/messages.ts';
import type { ChildReport, DriverKind } from '../../lib/core/events.ts';
import { drive } from '../../lib/operations/drive.ts';
import type { Engine } from '../../lib/operations/engine.ts';
import { eachMessage } from './batch.ts';
import { lambda } from './lambda.ts';
import { count } from './metrics.ts';

export function driver(engine: Engine, kind: DriverKind) {
  const { clock, log } = engine.ports;

  const run = async (message: ReadMessage | null, context: Context): Promise<void> => {
    if (message === null) throw new Error('this is no hint, no result and no report');
    const { end } = await drive(engine, {
      jobId: message.jobId,
      kind,
      remainingMs: () => context.getRemainingTimeInMillis(),
      hops: message.kind === 'hint' ? message.hops : 0,
      results: message.kind === 'result' ? [message.result] : [],
      reports: message.kind === 'reports' ? message.reports : [],
    });
    if (end === 'unknown_version') count('UnknownVersion');
    if (end === 'missing' || end === 'unknown_version' || end === 'newer_schema')
      throw new Error(`job ${message.jobId}: ${end}`);
  };

  return lambda(async (event: SQSEvent | object, context) => {
    if (!('Records' in event)) return run(readMessageDocument(event, clock.now()), context);
    const parents = new Map<string, Promise<void>>();
    const together = gathered(event.Records.map(({ body }) => readMessage(body, clock.now())));
    return eachMessage(event, context, log, ({ body }) => {
      const message = readMessage(body, clock.now());
      if (message?.kind !== 'reports') return run(message, context);
      const { jobId } = message;
      const reports = together.get(jobId) ?? [];
      const told = parents.get(jobId) ?? run({ ...message, reports }, context);
      parents.set(jobId, told);
      return told;
    });
  });
}

/** All reports of a batch, by parent. */
function gathered(messages: readonly (ReadMessage | null)[]): ReadonlyMap<string, readonly ChildReport[]> {
  const reports = new Map<string, ChildReport[]>();
  for (const message of messages) {
    if (message?.kind !== 'reports') continue;
    reports.set(message.jobId, [...(reports.get(message.jobId) ?? []), ...message.reports]);
  }
  return reports;
}
