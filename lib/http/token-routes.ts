/**
 * The doors that a token opens: callbacks of participants, approvals of people. Nobody has to be known here, the token
 * says it all; so it is checked before anything is read, never logged, and never sent on as a referrer.
 */
import type { Hono } from 'hono';
import { parseDocument } from '../contract/documents.ts';
import { refuseParameters } from '../contract/requests.ts';
import { readCallback, readDecision, readDecisionForm } from '../contract/wait-requests.ts';
import { isoTime } from '../contract/wire-time.ts';
import type { Answer } from '../core/answers.ts';
import { isUndecided } from '../core/approvals.ts';
import type { Json } from '../core/json.ts';
import { LIMITS } from '../core/limits.ts';
import { callBack, type OpenToken, openToken, type TokenRefusal } from '../operations/callback.ts';
import type { Engine } from '../operations/engine.ts';
import { approvalPage, decidedPage } from './approval-page.ts';
import type { AppParts } from './parts.ts';
import { readDocument, readText } from './read-body.ts';
import { html, json, refusal } from './respond.ts';
import { type Asked, resource } from './routing.ts';

type Parts = Pick<AppParts, 'engine'>;

/** A decision, a name and a comment. */
const DECISION_BYTES_MAX = 16 * 1_024;
/** An address with a token in it is a secret: it does not travel to where a page leads. */
const SECRET = { 'referrer-policy': 'no-referrer' } as const;

export function tokenRoutes(app: Hono, parts: Parts): void {
  resource(app, '/callbacks/:token', { POST: (asked) => answered(parts, asked, isCallback, readAnswer) });
  resource(app, '/callbacks/:token/heartbeat', {
    POST: (asked) => answered(parts, asked, isCallback, async () => null),
  });
  resource(app, '/approvals/:token', {
    GET: (asked) => showApproval(parts, asked),
    POST: (asked) => decide(parts, asked),
  });
}

const isCallback = (): boolean => true;
const isApproval = ({ plan }: OpenToken): boolean => plan.work.type === 'approval';

async function answered(
  { engine }: Parts,
  asked: Asked,
  fits: (open: OpenToken) => boolean,
  read: (request: Request) => Promise<Answer | null>,
): Promise<Response> {
  const open = await opened(engine, asked, fits);
  if (open.kind === 'refused') return told(open);
  const result = await callBack(engine, open, await read(asked.request));
  return result.kind === 'refused' ? told(result) : json(202, { accepted: true }, SECRET);
}

async function opened(
  engine: Engine,
  asked: Asked,
  fits: (open: OpenToken) => boolean,
): Promise<OpenToken | TokenRefusal> {
  const open = await openToken(engine, asked.part('token'));
  if (open.kind === 'open' && !fits(open)) {
    const detail = "this token is a participant's: answer at /callbacks/{token}";
    return { kind: 'refused', code: 'ORCH_TOKEN_INVALID', detail };
  }
  if (open.kind === 'open') refuseParameters(asked.parameters);
  return open;
}

function told({ code, detail, errors }: TokenRefusal): Response {
  return refusal(code, detail, errors === undefined ? {} : { errors }, SECRET);
}

async function readAnswer(request: Request): Promise<Answer> {
  return readCallback(await readDocument(request, LIMITS.inputBytesMax));
}

const NOT_ASKED: TokenRefusal = {
  kind: 'refused',
  code: 'ORCH_TOKEN_STALE',
  detail: 'nobody is asked any more: the job went another way',
};

/** Says what is asked, and how to answer. Looking decides nothing: programs follow links too. */
async function showApproval({ engine }: Parts, asked: Asked): Promise<Response> {
  const open = await opened(engine, asked, isApproval);
  if (open.kind === 'refused') return told(open);
  const { job, token } = open;
  if (!job.steps.some((step) => step.name === token.ref.step && isUndecided(step))) return told(NOT_ASKED);
  const about = {
    workflow_type: job.workflowType,
    step: token.ref.step,
    expires_at: isoTime(token.ref.expiresAt),
  } satisfies Record<string, Json>;
  if (wantsPage(asked.request)) return html(200, approvalPage(about), SECRET);
  return json(200, { ...about, answer: { decision: 'approved | declined', by: 'who', comment: 'optional' } }, SECRET);
}

async function decide(parts: Parts, asked: Asked): Promise<Response> {
  let isForm = false;
  const read = async (request: Request): Promise<Answer> => {
    const text = await readText(request, DECISION_BYTES_MAX);
    // Tools call any body a form when they are not told otherwise.
    isForm = saysForm(request) && !text.trimStart().startsWith('{');
    return isForm ? readDecisionForm(text) : readDecision(parseDocument(text));
  };
  const response = await answered(parts, asked, isApproval, read);
  return isForm && response.status === 202 ? html(202, decidedPage(), SECRET) : response;
}

function saysForm({ headers }: Request): boolean {
  return (headers.get('content-type') ?? '').startsWith('application/x-www-form-urlencoded');
}

function wantsPage({ headers }: Request): boolean {
  return (headers.get('accept') ?? '').includes('text/html');
}
