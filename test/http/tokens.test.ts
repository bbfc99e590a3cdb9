/**
 * The doors that a token opens. Whoever has the one token of the attempt that is waited for gets in, once, in time;
 * every other text is refused with its own code, and the job is then bit for bit what it was.
 */
import { describe, expect, it } from 'vitest';
import { hmacSigner } from '../../lib/adapters/hmac-signer.ts';
import type { TokenRef } from '../../lib/core/events.ts';
import type { Job } from '../../lib/core/job.ts';
import { tokenText } from '../../lib/operations/tokens.ts';
import { DAY, HOUR, waiting } from './waiting.ts';

const MINUTE = 60_000;
const ALPHABET = 'ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_';

type Rig = Awaited<ReturnType<typeof waiting>>;

const partsOf = (token: string): [string, string, string] => {
  const [prefix = '', body = '', mac = ''] = token.split('.');
  return [prefix, body, mac];
};
const saidBy = (token: string): unknown[] => JSON.parse(Buffer.from(partsOf(token)[1], 'base64url').toString());

/** The same signature under other words. */
function rewritten(token: string, change: (said: unknown[]) => void): string {
  const said = saidBy(token);
  change(said);
  const [prefix, , mac] = partsOf(token);
  return `${prefix}.${Buffer.from(JSON.stringify(said)).toString('base64url')}.${mac}`;
}

/** Another last character that decodes to the same bytes. */
function respelled(token: string): string {
  const last = ALPHABET.indexOf(token.at(-1) ?? '');
  return `${token.slice(0, -1)}${ALPHABET[last ^ 1]}`;
}

const refOf = (token: string): TokenRef => {
  const [, step, round, attempt, expiresAt, salt] = saidBy(token) as [string, string, number, number, number, string];
  return { step, round, attempt, expiresAt, salt };
};
const jobOf = async (rig: Rig): Promise<Job> => {
  const job = await rig.stored();
  if (job === null) throw new Error('the job is gone');
  return job;
};

type Forge = (token: string, rig: Rig) => string | Promise<string>;

/** Texts that are no token of ours, each made from one that is. */
const FORGERIES: Readonly<Record<string, Forge>> = {
  'a word': () => 'open-sesame',
  'another prefix': (token) => token.replace(/^dct1/, 'dct2'),
  'no prefix': (token) => token.slice(token.indexOf('.') + 1),
  'the first half': (token) => token.slice(0, token.length / 2),
  'one character less': (token) => token.slice(0, -1),
  'one character more': (token) => `${token}A`,
  'a fourth part': (token) => `${token}.AAAA`,
  'no signature': (token) => `${partsOf(token).slice(0, 2).join('.')}.`,
  'a signature of zeros': (token) => `${partsOf(token).slice(0, 2).join('.')}.${'A'.repeat(43)}`,
  'a short signature': (token) => `${partsOf(token).slice(0, 2).join('.')}.${'A'.repeat(22)}`,
  'a flipped bit in the signature': (token) =>
    token.replace(/\.(.)([^.]*)$/, (_all, first, rest) => `.${flipped(first)}${rest}`),
  'a flipped bit in the words': (token) => token.replace(/^dct1\.(.)/, (_all, first) => `dct1.${flipped(first)}`),
  'its last character spelled otherwise': respelled,
  'another job': (token) => rewritten(token, (said) => said.splice(0, 1, `j${'a'.repeat(26)}`)),
  'a step that is none': (token) => rewritten(token, (said) => said.splice(1, 1, '../pack')),
  'another step': (token) => rewritten(token, (said) => said.splice(1, 1, 'release')),
  'another round': (token) => rewritten(token, (said) => said.splice(2, 1, 1)),
  'another attempt': (token) => rewritten(token, (said) => said.splice(3, 1, 2)),
  'a later end': (token) => rewritten(token, (said) => said.splice(4, 1, Number(said[4]) + DAY)),
  'another salt': (token) => rewritten(token, (said) => said.splice(5, 1, 'A'.repeat(22))),
  'another caller': (token) => rewritten(token, (said) => said.splice(6, 1, 'A'.repeat(22))),
  'one word more': (token) => rewritten(token, (said) => said.push('operator')),
  'other blanks between the same words': (token) => {
    const [prefix, , mac] = partsOf(token);
    return `${prefix}.${Buffer.from(JSON.stringify(saidBy(token), null, 1)).toString('base64url')}.${mac}`;
  },
  'padding of base64': (token) => token.replace(/\.([^.]+)\./, '.$1=.'),
  'the other alphabet of base64': (token) => `${token.slice(0, -2)}+/`,
  'an algorithm of its own choice': (token) => `eyJhbGciOiJub25lIn0.${partsOf(token)[1]}.`,
  'what no JSON is': (token) => `dct1.${Buffer.from('{').toString('base64url')}.${partsOf(token)[2]}`,
  'a huge text': (token) => `${token}${'A'.repeat(10_000)}`,
  unicode: (token) => `${token.slice(0, -1)}é`,
  'letters that look alike': (token) => token.replace('d', 'ԁ'),
  'a zero byte': (token) => `${token}\0`,
  'the signature of another key': async (token, rig) =>
    tokenText(hmacSigner(Buffer.alloc(32, 99)), await jobOf(rig), refOf(token)),
  'our signature, for the job of another caller': async (token, rig) =>
    tokenText(rig.ports.signer, { ...(await jobOf(rig)), callerId: 'mallory' }, refOf(token)),
  'our signature, for a job that is none': async (token, rig) =>
    tokenText(rig.ports.signer, { ...(await jobOf(rig)), jobId: `j${'a'.repeat(26)}` as never }, refOf(token)),
};

