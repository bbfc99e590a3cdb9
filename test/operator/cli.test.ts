/** Commands against embedded mode: what they print, what they ask, and how they end. */
import { describe, expect, it } from 'vitest';
import { dacapo, embedded, SIGNUP, STICKY } from './support.ts';

const GOLD = SIGNUP.replace('free', 'gold');

describe('submitting', () => {
  it('says which job it became and under which key; again under the key it is the same one', async () => {
    const { run } = await embedded();
    const first = await run(['submit', 'signup', SIGNUP, '--key', 'k1']);
    expect([first.code, first.err]).toEqual([0, '']);
    const id = /signup (j\w{26}) {2}PENDING/.exec(first.out)?.[1];
    expect(first.out).toContain('key     k1');
    expect(first.out).toContain(`dacapo watch ${id}`);
    const again = await run(['submit', 'signup', SIGNUP, '--key', 'k1', '--wait']);
    expect(again.out).toContain(`${id}  COMPLETED  succeeded`);
    expect((await run(['submit', 'signup', SIGNUP, '--key', 'k1'])).out).toContain(
      'yes, this is the job of that submit',
    );
  });

  it('takes its input from a file or from standard input', async () => {
    const { json } = await embedded();
    const files = { 'in.json': SIGNUP, '-': SIGNUP };
    for (const input of ['@in.json', '@-']) {
      const { code, body } = await json(['submit', 'signup', input, '--wait', '--correlation-id', 'c1'], { files });
      expect([code, body.current_state, body.correlation_id]).toEqual([0, 'COMPLETED', 'c1']);
    }
  });

  it('ends with 1 when the job it waited for failed, or was refused', async () => {
    const { run, json } = await embedded();
    const failed = await run(['submit', 'signup', GOLD, '--wait']);
    expect([failed.code, failed.out.includes('FAILED  rolled_back')]).toEqual([1, true]);
    const refused = await run(['submit', 'signup', '{"company":""}']);
    expect([refused.code, refused.out]).toEqual([1, '']);
    expect(refused.err).toMatch(/^CONTRACT_INPUT_INVALID: /);
    expect(refused.err).toContain('  /email  ');
    const told = await run(['submit', 'nothing', SIGNUP, '--json']);
    expect(JSON.parse(told.err).error).toMatchObject({ code: 'ORCH_UNKNOWN_WORKFLOW', status: 404 });
    expect((await json(['submit', 'signup', SIGNUP, '--wait', '--workflow-version', '1'])).code).toBe(0);
  });

  it('ends with 1 and names the key when nobody answers', async () => {
    const said = await dacapo('http://127.0.0.1:1', ['submit', 'signup', SIGNUP, '--key', 'k9']);
    expect(said.code).toBe(1);
    expect(said.err).toContain('http://127.0.0.1:1 cannot be reached');
    expect(said.err).toContain('submit again with --key k9');
  });
});

describe('wrong usage ends with 2 and sends nothing', () => {
  it.each([
    [[]],
    [['submit']],
    [['submit', 'signup', '{']],
    [['submit', 'signup', '@missing.json']],
    [['jobs', 'list', '--state', 'LOST']],
    [['jobs', 'list', '--limit', '0']],
    [['jobs', 'list', '--colour']],
    [['cancel', 'j1']],
    [['resolve', 'j1', '--reason', 'r', '--step', 's', '--as', 'maybe']],
    [['describe', 'nothing']],
    [['describe', 'job', 'signup']],
    [['describe', 'errors', '--format', 'mermaid']],
    [['describe', 'workflow', '--definitions', './nowhere.ts']],
    [['describe', 'workflow', '--definitions', './lib/operator/text.ts']],
    [['describe', 'workflow', 'trip', '--definitions', './lib/workflows/examples.ts']],
    [['completion', 'fish']],
    [['jobs', 'show', 'j1', '--url', 'localhost']],
    [['pauses', 'add', 'planet', 'x', '--reason', 'r']],
    [['pauses', 'release', 'p1', '--reason', 'r']],
    [['unknown']],
  ])('%j', async (args) => {
    const said = await dacapo('http://127.0.0.1:1', args);
    expect([said.code, said.out]).toEqual([2, '']);
    expect(said.err).not.toBe('');
  });
});

