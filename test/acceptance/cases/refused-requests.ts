/** Requests that are refused at the door: a problem document with a code, no job, and the key stays unused. */
import assert from 'node:assert/strict';
import { describe } from 'node:test';
import type { Request, Submission } from '../support/api.ts';
import { expectProblem } from '../support/checks.ts';
import { signup, unique } from '../support/inputs.ts';
import { SIDE_BY_SIDE, scenario } from '../support/scenario.ts';

const NO_JOB = `j${'a'.repeat(26)}`;

describe('input that the schema refuses', SIDE_BY_SIDE, () => {
  const { company: _company, ...withoutCompany } = signup();
  const invalid: [name: string, input: unknown, path: string][] = [
    ['an empty company', signup({ company: '' }), 'company'],
    ['a company of 101 characters', signup({ company: 'x'.repeat(101) }), 'company'],
    ['no company', withoutCompany, 'company'],
    ['an email that is a number', { ...signup(), email: 7 }, 'email'],
  ];
  for (const [name, input, path] of invalid) {
    scenario(`${name}: 422 with the path, and the key stays unused`, async (s) => {
      const key = unique('key');
      const problem = expectProblem(await s.submit('signup', input, { key, wait: 5 }), 422, 'CONTRACT_INPUT_INVALID');
      assert.equal(problem.job_id, undefined);
      assert.match(JSON.stringify(problem.errors?.map((error) => error.path)), new RegExp(path));
      const valid = await s.submit('signup', signup(), { key });
      assert.equal(valid.status, 202);
      assert.equal(valid.headers.get('idempotency-replayed'), null);
    });
  }

  scenario('every wrong field is named at once', async (s) => {
    const answer = await s.submit('signup', { company: '', email: 7, plan: null });
    const paths = JSON.stringify(expectProblem(answer, 422).errors?.map((error) => error.path));
    for (const path of ['company', 'email', 'plan']) assert.match(paths, new RegExp(path));
  });

  for (const input of [null, [], 'signup', 7, { ...signup(), extra: 1 }]) {
    scenario(`${JSON.stringify(input).slice(0, 20)}… is no input: refused, no job`, async (s) => {
      const answer = await s.submit('signup', undefined, { raw: JSON.stringify(input) });
      assert.ok([400, 422].includes(answer.status), `answered ${answer.status}`);
      expectProblem(answer, answer.status, answer.status === 422 ? 'CONTRACT_INPUT_INVALID' : 'ORCH_MALFORMED_REQUEST');
    });
  }

  scenario('a company of 100 characters is taken', async (s) => {
    await s.start('signup', signup({ company: unique('x').padEnd(100, 'é') }));
  });
});

describe('malformed requests', SIDE_BY_SIDE, () => {
  const malformed: Record<string, Submission> = {
    'a body that is not JSON': { raw: '{"company": ' },
    'an empty body': { raw: '' },
    'an empty Idempotency-Key': { key: '' },
    'an Idempotency-Key of 201 characters': { key: 'k'.repeat(201) },
    'an Idempotency-Key with a space': { key: 'two words' },
    'an Idempotency-Key beyond ASCII': { key: 'clé' },
    'a correlation id of 201 characters': { headers: { 'x-correlation-id': 'c'.repeat(201) } },
    'a version that is no number': { query: '?version=latest' },
    'a query parameter that nobody knows': { query: '?priority=high' },
  };
  for (const [name, submission] of Object.entries(malformed)) {
    scenario(`${name}: 400`, async (s) => {
      expectProblem(await s.submit('signup', signup(), submission), 400, 'ORCH_MALFORMED_REQUEST');
    });
  }

  scenario('an Idempotency-Key of 200 characters is taken', async (s) => {
    await s.start('signup', signup(), { key: unique('key').padEnd(200, '~') });
  });

  const badQueries = [
    'limit=0',
    'limit=101',
    'limit=1.5',
    'limit=ten',
    'limit=',
    'state=RUNNING',
    'state=completed',
    'cursor=nonsense',
    'from=yesterday',
    'to=2026-13-01T00:00:00.000Z',
    'order=asc',
  ];
  for (const query of badQueries) {
    scenario(`GET /jobs?${query}: 400`, async (s) => {
      expectProblem(await s.api.call('GET', `/jobs?${query}`), 400, 'ORCH_MALFORMED_REQUEST');
    });
  }

  scenario('GET /dead-letters?limit=0: 400', async (s) => {
    expectProblem(await s.api.call('GET', '/dead-letters?limit=0'), 400, 'ORCH_MALFORMED_REQUEST');
  });
});

describe('things that do not exist', SIDE_BY_SIDE, () => {
  scenario('an unknown workflow', async (s) => {
    expectProblem(await s.submit('no-such-workflow', {}), 404, 'ORCH_UNKNOWN_WORKFLOW');
    expectProblem(await s.submit('constructor', {}), 404, 'ORCH_UNKNOWN_WORKFLOW');
  });

  scenario('an unknown version', async (s) => {
    expectProblem(await s.submit('signup', signup(), { query: '?version=999999' }), 404, 'ORCH_UNKNOWN_WORKFLOW');
  });

  const unknown: [method: string, path: string, request?: Request][] = [
    ['GET', `/jobs/${NO_JOB}`],
    ['GET', '/jobs/not-a-job-id'],
    ['GET', `/jobs/${NO_JOB}/history`],
    ['POST', `/jobs/${NO_JOB}/resume`, { body: { reason: 'why not' } }],
    ['POST', `/jobs/${NO_JOB}/force-close`, { body: { reason: 'why not', confirm: NO_JOB } }],
  ];
  for (const [method, path, request] of unknown) {
    scenario(`${method} ${path}: 404`, async (s) => {
      expectProblem(await s.api.call(method, path, request), 404, 'ORCH_UNKNOWN_JOB');
    });
  }

  scenario('an unknown dead letter', async (s) => {
    expectProblem(await s.api.call('GET', `/dead-letters/d${NO_JOB}`), 404);
  });
});
