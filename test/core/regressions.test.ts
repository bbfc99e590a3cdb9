/**
 * What simulation found and no other test had: each as short as it can be told. The seed that found it would no longer
 * be the same run once generators change; these stay.
 */
import { expect, it } from 'vitest';
import { openEffects } from '../../lib/core/effects.ts';
import { BAD_OUTPUT, given, later, MINUTE, ok, operated, step, turn, workflow } from './support.ts';

it('an effect of a step that was resumed and not called again can be said to be undone by hand', () => {
  const plan = workflow([[step('a', { kind: 'irreversible' })]], { deadlineMs: MINUTE });
  const review = given(plan).when(
    turn(),
    ok('a', BAD_OUTPUT),
    operated({ action: 'resume' }),
    later(2 * MINUTE),
    turn(),
  );
  expect(review.job).toMatchObject({ state: 'NEEDS_REVIEW', steps: [{ status: 'pending', mayHaveApplied: true }] });
  const settled = given(review).when(
    operated({ action: 'resolve', step: 'a', resolution: 'compensated', output: undefined }),
  );
  expect(openEffects(settled.job, plan)).toEqual([]);
  expect(given(settled).when(operated({ action: 'close' })).job.state).toBe('FAILED');
});