describe('help', () => {
  it.each([
    ['submit'],
    ['watch'],
    ['jobs list'],
    ['jobs show'],
    ['jobs history'],
    ['cancel'],
    ['resume'],
    ['resolve'],
    ['retry-compensation'],
    ['close'],
    ['force-close'],
    ['dead-letters list'],
    ['dead-letters show'],
    ['dead-letters replay'],
    ['dead-letters discard'],
    ['audit'],
    ['describe'],
    ['completion'],
  ])('of %s has examples that name it', async (command) => {
    const { code, out } = await dacapo('http://127.0.0.1:1', [...command.split(' '), '--help']);
    expect(code).toBe(0);
    expect(out.split('Examples:')[1]).toContain(`dacapo ${command}`);
  });

  it('of the whole names the exit codes', async () => {
    const { code, out } = await dacapo('http://127.0.0.1:1', ['--help']);
    expect([code, out.includes('Exit codes: 0 done, 1 refused or failed, 2 wrong usage')]).toEqual([0, true]);
  });
});

describe('reading', () => {
  it('lists as many as asked, says that there are more, and all when asked', async () => {
    const { run, json } = await embedded();
    for (const key of ['a', 'b', 'c']) await run(['submit', 'signup', SIGNUP, '--key', key, '--wait']);
    const some = await run('jobs list --limit 2');
    expect([some.out.trim().split('\n').length, some.err]).toEqual([3, expect.stringContaining('There are more')]);
    const all = await json('jobs list --all --workflow signup --state COMPLETED');
    expect([(all.body.items as unknown[]).length, all.body.more]).toEqual([3, false]);
    expect((await json('jobs list --limit 2')).body.more).toBe(true);
    expect((await run('jobs list --state FAILED')).out).toBe('No such jobs.\n');
    expect((await run('jobs list --from yesterday')).err).toContain('from: write a time such as');
  });

  it('shows a job that needs a person: why, what is left, and the commands that help', async () => {
    const { run, stuck } = await embedded();
    const id = await stuck();
    const { code, out } = await run(`jobs show ${id}`);
    expect(code).toBe(0);
    expect(out).toContain('stopped      ORCH_COMPENSATION_FAILED');
    expect(out).toMatch(/open effects\n.*\n {2}tenant {2}applied, undo failed/);
    expect(out).toContain(`dacapo resolve ${id} --step tenant --as compensated --reason '…'`);
    const history = await run(`jobs history ${id}`);
    expect(history.out.trim().split('\n').at(-1)).toMatch(/COMPENSATING {2}NEEDS_REVIEW/);
  });

  it('shows what others wrote without letting it act', async () => {
    const { run, json } = await embedded();
    const input = JSON.stringify({ company: 'A\u001b[2J\u202eB', email: 'ada@example.com', plan: '\u009bgold' });
    const { body } = await json(['submit', 'signup', input, '--wait']);
    for (const line of [`jobs show ${body.job_id}`, `dead-letters list`, `jobs show ${body.job_id} --json`]) {
      const { out } = await run(line, { columns: 200, colour: false });
      expect(out).not.toMatch(/\p{Cf}|(?!\n)\p{Cc}/u);
    }
    expect((await run(`jobs show ${body.job_id}`)).out).toContain('A\\u001b[2J\\u202eB');
  });

  it('colours states on a terminal that can, and nowhere else', async () => {
    const { run } = await embedded();
    await run(['submit', 'signup', SIGNUP, '--wait']);
    expect((await run('jobs list', { columns: 120, colour: true })).out).toContain('\u001b[32mCOMPLETED');
    expect((await run('jobs list', { columns: 120 })).out).not.toContain('\u001b');
  });

  it('of what is not there says so', async () => {
    const { run } = await embedded();
    for (const line of ['jobs show j1', 'jobs history j1', 'dead-letters show d1', 'watch j1']) {
      const { code, err } = await run(line);
      expect([code, err.split(':')[0]]).toEqual([1, expect.stringMatching(/^ORCH_UNKNOWN_/)]);
    }
  });
});

