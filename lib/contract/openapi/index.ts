/** The interface described: every operation there is, and the OpenAPI document made from them. */
import { ACTION_OPERATIONS } from './actions.ts';
import { AUDIT_OPERATIONS, DOCUMENT_OPERATIONS, TOPOLOGY_OPERATIONS } from './audit.ts';
import { BENZENE_OPERATIONS } from './benzene.ts';
import { DEAD_LETTER_OPERATIONS } from './dead-letters.ts';
import { DEPENDENCY_OPERATIONS } from './dependencies.ts';
import { JOB_OPERATIONS } from './jobs.ts';
import type { ApiOperation } from './operation.ts';
import { PAUSE_OPERATIONS } from './pauses.ts';
import { SCHEDULE_OPERATIONS } from './schedules.ts';
import { WAIT_OPERATIONS } from './waits.ts';
import { WORKFLOW_OPERATIONS } from './workflows.ts';

export { openApiDocument } from './document.ts';
export { type ApiOperation, problemsOf } from './operation.ts';

export const API_OPERATIONS: readonly ApiOperation[] = [
  ...JOB_OPERATIONS,
  ...ACTION_OPERATIONS,
  ...WAIT_OPERATIONS,
  ...DEAD_LETTER_OPERATIONS,
  ...SCHEDULE_OPERATIONS,
  ...DEPENDENCY_OPERATIONS,
  ...WORKFLOW_OPERATIONS,
  ...PAUSE_OPERATIONS,
  ...AUDIT_OPERATIONS,
  ...TOPOLOGY_OPERATIONS,
  ...DOCUMENT_OPERATIONS,
  ...BENZENE_OPERATIONS,
];
