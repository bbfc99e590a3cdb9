/**
 * What EventBridge Scheduler does with one-off schedules, for lack of an engine: a name stands for one schedule of its
 * group until that has fired, and a schedule fires into its queue at its time. Past times are refused, as there.
 */
import { ConflictException, type CreateScheduleCommandInput, ValidationException } from '@aws-sdk/client-scheduler';

export interface FakeScheduler {
  create(input: CreateScheduleCommandInput): { ScheduleArn: string };
  /** Sends what is due by now, earliest first. */
  fire(now: number, send: (targetArn: string, input: string) => Promise<void>): Promise<void>;
  readonly waiting: number;
}

export function fakeScheduler(now: () => number): FakeScheduler {
  const schedules = new Map<string, { readonly at: number; readonly input: CreateScheduleCommandInput }>();
  return {
    create: (input) => {
      const name = `${input.GroupName}/${input.Name}`;
      const at = Date.parse(`${/^at\((.*)\)$/.exec(input.ScheduleExpression ?? '')?.[1]}Z`);
      const refusal = { $metadata: { httpStatusCode: 400 }, message: 'refused', Message: 'refused' };
      if (!(at > now())) throw new ValidationException(refusal);
      if (schedules.has(name)) throw new ConflictException({ ...refusal, $metadata: { httpStatusCode: 409 } });
      schedules.set(name, { at, input });
      return { ScheduleArn: `arn:aws:scheduler:eu-central-1:123456789012:schedule/${name}` };
    },
    fire: async (until, send) => {
      const due = [...schedules].filter(([, { at }]) => at <= until).toSorted(([, a], [, b]) => a.at - b.at);
      for (const [name, { input }] of due) {
        await send(input.Target?.Arn ?? '', input.Target?.Input ?? '');
        if (input.ActionAfterCompletion === 'DELETE') schedules.delete(name);
      }
    },
    get waiting() {
      return schedules.size;
    },
  };
}
