/** POST /workflows/{type}/jobs: stores the job, starts its first run, waits for its end if the caller does. */
import { invokeDriver } from '../lib/adapters/aws/invoke-driver.ts';
import { container } from './parts/engine.ts';
import { firstRun } from './parts/first-run.ts';
import { answer, type HttpEvent } from './parts/http.ts';
import { lambda } from './parts/lambda.ts';

const { engine, clients } = container('submit');
const invoke = invokeDriver(clients.lambda);

export const handler = lambda(async (event: HttpEvent) => {
  const run = firstRun(engine, invoke);
  try {
    return await answer(event, run.engine, run.door);
  } finally {
    run.end();
  }
});
