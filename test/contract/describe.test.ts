import { describe, expect, it } from 'vitest';
import { z } from 'zod';
import { duplicateAnswers } from '../../lib/contract/describe/duplicates.ts';
import { workedDelays } from '../../lib/contract/describe/errors.ts';
import { graphOf, markdown, mermaid, rules, saga, sagaDrawing } from '../../lib/contract/describe/index.ts';
import { PREFIX_POLICIES, SAGA_POLICY, UNDO_POLICY } from '../../lib/core/errors.ts';
import { isTerminal, JOB_STATES } from '../../lib/core/states.ts';
import { STEP_TRANSITIONS } from '../../lib/core/step-transitions.ts';
import { JOB_TRANSITIONS } from '../../lib/core/transitions.ts';
import { none, step, workflow } from '../../lib/definition/index.ts';
import { waitingAnswer } from '../../lib/http/waiting-answer.ts';
import { order } from '../../lib/workflows/order.ts';
import { signup } from '../../lib/workflows/signup.ts';
import { sampleJob } from './sample-job.ts';

const said = markdown(rules());

/** One of everything a definition can say. */
const trip = workflow('trip', 3)
  .input(z.strictObject({ city: z.string() }))
  .stage(
    step('look', { topic: 'city:look', readOnly: true, input: () => ({}), output: z.object({}) }),
    step('end', {
      topic: 'hotel:book',
      undo: { topics: ['hotel:cancel', 'hotel:refund'], choose: () => 'hotel:cancel', retry: { maxAttempts: 3 } },
      input: () => ({}),
      output: z.object({}),
      retry: { EXT_TIMEOUT: { maxAttempts: 2, jitter: 'none' } },
    }),
    step('note', { topic: 'note:write', undo: none('a "line" | in a <log>'), input: () => ({}), output: z.object({}) }),
  )
  .stage(
    step('letter', {
      topic: 'letter:send',
      irreversible: true,
      onUnknown: 'review',
      input: () => ({}),
      output: z.object({}),
    }),
  )
  .concurrentUndo()
  .retry({ EXT_: { maxAttempts: 9 } })
  .sagaRetry({ maxAttempts: 2 })
  .onFailed('rerun')
  .quarantine('always')
  .output(() => null);

describe('the rules', () => {
  it('hold every edge of both tables', () => {
    for (const { from, on, guard, to } of JOB_TRANSITIONS) {
      const cells = [
        from === null ? '–' : `\`${from}\``,
        `\`${on}\``,
        guard === null ? '' : `\`${guard}\``,
        `\`${to}\``,
      ];
      expect(said).toContain(`| ${cells.join(' | ')} |`);
    }
    for (const { from, on, to, note = '' } of STEP_TRANSITIONS) {
      expect(said).toContain(`| \`${from}\` | \`${on}\` | \`${to}\` | ${note} |`);
    }
  });

  it('draw every edge that leads somewhere else, one arrow from a state to another', () => {
    const [job = '', steps = ''] = mermaid(rules()).split('\n\n');
    const arrows = (drawing: string) => drawing.match(/^ {2}\w+ --> \w+/gm) ?? [];
    for (const drawing of [job, steps]) expect(new Set(arrows(drawing)).size).toBe(arrows(drawing).length);
    const drawn = JOB_TRANSITIONS.filter(({ from, on, to }) => from !== to && on !== 'operator_force_close');
    for (const { from, to } of drawn) expect(job).toContain(`  ${from ?? '[*]'} --> ${to} : `);
    for (const { from, to } of STEP_TRANSITIONS) if (from !== to) expect(steps).toContain(`  ${from} --> ${to} : `);
  });

  it('work out each wait of a policy: doubled from the base up to the cap, none after the last attempt', () => {
    const ext = PREFIX_POLICIES.find(({ prefix }) => prefix === 'EXT_')?.policy ?? UNDO_POLICY;
    const waits = (policy: typeof ext) => workedDelays(policy).map(({ delay_ms_max }) => delay_ms_max / 1_000);
    expect(waits(ext)).toEqual([1, 2, 4, 8]);
    expect(waits({ ...ext, maxBackoffSeconds: 3 })).toEqual([1, 2, 3, 3]);
    expect(waits(UNDO_POLICY)).toEqual([1, 2, 4, 8, 16, 32, 64, 128, 256]);
    expect(workedDelays(SAGA_POLICY).at(-1)?.total_ms_max).toBe(180_000);
    expect(waits({ ...ext, retryable: false })).toEqual([]);
  });

  it('say of a duplicate in each state what the HTTP API answers', () => {
    const answered = JOB_STATES.map((state) => {
      const told = waitingAnswer({ ...sampleJob, state, outcome: null }, signup.plan);
      if (told.kind === 'job') return { state, waiting: told.status === 201 ? 201 : 'waits' };
      return { state, waiting: state === 'NEEDS_REVIEW' ? told.problem.status : 'error' };
    });
    expect(duplicateAnswers().map(({ state, waiting }) => ({ state, waiting }))).toEqual(answered);
    expect(duplicateAnswers().map(({ plain }) => plain)).toEqual(JOB_STATES.map((s) => (isTerminal(s) ? 200 : 202)));
  });

  it('are the same as data', () => {
    const facts = Object.fromEntries(rules().map((part) => [part.name, part.facts]));
    expect(Object.keys(facts)).toEqual(['job', 'step', 'answers', 'errors', 'retries', 'idempotency', 'dead-letters']);
    expect(facts.job).toMatchObject({ transitions: JOB_TRANSITIONS });
    expect(facts.errors).toMatchObject({
      codes: expect.arrayContaining([expect.objectContaining({ code: 'EXT_TIMEOUT' })]),
    });
  });
});

