/** A few rounds; `npm run kill-rounds` runs two hundred. */
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished } from 'vitest';
import { killRounds } from './kill-rounds.ts';

it('loses nothing and leaves nothing over kill -9, round after round', { timeout: 60_000 }, async () => {
  const directory = mkdtempSync(join(tmpdir(), 'dacapo-kills-'));
  onTestFinished(() => rmSync(directory, { recursive: true, force: true }));
  const report = await killRounds({ directory, rounds: 5, seed: 7, told: () => {} });
  expect(report.submitted).toBeGreaterThan(5);
});
