/** The completion script in a real shell. */
import { execFileSync, spawnSync } from 'node:child_process';
import { describe, expect, it } from 'vitest';
import { dacapo } from './support.ts';

const hasBash = spawnSync('bash', ['--version']).status === 0;

describe.skipIf(!hasBash)('completion in bash', async () => {
  const script = (await dacapo('http://127.0.0.1:1', ['completion', 'bash'])).out;
  const offered = (...words: string[]): string[] => {
    const line = words.map((word) => `'${word}'`).join(' ');
    const ask = `COMP_WORDS=(dacapo ${line}); COMP_CWORD=${words.length}; _dacapo; printf '%s\\n' "\${COMPREPLY[@]}"`;
    return execFileSync('bash', ['-c', `${script}\n${ask}`], { encoding: 'utf8' })
      .split('\n')
      .filter((word) => word !== '');
  };

  it('offers commands, and below them what they take', () => {
    expect(offered('')).toEqual(expect.arrayContaining(['submit', 'jobs', 'dead-letters', 'force-close', '--url']));
    expect(offered('jo')).toEqual(['jobs']);
    expect(offered('jobs', '')).toEqual(expect.arrayContaining(['list', 'show', 'history', '--help']));
    expect(offered('jobs', 'list', '--st')).toEqual(['--state']);
    expect(offered('dead-letters', 'replay', '--')).toEqual(
      expect.arrayContaining(['--reason', '--input', '--watch', '--yes', '--json']),
    );
  });

  it('offers the values where they are fixed', () => {
    expect(offered('jobs', 'list', '--state', 'NE')).toEqual(['NEEDS_REVIEW']);
    expect(offered('resolve', 'j1', '--as', '')).toEqual(['applied', 'not_applied', 'compensated']);
    expect(offered('describe', 'ret')).toEqual(['retries']);
    expect(offered('completion', '')).toEqual(expect.arrayContaining(['bash', 'zsh']));
  });

  it('is not led astray by arguments that look like commands', () => {
    expect(offered('submit', 'jobs', '--wa')).toEqual(['--wait', '--watch']);
  });
});

it('for zsh it is the same, run by the emulation of bash', async () => {
  const { out } = await dacapo('http://127.0.0.1:1', ['completion', 'zsh']);
  expect(out).toContain('autoload -U +X bashcompinit && bashcompinit\n_dacapo() {');
  // A bare name there is a modifier to zsh.
  expect(out).toContain(':1:$((COMP_CWORD-1))}');
});
