/** A program and its run in words, for whoever has to find out what went wrong. */
import type { StepPlan, WorkflowPlan } from '../../core/plan.ts';
import type { Program } from './program.ts';
import { shortened } from './record.ts';
import type { ServiceSpec } from './service.ts';
import type { Shrunken } from './shrink.ts';

export function describeFailure({ program, faults, report }: Shrunken): string {
  const rules = report.broken.map((rule) => `  ${rule}`);
  const kept = [...faults].map(([ordinal, { mode, size }]) => `#${ordinal} ${mode} ${size}`);
  return [
    `seed ${program.seed} breaks`,
    ...rules,
    ...program.plans.flatMap((plan) => planLines(plan, program)),
    `orders ${JSON.stringify(program.orders)}`,
    `deeds ${JSON.stringify(program.deeds)}`,
    `faults ${kept.join(', ') || 'none'}; clocks off by ${program.skews.join(', ')} ms; calm after ${program.calmAtMs} ms`,
    ...report.record.lines.map(shortened),
    `again: npm run simulate -- --seeds 1 --from ${program.seed}`,
  ].join('\n');
}

function planLines(plan: WorkflowPlan, { services }: Program): string[] {
  const { type, version, recovery, concurrentUndo, deadlineMs, undoDeadlineMs, maxRetries, retry, sagaRetry } = plan;
  const order = concurrentUndo ? 'all at once' : (recovery?.join(', ') ?? 'last first');
  const head = `workflow ${type} ${version}: undone ${order}; deadline ${deadlineMs}, undo ${undoDeadlineMs} ms; retries ${maxRetries} ${JSON.stringify(retry)}, saga ${sagaRetry?.maxAttempts ?? 1}`;
  return [head, ...plan.steps.map((step) => stepLine(step, services.get(step.name)))];
}

function stepLine({ name, stage, kind, onUnknown, timeoutMs, undo }: StepPlan, spec: ServiceSpec | undefined): string {
  const undone =
    undo === null ? 'nothing to undo' : 'none' in undo ? 'cannot be undone' : `undone by ${undo.topics.join(' or ')}`;
  const says = `${spec?.kind}, at work up to ${spec?.maxRunMs} ms, says ${spec?.forward.join(' ')}`;
  return `  ${name} in stage ${stage}: ${kind}, ${undone}, unknown: ${onUnknown}, ${timeoutMs} ms; ${says}`;
}
