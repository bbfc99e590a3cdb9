/**
 * The router behind an HTTP API. It is made anew for each request, with the caller that the authorizer verified in it: so
 * nothing of one request can reach the next, and no header can say who calls.
 */
import type { APIGatewayProxyEventV2, APIGatewayProxyStructuredResultV2, Context } from 'aws-lambda';
import { handle, type LambdaEvent } from 'hono/aws-lambda';
import { readDoorEnvironment } from '../../lib/contract/door-environment.ts';
import { createApp } from '../../lib/http/app.ts';
import type { Door } from '../../lib/http/parts.ts';
import type { Engine } from '../../lib/operations/engine.ts';
import { type Authorizer, viewerOf } from './caller.ts';

type Request = APIGatewayProxyEventV2 & { readonly requestContext: { readonly authorizer?: Authorizer } };

const doors = readDoorEnvironment();

export async function answer(
  event: Request,
  context: Context,
  engine: Engine,
  door: Door,
): Promise<APIGatewayProxyStructuredResultV2> {
  const caller = () => viewerOf(event.requestContext.authorizer, doors);
  const app = createApp({ engine, caller, door });
  const result = await handle(app)(event as unknown as LambdaEvent, context);
  return result as APIGatewayProxyStructuredResultV2;
}
