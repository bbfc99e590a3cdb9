/** What a job says first, to a program and on a terminal: where it stands, what is sure, what is pending, what to do. */
import { describe, expect, it } from 'vitest';
import { openEffects } from '../../lib/core/effects.ts';
import { isTerminal } from '../../lib/core/states.ts';
import { createApp } from '../../lib/http/app.ts';
import { localCaller } from '../../lib/local/caller.ts';
import { poison } from '../../lib/operations/poison.ts';
import {
  accepted,
  given,
  later,
  lost,
  type Moment,
  ok,
  refused,
  SECOND,
  step,
  T0,
  turn,
  workflow,
} from '../core/support.ts';
import { documents, inMemory, OPERATOR, OWNER, seeded } from './seeded.ts';
import { SITUATIONS } from './situations.ts';

interface View {
  readonly state: string;
  readonly summary: string;
  readonly last_confirmed: { step: string; what: string; at: string } | null;
  readonly pending: readonly { step: string; what: string; until: string | null }[];
  readonly deadline_at: string;
  readonly next_action_at: string | null;
  readonly stopped_reason: string | null;
  readonly safe_actions: readonly { action: string; step?: string; resolution?: string; needs?: string }[];
}

async function viewsOf(situation: { moment: Moment }, headers = OPERATOR as Record<string, string>) {
  const { app, body, jobId } = await shownBy(situation, headers);
  const response = await app.request(`/jobs/${jobId}`, { headers: { ...headers, accept: 'text/plain' } });
  expect(response.headers.get('content-type')).toBe('text/plain; charset=utf-8');
  return { view: body.support as View, body, text: await response.text(), jobId };
}

async function shownBy(situation: { moment: Moment }, headers: Record<string, string>) {
  const { ask, engine, jobId } = await seeded(inMemory, situation);
  const app = createApp({ engine, caller: localCaller, documents, door: { started: () => undefined } });
  return { app, jobId, body: (await ask(`/jobs/${jobId}`, undefined, headers)).body };
}

const lineOf = (text: string, label: string): string =>
  text
    .split('\n')
    .find((line) => line.startsWith(`${label}:`))
    ?.slice(label.length + 1)
    .trim() ?? 'no such line';

describe.each(SITUATIONS)('$name', (situation) => {
  const { moment } = situation;
  const { state } = moment.job;

  it('opens with its support view, which agrees with the rest of the document', async () => {
    const { view, body } = await viewsOf(situation);
    expect(Object.keys(body)[0]).toBe('support');
    expect([view.state, view.stopped_reason]).toEqual([body.current_state, body.stopped_reason]);
    expect([view.deadline_at, view.next_action_at]).toEqual([body.deadline_at, body.next_action_at]);
    expect(view.summary.length).toBeGreaterThan(10);
    // Nothing waits for ever, and nothing that has ended waits at all.
    expect(view.next_action_at === null).toBe(isTerminal(state));
    if (isTerminal(state)) expect([view.pending, view.safe_actions]).toEqual([[], []]);
    if (state === 'NEEDS_REVIEW') expect(view.safe_actions.length).toBeGreaterThan(0);
  });

  it('names as last confirmed the newest thing that is sure', async () => {
    const { view } = await viewsOf(situation);
    const sure = moment.job.steps.flatMap((one) => [one.undo?.compensatedAt ?? one.completedAt ?? []].flat());
    const newest = Math.max(...sure);
    expect(view.last_confirmed?.at ?? null).toBe(sure.length === 0 ? null : new Date(newest).toISOString());
  });

  it('says on a terminal the same in lines that start with what they are about', async () => {
    const { view, text, jobId, body } = await viewsOf(situation);
    expect(text.split('\n')[0]).toBe(`trial ${jobId}: ${state}, ${view.summary}`);
    expect(lineOf(text, 'deadline')).toBe(view.deadline_at);
    expect(lineOf(text, 'next action')).toBe(view.next_action_at ?? 'none');
    expect(lineOf(text, 'last confirmed')).toContain(view.last_confirmed?.step ?? 'nothing');
    if (view.stopped_reason !== null) expect(lineOf(text, 'stopped')).toContain(view.stopped_reason);
    for (const { operationId } of openEffects(moment.job, moment.plan))
      expect(lineOf(text, 'open effects')).toContain(operationId);
    for (const { action } of view.safe_actions) expect(lineOf(text, 'safe actions')).toContain(action);
    expect(lineOf(text, 'safe actions')).not.toContain('force-close');
    for (const { step: name, status } of body.steps as { step: string; status: string }[]) {
      expect(text).toMatch(new RegExp(`^  ${name} +${status} `, 'm'));
    }
  });

  it('advises its caller only what a caller may do', async () => {
    const { view } = await viewsOf(situation, OWNER);
    expect(view.safe_actions.map(({ action }) => action)).toEqual('cancel' in situation.allowed ? ['cancel'] : []);
  });
});

