/** A job of its own for an effect that came to light late: it undoes as the job itself would have done. */
import { expect, it } from 'vitest';
import { openEffects } from '../../lib/core/effects.ts';
import { newJob } from '../../lib/core/new-job.ts';
import { recoveriesOf, recoveryPlan } from '../../lib/core/recovery.ts';
import { contextOf, given, ok, refused, step, turn, workflow } from './support.ts';

it('a recovery job calls the undo, and says which operation it takes back', () => {
  const plan = workflow([[step('a')]]);
  const late = given(plan).when(turn(), refused('a'), ok('a'));
  expect(openEffects(late.job, plan)).toMatchObject([{ operationId: `${late.job.jobId}.a`, state: 'applied' }]);
  const [submission] = recoveriesOf(late.job, plan, contextOf(late));
  const undoes = submission?.lineage.undoes;
  if (submission === undefined || undoes === undefined) throw new Error('nothing is to be recovered');
  const by = recoveryPlan(plan, undoes);
  const { calls } = given({ ...late, plan: by, job: newJob(submission, by, contextOf(late)), calls: [] }).when(turn());
  expect(calls).toMatchObject([
    { topic: 'a:undo', operationId: `${late.job.jobId}.a.undo`, about: `${late.job.jobId}.a`, direction: 'do' },
  ]);
});
