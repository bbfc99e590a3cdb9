/**
 * A question is researched: findings gathered, then audited, then turned into a plan. Nothing is changed anywhere, so
 * nothing needs an undo and every lost answer is simply asked for again.
 */
import * as z from 'zod';
import { EXAMPLE_TOPICS } from '../contract/examples.ts';
import { step, workflow } from '../definition/index.ts';

export const research = workflow('research', 1)
  .input(z.strictObject({ question: z.string() }))
  .stage(
    step('miner', {
      topic: 'research:mine',
      readOnly: true,
      input: ({ input }) => ({ question: input.question }),
      output: EXAMPLE_TOPICS['research:mine'].output,
    }),
  )
  .stage(
    step('auditor', {
      topic: 'research:audit',
      readOnly: true,
      input: ({ input, outputs }) => ({ question: input.question, findings: outputs.miner.findings }),
      output: EXAMPLE_TOPICS['research:audit'].output,
    }),
  )
  .stage(
    step('strategist', {
      topic: 'research:plan',
      readOnly: true,
      // Only what stood up to the audit is planned on.
      input: ({ input, outputs }) => ({ question: input.question, findings: outputs.auditor.accepted }),
      output: EXAMPLE_TOPICS['research:plan'].output,
    }),
  )
  .output(({ outputs }) => ({
    findings: outputs.miner.findings,
    audit: outputs.auditor,
    plan: outputs.strategist.plan,
  }));
