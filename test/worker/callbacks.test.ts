/** Answering later, through the very doors that hear it. */
import { describe, expect, it } from 'vitest';
import { callbacks } from '../../lib/worker/index.ts';
import { waiting } from '../http/waiting.ts';

async function rigged() {
  const rig = await waiting();
  const send: typeof fetch = async (url, init) => rig.app.request(String(url).replace('http://api.test', ''), init);
  return { ...rig, answers: callbacks('http://api.test/', send) };
}

describe('a participant that answers later', () => {
  it('beats while it works, tells its success once, and learns that it is heard', async () => {
    const { answers, tokenOf, go, steps } = await rigged();
    expect(await answers.heartbeat(tokenOf('pack'))).toBe('taken');
    expect(await answers.succeed(tokenOf('pack'), { weight: 3 })).toBe('taken');
    expect(await answers.succeed(tokenOf('pack'), { weight: 3 })).toBe('refused');
    await go();
    expect(await steps()).toMatchObject({ pack: 'succeeded' });
  });

  it('tells a failure', async () => {
    const { answers, tokenOf, go, stored } = await rigged();
    const failure = { code: 'DQ_TOO_HEAVY', message: 'over 30 kg', applied: false };
    expect(await answers.fail(tokenOf('pack'), failure)).toBe('taken');
    await go();
    expect(await stored()).toMatchObject({ state: 'FAILED', lastErrorCode: 'DQ_TOO_HEAVY' });
  });

  it('is told to send again what could not be taken in, without its token in the words', async () => {
    const failing = callbacks('http://api.test', async () => new Response(null, { status: 503 }));
    await expect(failing.succeed('secret-token', null)).rejects.toThrow(/503/);
    await expect(failing.succeed('secret-token', null)).rejects.not.toThrow(/secret-token/);
  });
});
