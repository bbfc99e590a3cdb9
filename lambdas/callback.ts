/**
 * The doors that a token opens, and nothing else: it is reached without an authorizer, so it has a function of its own,
 * which may check tokens and not make any.
 */
import { createTokenApp } from '../lib/http/app.ts';
import { container } from './parts/engine.ts';
import { answerWith, type HttpEvent } from './parts/http.ts';
import { lambda } from './parts/lambda.ts';

const { engine } = container('callback');

export const handler = lambda((event: HttpEvent) => answerWith(event, () => createTokenApp({ engine })));
