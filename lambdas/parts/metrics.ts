/**
 * Numbers for alarms and dashboard, as lines of the log in CloudWatch's embedded metric format: no call, and nothing lost
 * with a container. Alarms stand on metrics with the deployment as their only dimension; finer ones lie beside them.
 */
import { METRICS_NAMESPACE, readDeployment } from '../../lib/contract/door-environment.ts';

export type MetricName =
  | 'DeadLetters'
  | 'NeedsReview'
  | 'UndoFailed'
  | 'OpenEffects'
  | 'Retries'
  | 'PublishLag'
  | 'JobsOverdue'
  | 'BreakersOpen'
  | 'Redriven'
  | 'UnknownVersion'
  | 'JobsEnded'
  | 'StepLatency'
  | 'HttpLatency';

const IN_MILLISECONDS: ReadonlySet<MetricName> = new Set(['PublishLag', 'StepLatency', 'HttpLatency']);
/** What the format takes as values of one metric in one line. */
const VALUES_MAX = 100;

interface Series {
  readonly name: MetricName;
  readonly dimensions: Readonly<Record<string, string>>;
  readonly values: number[];
}

const service = readDeployment();
const pending = new Map<string, Series>();

export function count(name: MetricName, value = 1, dimensions: Readonly<Record<string, string>> = {}): void {
  const key = JSON.stringify([name, dimensions]);
  const series = pending.get(key) ?? { name, dimensions, values: [] };
  pending.set(key, series);
  if (series.values.push(value) >= VALUES_MAX) flush();
}

/** Writes what was counted since the last time. */
export function flush(write: (line: string) => void = (line) => process.stdout.write(line)): void {
  const all = [...pending.values()];
  pending.clear();
  for (const series of all) write(`${JSON.stringify(lineOf(series))}\n`);
}

function lineOf({ name, dimensions, values }: Series): object {
  const Unit = IN_MILLISECONDS.has(name) ? 'Milliseconds' : 'Count';
  const Dimensions = [['service', ...Object.keys(dimensions).sort()]];
  const CloudWatchMetrics = [{ Namespace: METRICS_NAMESPACE, Dimensions, Metrics: [{ Name: name, Unit }] }];
  return { _aws: { Timestamp: Date.now(), CloudWatchMetrics }, service, ...dimensions, [name]: values };
}