describe('what a person does', () => {
  it('to a job: shown first, agreed to, acted on as it was shown, and kept in the audit', async () => {
    const { run, stuck } = await embedded();
    const id = await stuck();
    const line = ['resolve', id, '--step', 'tenant', '--as', 'compensated', '--reason', 'by hand', '--evidence', 't7'];
    const no = await run([...line, '--caller', 'eve'], { answers: ['n'] });
    expect([no.code, no.err.includes('nothing was done')]).toEqual([1, true]);
    const yes = await run([...line, '--caller', 'eve'], { answers: ['y'] });
    expect(yes.err).toContain('From now on dacapo takes the effect of tenant for undone');
    expect(yes.asked[0]).toContain(`resolve signup ${id}? [y/N]`);
    expect([yes.code, yes.out.includes('FAILED') || yes.out.includes('dacapo watch')]).toEqual([0, true]);
    const audit = await run(`audit --job ${id} --actor operator:eve`);
    expect(audit.out).toMatch(/operator:eve +resolve +done .*by hand/);
  });

  it('is refused where nobody can be asked and nobody agreed beforehand', async () => {
    const { run, stuck } = await embedded();
    const id = await stuck();
    for (const name of ['cancel', 'retry-compensation', 'close', 'force-close']) {
      const said = await run([name, id, '--reason', 'r']);
      expect([name, said.code, said.err.includes('add --yes')]).toEqual([name, 1, true]);
    }
    for (const name of ['replay', 'discard']) {
      expect((await run(['dead-letters', name, `d${id}`, '--reason', 'r'])).err).toContain('add --yes');
    }
    expect((await run(`jobs history ${id}`)).out.trim().split('\n')).toHaveLength(6);
  });

  it('says beforehand when it will be refused anyway', async () => {
    const { run, stuck } = await embedded();
    const id = await stuck();
    expect((await run(['close', id, '--reason', 'r'], { answers: ['n'] })).err).toContain('this will be refused');
    const retry = await run(['retry-compensation', id, '--reason', 'r'], { answers: ['n'] });
    expect(retry.err).not.toContain('this will be refused');
    const close = await run(['close', id, '--reason', 'r', '--yes']);
    expect([close.code, close.err.includes('ORCH_INVALID_STATE_TRANSITION')]).toEqual([1, true]);
  });

  it('to leave effects behind takes the whole id, typed', async () => {
    const { run, stuck } = await embedded();
    const id = await stuck();
    const hasty = await run(['force-close', id, '--reason', 'gone'], { answers: ['y'] });
    expect(hasty.err).toContain('LEAVES ONE EFFECT BEHIND');
    expect(hasty.code).toBe(1);
    const sure = await run(['force-close', id, '--reason', 'gone'], { answers: [id] });
    expect([sure.code, sure.out.includes('DEAD_LETTERED  partially_rolled_back')]).toEqual([0, true]);
  });

  it('on a job that changed while it was looked at is refused', async () => {
    const { run, json, stuck } = await embedded();
    const id = await stuck();
    const meanwhile = async () => {
      await run(['retry-compensation', id, '--reason', 'somebody else', '--yes']);
      return id;
    };
    const late = await run(['force-close', id, '--reason', 'gone'], { answers: meanwhile });
    expect([late.code, late.err.includes('ORCH_INVALID_STATE_TRANSITION')]).toEqual([1, true]);
    expect((await json(`jobs show ${id}`)).body.current_state).not.toBe('DEAD_LETTERED');
  });

  it('cancel undoes what was done', async () => {
    const { run, json, fault, until } = await embedded();
    await fault({ target: 'user:create', mode: 'delay', delay_ms: 300 });
    const { body } = await json(['submit', 'signup', SIGNUP]);
    await until(`/jobs/${body.job_id}`, (job) => JSON.stringify(job.steps).includes('"dispatched"'));
    const cancel = await run(['cancel', String(body.job_id), '--reason', 'withdrew', '--yes']);
    expect([cancel.code, cancel.out.includes('dacapo watch')]).toEqual([0, true]);
    const watched = await run(`watch ${body.job_id}`);
    expect([watched.code, watched.out.includes('CANCELLED')]).toEqual([1, true]);
  });

  it('resume sends a job on without asking', async () => {
    const { run, stuck } = await embedded();
    const refused = await run(['resume', await stuck(), '--reason', 'again']);
    expect([refused.code, refused.asked]).toEqual([1, []]);
    expect(refused.err).toContain('an undo has been started');
  });

  it('with a dead letter: replays it with another input, once; the record says by which job', async () => {
    const { run, json, fault } = await embedded();
    await fault({ target: 'user:create', mode: 'fail', error_code: 'ORCH_BROKEN', times: 1 });
    const { body } = await json(['submit', 'signup', SIGNUP, '--wait']);
    expect(body.current_state).toBe('DEAD_LETTERED');
    const id = `d${body.job_id}`;
    expect((await run('dead-letters list --status open --reason unrecoverable_error')).out).toContain(id);
    expect((await run(`dead-letters show ${id}`)).out).toContain('can be replayed  yes');
    const files = { 'fixed.json': SIGNUP.replace('Acme', 'Acme Ltd') };
    const line = ['dead-letters', 'replay', id, '--reason', 'fixed', '--input', '@fixed.json', '--watch'];
    const replay = await run(line, { files, answers: ['y'] });
    expect(replay.err).toContain('"company": "Acme Ltd"');
    expect([replay.code, replay.out.includes('COMPLETED')]).toEqual([0, true]);
    const discard = await run(['dead-letters', 'discard', id, '--reason', 'r', '--yes']);
    expect([discard.code, discard.err.includes('was replayed')]).toEqual([1, true]);
    expect((await run(`dead-letters show ${id}`)).out).toMatch(/replayed by +j\w{26}/);
  });

  it('with a dead letter: discards it, by name and with a reason', async () => {
    const { run, fault } = await embedded();
    await fault({ target: 'user:create', mode: 'fail', error_code: 'ORCH_BROKEN', times: 1 });
    await run(['submit', 'signup', SIGNUP, '--wait']);
    const id = /d(j\w{26})/.exec((await run('dead-letters list')).out)?.[0] ?? '';
    const discard = await run(['dead-letters', 'discard', id, '--reason', 'test data', '--caller', 'eve'], {
      answers: ['yes'],
    });
    expect(discard.err).toContain('nobody can replay it any more');
    expect(discard.out).toMatch(/discarded\n[\s\S]*because +test data/);
  });
});

