/**
 * How somebody hears of outcomes: a rule on the bus that puts the outcome events of some workflows into a queue. Events
 * come at least once; a consumer tells a repetition by `event_id`.
 */
import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import type { Registry } from '../definition/index.ts';
import { deadLetterQueue, workQueue } from './queues.ts';
import { EVENT_SOURCE, type State } from './state.ts';

export interface OutcomeQueueProps {
  readonly state: State;
  readonly registry: Registry;
  /** Default: all of the registry. */
  readonly workflows?: readonly string[];
  /** Of the consumer; the queue hides a message for six times as long. Default 30 s. */
  readonly consumerTimeoutMs?: number;
}

/** As long as EventBridge tries by default; said here so that a change of its default changes nothing. */
export const RULE_RETRY = { maxEventAge: Duration.hours(24), retryAttempts: 185 } as const;

export class OutcomeQueue extends Construct {
  readonly queue: Queue;
  readonly deadLetters: Queue;

  constructor(scope: Construct, id: string, props: OutcomeQueueProps) {
    super(scope, id);
    const { registry, workflows, consumerTimeoutMs: timeoutMs = 30_000 } = props;
    const plans = registry.list().filter(({ type }) => workflows === undefined || workflows.includes(type));
    const detailType = [...new Set(plans.flatMap(({ events }) => [events.completed, events.failed]))];
    this.deadLetters = deadLetterQueue(this, 'Dlq', RemovalPolicy.RETAIN);
    this.queue = workQueue(this, 'Queue', { deadLetters: this.deadLetters, worker: { timeoutMs, memoryMb: 0 } });
    new Rule(this, 'Rule', {
      description: 'Outcomes of processes',
      eventBus: props.state.bus,
      eventPattern: { source: [EVENT_SOURCE], detailType },
      targets: [new SqsQueue(this.queue, { deadLetterQueue: this.deadLetters, ...RULE_RETRY })],
    });
  }
}
