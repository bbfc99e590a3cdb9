/** Who may do what, as the API's own authorizer and the signatures say. */
import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { test } from 'node:test';
import { jobIn } from '../../acceptance/support/api.ts';
import { api, become, stack } from '../stack.ts';

const signup = () => ({ company: `Acme ${randomUUID()}`, email: 'ada@example.com', plan: 'free' });

test('without a signature, or with a wrong one, nothing is answered', async () => {
  become('nobody');
  assert.equal((await api.call('GET', '/jobs')).status, 403);
  become('operator');
  process.env.AWS_SECRET_ACCESS_KEY = 'wrong';
  assert.equal((await api.call('GET', '/jobs')).status, 403);
});

test("a submitter sees its own jobs, and another's is unknown to it", async () => {
  become('operator');
  const theirs = jobIn(await api.submit('signup', signup(), { key: randomUUID() }));
  become('submitter');
  const mine = jobIn(await api.submit('signup', signup(), { key: randomUUID(), wait: 20 }));
  assert.match(mine.caller_id, /^\d{12}\/role\/dacapo-orchestrator-Submitter/);
  assert.equal((await api.call('GET', `/jobs/${mine.job_id}`)).status, 200);
  assert.equal((await api.call('GET', `/jobs/${theirs.job_id}`)).status, 404);
  const { items } = await api.jobs({});
  assert.deepEqual([...new Set(items.map((job) => job.caller_id))], [mine.caller_id]);
  become('operator');
  assert.equal((await api.call('GET', `/jobs/${mine.job_id}`)).status, 200);
});

test('a submitter has no right to what is for operators, whatever it claims in a header', async () => {
  become('submitter');
  const claims = { 'x-caller-role': 'operator', 'x-caller-id': 'root' };
  assert.equal((await api.call('GET', '/dead-letters', { headers: claims })).status, 403);
  const { caller_id } = jobIn(await api.submit('signup', signup(), { key: randomUUID(), headers: claims }));
  assert.match(caller_id, /Submitter/);
});

test('one key of two callers is two jobs', async () => {
  const [key, input] = [randomUUID(), signup()];
  become('operator');
  const one = jobIn(await api.submit('signup', input, { key }));
  become('submitter');
  const other = jobIn(await api.submit('signup', input, { key }));
  assert.notEqual(one.job_id, other.job_id);
  assert.ok(stack.url.startsWith('http'));
});