const flipped = (character: string): string => ALPHABET[(ALPHABET.indexOf(character) + 1) % 64] ?? 'A';

/** Everything behind the door, as text: whatever changes, this does. */
const snapshot = async (rig: Rig): Promise<string> =>
  JSON.stringify([await rig.stored(), rig.ports.bus.published, rig.ports.queue.nextVisibleAt('dispatch')]);

async function expectRefused(rig: Rig, token: string, status: number, code: string): Promise<void> {
  const before = await snapshot(rig);
  const said = encodeURIComponent(token);
  for (const path of [`/callbacks/${said}`, `/callbacks/${said}/heartbeat`]) {
    const told = await rig.ask(path, { method: 'POST', body: { status: 'succeeded', output: { weight: 2 } } });
    expect([path.includes('heartbeat'), told.status, told.body.code]).toEqual([
      path.includes('heartbeat'),
      status,
      code,
    ]);
    expect(JSON.stringify(told.body)).not.toContain(token);
  }
  expect(await snapshot(rig)).toBe(before);
  expect(JSON.stringify(rig.ports.log.lines)).not.toContain(token);
}

describe('a text that is no token of ours', () => {
  it.each(Object.keys(FORGERIES))('%s is refused and changes nothing', async (name) => {
    const rig = await waiting();
    const token = await FORGERIES[name]?.(rig.tokenOf('pack'), rig);
    await expectRefused(rig, String(token), 401, 'ORCH_TOKEN_INVALID');
    expect((await rig.callback(rig.tokenOf('pack'))).status).toBe(202);
  });

  it('is refused before its body is looked at', async () => {
    const rig = await waiting();
    expect((await rig.ask('/callbacks/nonsense', { raw: '{', method: 'POST' })).status).toBe(401);
  });
});

