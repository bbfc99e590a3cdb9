/**
 * What a person has to look at, each with a heading of the same name in docs/runbook.md; a test holds the two together.
 * All of them ring at one topic.
 */
import { Duration } from 'aws-cdk-lib';
import { Alarm, ComparisonOperator, type IMetric, Metric, Stats, TreatMissingData } from 'aws-cdk-lib/aws-cloudwatch';
import { SnsAction } from 'aws-cdk-lib/aws-cloudwatch-actions';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Topic } from 'aws-cdk-lib/aws-sns';
import type { IQueue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { METRICS_NAMESPACE } from '../contract/door-environment.ts';
import type { ServiceFunction } from './service-function.ts';
import type { FunctionName } from './settings.ts';
import type { State } from './state.ts';

/** What there is to look at. */
export interface Watched {
  readonly deployment: string;
  readonly functions: Readonly<Record<FunctionName, ServiceFunction>>;
  readonly dispatchQueue: IQueue;
  readonly compensateQueue: IQueue;
}

export interface AlarmsProps {
  readonly orchestrator: Watched;
  readonly state: State;
}

interface Watch {
  /** The heading in the runbook. */
  readonly name: string;
  /** Which one, where there are several. */
  readonly of?: string;
  readonly says: string;
  readonly metric: IMetric;
  readonly threshold: number;
  /** One quiet minute is no trouble, a few are. */
  readonly minutes?: number;
  /** Silence itself is the trouble. */
  readonly silenceIsTrouble?: boolean;
}

const MINUTE = Duration.minutes(1);
/** A hint may be lost, and the watchdog needs a minute to find that: a few are always overdue, for a moment. */
const OVERDUE_MAX = 50;
/** Publishing follows a job's end within the same run; past this, consumers notice. */
const PUBLISH_LAG_MS_MAX = 5 * 60_000;
const OLDEST_MESSAGE_SECONDS_MAX = 300;

export function metricOf(deployment: string, metricName: string, statistic: string = Stats.SUM): Metric {
  const dimensionsMap = { service: deployment };
  return new Metric({ namespace: METRICS_NAMESPACE, metricName, dimensionsMap, statistic, period: MINUTE });
}

export class Alarms extends Construct {
  readonly topic: Topic;

  constructor(scope: Construct, id: string, { orchestrator, state }: AlarmsProps) {
    super(scope, id);
    this.topic = new Topic(this, 'Topic', { displayName: 'dacapo alerts', masterKey: state.key, enforceSSL: true });
    state.letAlarmsUseKey();
    this.topic.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['sns:Publish'],
        resources: [this.topic.topicArn],
        conditions: { StringEquals: { 'aws:SourceAccount': state.stack.account } },
      }),
    );
    for (const watch of [...jobWatches(orchestrator.deployment), ...queueWatches(orchestrator, state)]) {
      this.add(watch);
    }
    for (const watch of [...functionWatches(orchestrator), ...tableWatches(state)]) this.add(watch);
  }

  /** A function beside the orchestrator's own that its jobs depend on. */
  watch(of: string, one: ServiceFunction): void {
    for (const watch of troubleOf(of, one)) this.add(watch);
  }

  private add({ name, of, says, metric, threshold, minutes = 1, silenceIsTrouble = false }: Watch): void {
    const slug = name.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-');
    const full = of === undefined ? name : `${name} (${of})`;
    const alarm = new Alarm(this, full.replaceAll(/[^A-Za-z0-9]/g, ''), {
      alarmDescription: `${full}: ${says} What to do: docs/runbook.md#${slug}`,
      metric,
      threshold,
      evaluationPeriods: minutes,
      comparisonOperator: silenceIsTrouble
        ? ComparisonOperator.LESS_THAN_THRESHOLD
        : ComparisonOperator.GREATER_THAN_OR_EQUAL_TO_THRESHOLD,
      treatMissingData: silenceIsTrouble ? TreatMissingData.BREACHING : TreatMissingData.NOT_BREACHING,
    });
    alarm.addAlarmAction(new SnsAction(this.topic));
  }
}

