/**
 * One look at a deployment: how jobs end and how long their steps take, what waits, what the functions do.
 */
import { Duration } from 'aws-cdk-lib';
import { Dashboard, GraphWidget, type IMetric, SearchExpression, Stats } from 'aws-cdk-lib/aws-cloudwatch';
import type { Construct } from 'constructs';
import { METRICS_NAMESPACE } from '../contract/door-environment.ts';
import { metricOf, type Watched } from './alarms.ts';
import type { State } from './state.ts';

const WIDTH = 12;
const PERIOD = Duration.minutes(1);

export function addDashboard(scope: Construct, watched: Watched, state: State): Dashboard {
  const { deployment, functions, dispatchQueue, compensateQueue } = watched;
  const own = (name: string, statistic?: string): IMetric => metricOf(deployment, name, statistic);
  const lambdas = Object.values(functions).map((one) => one.function);
  const graph = (title: string, left: IMetric[]): GraphWidget => new GraphWidget({ title, left, width: WIDTH });
  const byDimension = (title: string, metric: string, dimensions: string, statistic: string): GraphWidget =>
    graph(title, [
      new SearchExpression({
        expression: `SEARCH('{${METRICS_NAMESPACE},service,${dimensions}} MetricName="${metric}" service="${deployment}"', '${statistic}')`,
        period: PERIOD,
      }),
    ]);

  return new Dashboard(scope, 'Dashboard', {
    widgets: [
      [
        byDimension('Jobs by end', 'JobsEnded', 'state,workflow_type', 'Sum'),
        byDimension('Step latency, p95', 'StepLatency', 'topic', 'p95'),
      ],
      [
        graph('Needs a person', [own('DeadLetters'), own('NeedsReview'), own('UndoFailed'), own('OpenEffects')]),
        graph('Retries and overdue jobs', [
          own('Retries'),
          own('JobsOverdue', Stats.MAXIMUM),
          own('BreakersOpen', Stats.MAXIMUM),
        ]),
      ],
      [
        graph('Messages waiting', [
          dispatchQueue.metricApproximateNumberOfMessagesVisible(),
          compensateQueue.metricApproximateNumberOfMessagesVisible(),
        ]),
        graph('Publish lag, ms', [own('PublishLag', Stats.MAXIMUM)]),
      ],
      [
        graph(
          'Dead-letter queues',
          Object.values(state.deadLetters).map((queue) => queue.metricApproximateNumberOfMessagesVisible()),
        ),
        graph(
          'Function errors',
          lambdas.map((one) => one.metricErrors()),
        ),
      ],
      [
        graph(
          'Running at once',
          lambdas.map((one) => one.metric('ConcurrentExecutions', { statistic: Stats.MAXIMUM })),
        ),
        graph('Table units consumed', [
          state.table.metricConsumedWriteCapacityUnits(),
          state.table.metricConsumedReadCapacityUnits(),
        ]),
      ],
    ],
  });
}