describe('a token of ours', () => {
  it('is good for one answer, with which the job goes on', async () => {
    const rig = await waiting();
    expect(await rig.steps()).toMatchObject({ pack: 'waiting' });
    const told = await rig.callback(rig.tokenOf('pack'));
    expect([told.status, told.headers.get('referrer-policy')]).toEqual([202, 'no-referrer']);
    await rig.go();
    expect(await rig.steps()).toMatchObject({ pack: 'succeeded', address: 'waiting' });
  });

  it.each([
    ['at once', 0],
    ['after the job has ended', 1],
  ])('used a second time %s is refused as used', async (_when, ends) => {
    const rig = await waiting();
    await rig.callback(rig.tokenOf('pack'));
    if (ends === 1) {
      await rig.post(`/jobs/${rig.jobId}/cancel`, { reason: 'enough' });
      await rig.go();
      expect((await rig.stored())?.state).toBe('CANCELLED');
    }
    await expectRefused(rig, rig.tokenOf('pack'), 410, 'ORCH_TOKEN_USED');
  });

  it('is refused as expired when its time is over, before and after the job has looked', async () => {
    const rig = await waiting();
    rig.ports.clock.advance(3 * HOUR);
    await expectRefused(rig, rig.tokenOf('pack'), 410, 'ORCH_TOKEN_EXPIRED');
  });

  it('of an earlier attempt is stale, and the newest one works', async () => {
    const rig = await waiting();
    // Nobody has shown that the work goes on: the participant is called again, under the same operation.
    await rig.go(31 * MINUTE);
    const [first = '', second = ''] = rig.tokens.pack ?? [];
    expect(second).not.toBe('');
    await expectRefused(rig, first, 409, 'ORCH_TOKEN_STALE');
    expect((await rig.callback(second)).status).toBe(202);
  });

  it('with a body that makes no sense is refused, and is good still', async () => {
    const rig = await waiting();
    const token = rig.tokenOf('pack');
    const before = await snapshot(rig);
    const bodies = [
      {},
      { status: 'done' },
      { status: 'failed' },
      { status: 'succeeded', more: 1 },
      { status: 'failed', error_code: 'no good', message: 'x' },
    ];
    for (const body of bodies) expect((await rig.callback(token, body)).status).toBe(400);
    expect(await snapshot(rig)).toBe(before);
    expect((await rig.callback(token)).status).toBe(202);
  });

  it('tells a failure, which is definitive unless it says that the effect may stand', async () => {
    const rig = await waiting();
    const failed = { status: 'failed', error_code: 'DQ_TOO_HEAVY', message: 'over 30 kg' };
    expect((await rig.callback(rig.tokenOf('pack'), failed)).status).toBe(202);
    await rig.go();
    expect(await rig.stored()).toMatchObject({
      state: 'FAILED',
      lastErrorCode: 'DQ_TOO_HEAVY',
      outcome: 'rolled_back',
    });
  });

  it('comes home as an undo when the job turned back meanwhile', async () => {
    const rig = await waiting();
    await rig.post(`/jobs/${rig.jobId}/cancel`, { reason: 'enough' });
    expect((await rig.callback(rig.tokenOf('pack'))).status).toBe(202);
    await rig.go();
    expect(await rig.stored()).toMatchObject({ state: 'CANCELLED', outcome: 'rolled_back' });
    expect(await rig.steps()).toMatchObject({ pack: 'compensated' });
  });

  it('keeps the wait alive by heartbeats, up to its end and no longer', async () => {
    const rig = await waiting();
    const beat = () => rig.ask(`/callbacks/${rig.tokenOf('pack')}/heartbeat`, { method: 'POST' });
    for (let minutes = 0; minutes < 100; minutes += 20) {
      expect((await beat()).status).toBe(202);
      await rig.go(20 * MINUTE);
    }
    expect(rig.tokens.pack).toHaveLength(1);
    expect(await rig.steps()).toMatchObject({ pack: 'waiting' });
    const first = rig.tokenOf('pack');
    await beat();
    await rig.go(21 * MINUTE);
    // Then the participant is called again, with a token of its own.
    expect(rig.tokens.pack).toHaveLength(2);
    expect((await rig.callback(first)).body.code).toBe('ORCH_TOKEN_EXPIRED');
  });
});

/** The job at its approval, and the token that the person was brought. */
async function asked(): Promise<Rig> {
  const rig = await waiting();
  await rig.callback(rig.tokenOf('pack'));
  await rig.go();
  await rig.tell({ street: 'Main' });
  await rig.go();
  expect(await rig.steps()).toMatchObject({ release: 'waiting' });
  return rig;
}