describe('describe', () => {
  it('prints rules without a server, in each form', async () => {
    const offline = (line: string) => dacapo('http://127.0.0.1:1', line.split(' '));
    expect((await offline('describe')).out).toContain('## Error policy matrix');
    expect((await offline('describe retries')).out).toMatch(/^## Retry plan/);
    expect((await offline('describe job --format mermaid')).out).toMatch(/^stateDiagram-v2\n/);
    expect(JSON.parse((await offline('describe job --json')).out)).toHaveProperty('transitions');
    expect(Object.keys(JSON.parse((await offline('describe --format json')).out))).toContain('dead-letters');
  });

  it('prints workflows of a module, or of the deployment: the same', async () => {
    const { run } = await embedded();
    const deployed = await run('describe workflow');
    expect(deployed.out).toContain('## signup, version 1');
    expect((await run('describe workflow --definitions ./lib/workflows/examples.ts')).out).toBe(deployed.out);
    const one = await run('describe workflow order --definitions ./lib/workflows/order.ts --format mermaid');
    expect(one.out).toMatch(/^flowchart TD\n {2}n0\(\["order"\]\)/);
    expect((await run('describe workflow nothing')).code).toBe(1);
  });
});

it('a job of another caller is acted on under the name that was given', async () => {
  const { json, run } = await embedded();
  const { body } = await json(['submit', 'signup', STICKY, '--wait', '--caller', 'ada']);
  expect(body.caller_id).toBe('ada');
  const history = await run(`jobs history ${body.job_id}`);
  expect(history.out).toContain('caller:ada');
});

describe('pauses', () => {
  it('are added, counted by a dry run and released, each with consent', async () => {
    const { run, json } = await embedded();
    expect((await run(['pauses'])).out).toBe('Nothing is paused.\n');
    const add = ['pauses', 'add', 'topic', 'user:create', '--reason', 'maintenance'];
    const unasked = await run(add);
    expect([unasked.code, unasked.out, unasked.err.includes('--yes')]).toEqual([1, '', true]);
    const { body } = await json([...add, '--yes']);
    expect(body).toMatchObject({ status: 'active', scope: 'topic', value: 'user:create' });
    const id = String(body.pause_id);
    const job = await json(['submit', 'signup', SIGNUP]);
    await expect
      .poll(async () => (await run(['pauses', 'list'])).out, { timeout: 10_000 })
      .toMatch(/user:create +active +1 /);
    const release = ['pauses', 'release', id, '--rate', '20', '--reason', 'over'];
    const dry = await run([...release, '--dry-run']);
    expect([dry.code, dry.out.includes('1 jobs would go on, 20 a second: about 1 s.')]).toEqual([0, true]);
    expect((await run([...release, '--yes'])).out).toContain('releasing');
    const watched = await run(['watch', String(job.body.job_id)]);
    expect(watched.code).toBe(0);
  }, 30_000);
});