function jobWatches(deployment: string): Watch[] {
  const metric = (name: string, statistic?: string): Metric => metricOf(deployment, name, statistic);
  return [
    { name: 'Dead letter inserted', says: 'a job is in quarantine.', metric: metric('DeadLetters'), threshold: 1 },
    { name: 'Needs review', says: 'a job waits for a person.', metric: metric('NeedsReview'), threshold: 1 },
    { name: 'Undo failed', says: 'an effect could not be taken back.', metric: metric('UndoFailed'), threshold: 1 },
    {
      name: 'Jobs overdue',
      says: 'jobs wait longer than they should.',
      metric: metric('JobsOverdue', Stats.MAXIMUM),
      threshold: OVERDUE_MAX,
      minutes: 5,
    },
    {
      name: 'Breaker open',
      says: 'a dependency is not called; jobs that need it wait.',
      metric: metric('BreakersOpen', Stats.MAXIMUM),
      threshold: 1,
      // Shorter ones heal by themselves: a cooldown and a probe.
      minutes: 3,
    },
    {
      name: 'Publish lag',
      says: 'outcome events leave late.',
      metric: metric('PublishLag', Stats.MAXIMUM),
      threshold: PUBLISH_LAG_MS_MAX,
    },
    { name: 'Messages redriven', says: 'a queue gave up on messages.', metric: metric('Redriven'), threshold: 1 },
    {
      name: 'Unknown version',
      says: 'a job has a definition which this deployment does not.',
      metric: metric('UnknownVersion'),
      threshold: 1,
    },
  ];
}

/** One alarm each, so that it says which: the sum of them would cost as much and tell less. */
function queueWatches({ dispatchQueue, compensateQueue }: Watched, state: State): Watch[] {
  const latest = { period: MINUTE, statistic: Stats.MAXIMUM };
  return [
    ...Object.entries(state.deadLetters).map(([of, queue]) => ({
      name: 'Dead-letter queue not empty',
      of,
      says: 'messages lie in a dead-letter queue.',
      metric: queue.metricApproximateNumberOfMessagesVisible(latest),
      threshold: 1,
      // The function that empties it needs a moment.
      minutes: 3,
    })),
    ...Object.entries({ dispatch: dispatchQueue, compensate: compensateQueue }).map(([of, queue]) => ({
      name: 'Queue backlog',
      of,
      says: 'messages wait for minutes.',
      metric: queue.metricApproximateAgeOfOldestMessage(latest),
      threshold: OLDEST_MESSAGE_SECONDS_MAX,
      minutes: 3,
    })),
  ];
}

function tableWatches({ table }: State): Watch[] {
  return ['Read', 'Write'].map((way) => ({
    name: 'Throttles',
    of: `table, ${way.toLowerCase()}s`,
    says: 'the table takes less than it is asked for.',
    metric: table.metric(`${way}ThrottleEvents`, { period: MINUTE, statistic: Stats.SUM }),
    threshold: 1,
    minutes: 3,
  }));
}

function troubleOf(of: string, one: ServiceFunction): Watch[] {
  return [
    {
      name: 'Throttles',
      of,
      says: 'a function is called more often than it may run.',
      metric: one.function.metricThrottles({ period: MINUTE }),
      threshold: 1,
      minutes: 3,
    },
    {
      name: 'Function errors',
      of,
      says: 'a function ends with an error.',
      metric: one.function.metricErrors({ period: MINUTE }),
      threshold: 1,
      minutes: 3,
    },
  ];
}

function functionWatches({ functions }: Watched): Watch[] {
  const all = Object.entries(functions);
  return [
    ...all.flatMap(([of, one]) => troubleOf(of, one)),
    {
      name: 'Watchdog silent',
      says: 'nobody looks for overdue jobs.',
      metric: functions.watchdog.function.metricInvocations({ period: MINUTE }),
      threshold: 1,
      minutes: 5,
      silenceIsTrouble: true,
    },
  ];
}