describe('what is pending', () => {
  const two = workflow([[step('a')], [step('b', { query: { topic: 'b:find' } })]]);
  const guarded = workflow([[step('b', { onUnknown: 'review' })]]);
  const iso = (ms: number): string => new Date(T0 + ms).toISOString();

  it.each<[string, Moment, View['pending']]>([
    ['a call, until its lease ends', given(two).when(turn()), [{ step: 'a', what: 'call', until: iso(15 * SECOND) }]],
    [
      'a retry, until it is due',
      given(two).when(turn(), lost('a')),
      [{ step: 'a', what: 'retry', until: expect.any(String) as unknown as string }],
    ],
    [
      'a promised result',
      given(two).when(turn(), accepted('a')),
      [{ step: 'a', what: 'result', until: expect.any(String) as unknown as string }],
    ],
    [
      'a person, for as long as it takes',
      given(guarded).when(turn(), lost('b')),
      [{ step: 'b', what: 'person', until: null }],
    ],
    [
      'undos: the one that is out and those that are owed',
      given(workflow([[step('a')], [step('b')], [step('c')]])).when(
        turn(),
        ok('a'),
        ok('b'),
        refused('c'),
        later(SECOND),
        turn(),
      ),
      [
        { step: 'a', what: 'undo', until: null },
        { step: 'b', what: 'undo', until: iso(16 * SECOND) },
      ],
    ],
    ['nothing, before it has begun', given(two).when(), []],
  ])('is %s', async (_what, moment, pending) => {
    expect((await viewsOf({ moment })).view.pending).toEqual(pending);
  });
});

describe('a job that this code cannot run', () => {
  it('says which version is missing, and advises nothing', async () => {
    const [, , running] = SITUATIONS;
    if (running === undefined) throw new Error('no situation');
    const { engine, jobId } = await seeded(inMemory, running);
    const plans = { find: () => undefined, list: () => [] };
    const app = createApp({
      engine: { ...engine, plans },
      caller: localCaller,
      documents,
      door: { started: () => undefined },
    });
    const text = await (await app.request(`/jobs/${jobId}`, { headers: { accept: 'text/plain' } })).text();
    expect(text.split('\n')[0]).toMatch(/PROCESSING, stands still: this deployment does not have version 1 of trial/);
    expect(lineOf(text, 'safe actions')).toBe('none');
  });

  it('because it came as a message that is none says so', async () => {
    const [first] = SITUATIONS;
    if (first === undefined) throw new Error('no situation');
    const { engine, ask } = await seeded(inMemory, first);
    const about = {
      source: 'sqs',
      doorId: 'm-1',
      callerId: 'door:sqs',
      correlationId: null,
      workflowType: null,
    } as const;
    const message = { ...about, raw: { hello: 1 }, code: 'ORCH_MALFORMED_REQUEST', detail: 'no submit', trace: null };
    const job = await poison(engine, message);
    const { support } = (await ask(`/jobs/${job.jobId}`)).body as { support: View };
    expect(support).toMatchObject({
      state: 'DEAD_LETTERED',
      stopped_reason: 'ORCH_MALFORMED_REQUEST',
      safe_actions: [],
    });
    expect(support.summary).toMatch(/message that cannot become a job/);
  });
});