describe('the graph of a workflow', () => {
  it('leads from stage to stage, from each step to its undo, and back in the declared order', () => {
    const { edges, recovery } = graphOf(order.plan);
    const of = (kind: string) => edges.filter((edge) => edge.kind === kind).map(({ from, to }) => `${from} ${to}`);
    expect(recovery).toBe('listed');
    expect(of('next')).toEqual([
      'start do.reservation',
      'do.reservation do.payment',
      'do.payment do.fulfilment',
      'do.fulfilment completed',
    ]);
    expect(of('undo')).toEqual([
      'do.reservation undo.reservation',
      'do.payment undo.payment',
      'do.fulfilment undo.fulfilment',
    ]);
    expect(of('undo_next')).toEqual(['undo.fulfilment undo.payment', 'undo.payment undo.reservation']);
  });

  it('goes back through the stages in reverse where nothing is declared, and in no order where all is undone at once', () => {
    const two = workflow('two', 1).input(z.strictObject({}));
    const call = (name: string, undo: string | ReturnType<typeof none>) =>
      step(name, { topic: `${name}:do`, undo, input: () => ({}), output: z.object({}) });
    const plan = two
      .stage(call('a', 'a:undo'), call('b', 'b:undo'))
      .stage(call('c', none('nothing stays')))
      .stage(call('d', 'd:undo'))
      .output(() => null).plan;
    const back = graphOf(plan).edges.filter(({ kind }) => kind === 'undo_next');
    expect(back.map(({ from, to }) => `${from} ${to}`)).toEqual(['undo.d undo.a', 'undo.d undo.b']);
    expect(graphOf(trip.plan).edges.filter(({ kind }) => kind === 'undo_next')).toEqual([]);
  });

  it('names every step, kind, topic, choice and reason', () => {
    const page = markdown([saga(graphOf(trip.plan))]);
    expect(page).toContain('## trip, version 3');
    expect(page).toContain('| 1 | `look` | readOnly | `city:look` | 10 s | call again | – |');
    expect(page).toContain('| `hotel:cancel` or `hotel:refund` |');
    expect(page).toContain('| nothing: a "line" \\| in a <log> |');
    expect(page).toContain('| 2 | `letter` | irreversible | `letter:send` | 10 s | ask a person | – |');
    for (const rule of [
      'Undone all at once.',
      'tried up to 2 times',
      'runs it again',
      'Every failure is quarantined.',
    ]) {
      expect(page).toContain(rule);
    }
  });

  it('shows which retry policies were overridden, and nothing where none was', () => {
    const page = markdown([saga(graphOf(trip.plan))]);
    expect(page).toContain('| the workflow | `EXT_` | maxAttempts 9 |');
    expect(page).toContain('| `end` | `EXT_TIMEOUT` | maxAttempts 2, jitter none |');
    expect(page).toContain('| the undo of `end` | `every code` | maxAttempts 3 |');
    expect(markdown([saga(graphOf(order.plan))])).not.toContain('retry policy of');
  });

  it('is drawn so that no name or reason can be taken for a mark of the drawing', () => {
    const drawn = sagaDrawing(graphOf(trip.plan));
    expect(drawn).toContain('["end<br/>hotel:book"]');
    expect(drawn).toContain('no undo: a #34;line#34; #124; in a #60;log#62;');
    expect(drawn).toContain('[/"look<br/>city:look"/]');
    expect(drawn).toContain('[["letter<br/>letter:send"]]');
    expect(drawn).not.toMatch(/^\s+end\[/m);
  });
});
