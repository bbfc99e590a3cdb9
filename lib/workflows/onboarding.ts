/**
 * A company is taken in: a person approves, some days pass, then it is welcomed. The welcome cannot be taken back, so it
 * comes last, when nothing can go wrong any more. What has to be set up before comes as the first stage.
 */
import * as z from 'zod';
import { EXAMPLE_TOPICS } from '../contract/examples.ts';
import { approval, sleep, step, workflow } from '../definition/index.ts';

const input = z.strictObject({
  company: z.string().min(1).max(100),
  /** Who decides: an address that a letter reaches. */
  approver: z.string().min(1).max(200),
});

export const onboarding = workflow('onboarding', 1)
  .input(input)
  .deadline('30 d')
  .stage(
    approval('approval', {
      topic: 'mail:ask',
      input: ({ input }) => ({ to: input.approver, subject: `Take in ${input.company}?` }),
      expires: '7 d',
      // Silence is no consent.
      onExpiry: 'declined',
      remind: '1 d',
    }),
  )
  .stage(sleep('welcome', '3 d'))
  .stage(
    step('notify', {
      topic: 'notify:send',
      irreversible: true,
      input: ({ input, outputs }) => ({
        to: input.company,
        subject: `Welcome, ${input.company}`,
        text: `Taken in by ${outputs.approval.by ?? 'nobody'}.`,
      }),
      output: EXAMPLE_TOPICS['notify:send'].output,
    }),
  )
  .output(({ input, outputs }) => ({
    company: input.company,
    approved_by: outputs.approval.by,
    message_id: outputs.notify.message_id,
  }));
