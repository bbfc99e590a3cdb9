/**
 * The HTTP API as one router, from the web's own Request to its Response: embedded mode and the Lambdas host the same.
 * Whatever goes wrong inside becomes a problem that tells the caller nothing about the inside.
 */
import { Hono } from 'hono';
import { Refusal } from '../contract/problem.ts';
import { NewerSchemaError } from '../core/newer-schema.ts';
import { StoreError } from '../core/store-error.ts';
import { ContentionError } from '../operations/apply.ts';
import { actionRoutes } from './action-routes.ts';
import { auditRoutes } from './audit-routes.ts';
import { benzeneRoutes } from './benzene-routes.ts';
import { deadLetterRoutes } from './dead-letter-routes.ts';
import { dependencyRoutes } from './dependency-routes.ts';
import { documentRoutes } from './document-routes.ts';
import { failureFields } from './failure-fields.ts';
import { jobRoutes } from './job-routes.ts';
import type { AppParts } from './parts.ts';
import { pauseRoutes } from './pause-routes.ts';
import { refusal } from './respond.ts';
import { scheduleRoutes } from './schedule-routes.ts';
import { signalRoutes } from './signal-routes.ts';
import { submitRoutes } from './submit-routes.ts';
import { tokenRoutes } from './token-routes.ts';
import { topologyRoutes } from './topology-routes.ts';
import { workflowRoutes } from './workflow-routes.ts';

export function createApp(parts: AppParts): Hono {
  const app = new Hono();
  submitRoutes(app, parts);
  jobRoutes(app, parts);
  actionRoutes(app, parts);
  signalRoutes(app, parts);
  tokenRoutes(app, parts);
  deadLetterRoutes(app, parts);
  pauseRoutes(app, parts);
  auditRoutes(app, parts);
  scheduleRoutes(app, parts);
  dependencyRoutes(app, parts);
  workflowRoutes(app, parts);
  documentRoutes(app, parts);
  benzeneRoutes(app, parts);
  topologyRoutes(app, parts);
  answerTheRest(app, (error) => logUnexpected(parts, error));
  return app;
}

/** Only what a token opens, for a host that asks nobody who they are. */
export function createTokenApp(parts: Pick<AppParts, 'engine'>): Hono {
  const app = new Hono();
  tokenRoutes(app, parts);
  answerTheRest(app, (error) => logUnexpected(parts, error));
  return app;
}

/** Unknown addresses and thrown errors, in the words of the API. */
export function answerTheRest(app: Hono, unexpected: (error: unknown) => void): void {
  app.notFound((context) =>
    refusal('ORCH_NOT_FOUND', `there is nothing at ${context.req.method} ${context.req.path}: check the address`),
  );
  app.onError((error) => {
    if (error instanceof Refusal) return refusal(error.code, error.message, error.extras);
    unexpected(error);
    const { code, why, headers } = isTransient(error) ? transient(error) : UNFORESEEN;
    return refusal(
      code,
      `${why}; repeat the request with the same idempotency key, nothing happens twice`,
      {},
      headers,
    );
  });
}

/**
 * The store failed, others kept winning the race for this job, or newer code than this one keeps it: the same request
 * succeeds a moment later, or at another instance.
 */
function isTransient(error: unknown): boolean {
  return error instanceof StoreError || error instanceof ContentionError || error instanceof NewerSchemaError;
}

function transient(error: unknown) {
  return {
    // A store that was throttled says so itself.
    code: error instanceof StoreError ? error.code : 'ORCH_RETRYABLE_STORE',
    why: 'the store could not take the request just now',
    headers: { 'retry-after': '1' },
  };
}
const UNFORESEEN = { code: 'ORCH_INTERNAL_ERROR', why: 'the request could not be answered', headers: {} };

function logUnexpected({ engine }: Pick<AppParts, 'engine'>, error: unknown): void {
  engine.ports.log.write('error', 'request_failed', { ...failureFields(error) });
}