describe('the link of an approval', () => {
  it('shows what is asked and decides nothing by being looked at', async () => {
    const rig = await asked();
    const before = await snapshot(rig);
    const shown = await rig.ask(`/approvals/${rig.tokenOf('release')}`);
    expect(shown).toMatchObject({ status: 200, body: { workflow_type: 'parcel', step: 'release' } });
    expect(JSON.stringify(shown.body)).not.toMatch(/Ada|Main|weight/);
    const page = await rig.app.request(`/approvals/${rig.tokenOf('release')}`, { headers: { accept: 'text/html' } });
    expect(await page.text()).toContain('<button name="decision" value="declined">');
    expect(page.headers.get('content-security-policy')).toContain("default-src 'none'");
    expect(await snapshot(rig)).toBe(before);
  });

  it('takes a yes with who and a comment, once', async () => {
    const rig = await asked();
    const path = `/approvals/${rig.tokenOf('release')}`;
    expect((await rig.post(path, { decision: 'approved', by: 'Grace', comment: 'fine' })).status).toBe(202);
    expect((await rig.post(path, { decision: 'declined', by: 'Mallory' })).body.code).toBe('ORCH_TOKEN_USED');
    expect((await rig.ask(path)).body.code).toBe('ORCH_TOKEN_USED');
    const { body } = await rig.ask(`/jobs/${rig.jobId}`);
    const step = (body.steps as { step: string; output: unknown }[]).find((one) => one.step === 'release');
    expect(step?.output).toEqual({ decision: 'approved', by: 'Grace', comment: 'fine' });
  });

  it('takes a no, which turns the job back', async () => {
    const rig = await asked();
    const form = new URLSearchParams({ decision: 'declined', by: 'Grace', comment: 'too heavy' });
    const response = await rig.app.request(`/approvals/${rig.tokenOf('release')}`, {
      method: 'POST',
      body: form.toString(),
      headers: { 'content-type': 'application/x-www-form-urlencoded' },
    });
    expect([response.status, response.headers.get('content-type')]).toEqual([202, 'text/html; charset=utf-8']);
    await rig.go();
    expect(await rig.stored()).toMatchObject({ state: 'FAILED', lastErrorCode: 'LEGAL_APPROVAL_DECLINED' });
    expect(await rig.steps()).toMatchObject({ pack: 'compensated', rest: 'skipped' });
  });

  it('refuses what is no decision and a token that is a participant’s, and changes nothing', async () => {
    const rig = await asked();
    const before = await snapshot(rig);
    const path = `/approvals/${rig.tokenOf('release')}`;
    for (const body of [
      {},
      { decision: 'yes', by: 'G' },
      { decision: 'approved' },
      { decision: 'approved', by: 'G', role: 'operator' },
    ]) {
      expect((await rig.post(path, body)).status).toBe(400);
    }
    expect(
      (await rig.callback(rig.tokenOf('release'), { status: 'succeeded', output: { decision: 'maybe' } })).status,
    ).toBe(422);
    expect(await snapshot(rig)).toBe(before);
    const early = await waiting();
    expect((await early.ask(`/approvals/${early.tokenOf('pack')}`)).body.code).toBe('ORCH_TOKEN_INVALID');
  });

  it('expires with the declared outcome, and the token with it', async () => {
    const rig = await asked();
    await rig.go(7 * DAY);
    expect(await rig.stored()).toMatchObject({ state: 'FAILED', lastErrorCode: 'LEGAL_APPROVAL_EXPIRED' });
    const told = await rig.post(`/approvals/${rig.tokenOf('release')}`, { decision: 'approved', by: 'Grace' });
    expect(told.body.code).toBe('ORCH_TOKEN_EXPIRED');
  });

  it('is called to mind each day by an event without the token', async () => {
    const rig = await asked();
    for (let day = 0; day < 3; day += 1) await rig.go(DAY);
    const types = rig.ports.bus.published.map(({ detailType }) => detailType);
    expect(types.filter((type) => type === 'job.approval_requested')).toHaveLength(1);
    expect(types.filter((type) => type === 'job.approval_reminder')).toHaveLength(3);
    expect(JSON.stringify(rig.ports.bus.published)).not.toContain(rig.tokenOf('release'));
  });

  it('is not needed by an operator, who names job and step; a submitter may not', async () => {
    const rig = await asked();
    const said = { step: 'release', decision: 'approved', reason: 'spoke with Grace' };
    const path = `/jobs/${rig.jobId}/approve`;
    expect((await rig.post(path, said, { 'x-caller-role': 'submitter' })).status).toBe(403);
    expect((await rig.post(path, { ...said, step: 'pack' })).status).toBe(409);
    expect((await rig.post(path, said)).status).toBe(202);
    expect((await rig.post(path, said)).status).toBe(409);
    const told = await rig.post(`/approvals/${rig.tokenOf('release')}`, { decision: 'declined', by: 'Grace' });
    expect(told.body.code).toBe('ORCH_TOKEN_USED');
  });
});
