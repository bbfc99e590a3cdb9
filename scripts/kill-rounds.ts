/**
 * Embedded mode under kill -9, on one file, round after round.
 *   npm run kill-rounds -- --rounds 200 --seed 1
 */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { parseArgs } from 'node:util';
import { killRounds } from '../test/local/kill-rounds.ts';

const { values } = parseArgs({
  options: { rounds: { type: 'string', default: '200' }, seed: { type: 'string', default: '1' } },
});
const rounds = Number(values.rounds);
const directory = mkdtempSync(join(tmpdir(), 'dacapo-kills-'));
const startedAt = Date.now();
const told = (round: number, submitted: number): void => {
  if (round % 20 === 0) process.stderr.write(`round ${round} of ${rounds}, ${submitted} jobs\n`);
};
try {
  const { submitted, answered, ends } = await killRounds({ directory, rounds, seed: Number(values.seed), told });
  const seconds = Math.round((Date.now() - startedAt) / 1_000);
  console.log(`${rounds} rounds in ${seconds} s: ${submitted} jobs, ${answered} answered before the last kill`);
  console.log(JSON.stringify(ends));
} finally {
  rmSync(directory, { recursive: true, force: true });
}
