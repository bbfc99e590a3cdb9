/** One job in the middle of everything: two effects applied, one unknown, an undo begun, a lease held. */
import type { JobId } from '../../lib/core/ids.ts';
import { JOB_SCHEMA, type Job, newStep } from '../../lib/core/job.ts';

const AT = Date.UTC(2030, 0, 1, 8, 0, 0, 7);
export const JOB_ID = `j${'a'.repeat(26)}` as JobId;

const tenant = {
  ...newStep('tenant'),
  status: 'compensating' as const,
  attempts: 1,
  attemptsBefore: 0,
  startedAt: AT,
  completedAt: AT + 10,
  target: 'local',
  output: { data: { tenant_id: 't1' }, hash: null },
  undo: {
    generation: 1,
    topic: 'tenant:delete',
    attempts: 2,
    attemptsBefore: 0,
    lease: { owner: 'boot:9', until: AT + 20_000 },
    startedAt: AT + 50,
    nextAttemptAt: null,
    compensatedAt: null,
    result: null,
    errorCode: 'EXT_UNAVAILABLE',
  },
};
const billing = {
  ...newStep('billing'),
  status: 'succeeded' as const,
  attempts: 1,
  attemptsBefore: 0,
  round: 2,
  startedAt: AT,
  completedAt: AT + 12,
};
const user = {
  ...newStep('user'),
  status: 'failed' as const,
  attempts: 3,
  attemptsBefore: 0,
  mayHaveApplied: true,
  startedAt: AT + 20,
  completedAt: AT + 40,
  errorCode: 'EXT_TIMEOUT',
  errorMessage: 'no answer in time',
  output: { data: undefined, hash: 'abc' },
};

export const sampleJob: Job = {
  schema: JOB_SCHEMA,
  jobId: JOB_ID,
  correlationId: 'c-1',
  idempotencyKey: 'k-1',
  inputFingerprint: 'f',
  callerId: 'local',
  source: 'api',
  workflowType: 'signup',
  workflowVersion: 1,
  state: 'COMPENSATING',
  outcome: null,
  createdAt: AT,
  updatedAt: AT + 50,
  deadlineAt: AT + 86_400_000,
  nextActionAt: AT + 20_000,
  bucket: AT,
  retryCount: 2,
  maxRetries: 20,
  lastErrorCode: 'EXT_TIMEOUT',
  lastErrorMessage: 'no answer in time',
  stoppedReason: 'ORCH_RETRY_BUDGET_EXHAUSTED',
  trace: { traceparent: '00-1-2-01', tracestate: null },
  lineage: { replayOf: 'jz' },
  input: { data: { company: 'Acme' }, hash: null },
  output: null,
  turnBack: { cause: 'failure', at: AT + 45 },
  steps: [tenant, billing, user],
  errorLog: [
    { at: AT + 30, step: 'user', attempt: 1, errorCode: 'EXT_TIMEOUT', message: 'late', nextAttemptAt: AT + 35 },
    { at: AT + 40, step: 'user', attempt: 3, errorCode: 'EXT_TIMEOUT', message: 'late', nextAttemptAt: null },
  ],
  history: Array.from({ length: 23 }, (_, seq) => ({
    seq: seq + 5,
    from: 'PROCESSING' as const,
    to: 'PROCESSING' as const,
    reason: 'due',
    at: AT + seq,
    actor: 'orchestrator:dispatch',
    errorCode: seq === 22 ? 'EXT_TIMEOUT' : null,
    step: seq === 22 ? 'user' : null,
    evidence: null,
    mark: 'm',
  })),
  publishedSeq: -1,
  revision: 7,
  writeId: 'w',
};
