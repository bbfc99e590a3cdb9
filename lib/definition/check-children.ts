/** What the children of a step may not be: too many at once, without end, or such that nobody could take them back. */
import { LIMITS } from '../core/limits.ts';
import { toJson } from './body.ts';
import type { Workflow } from './finished.ts';
import type { ChildrenDraft, Policy } from './step.ts';

/** @param type of the workflow that has them */
export function* childrenProblems(type: string, children: ChildrenDraft): Generator<string> {
  const { concurrency = 1, of } = children;
  if (!Number.isSafeInteger(concurrency) || concurrency < 1 || concurrency > LIMITS.childrenMax) {
    yield `concurrency ${concurrency} is not how many can run at once; write a number from 1 to ${LIMITS.childrenMax}`;
  }
  yield* policyProblems(children.policy);
  yield* initialProblems(children);
  if ('call' in of) {
    if (of.call.irreversible === true) {
      yield 'children that cannot be taken back are no fan-out; give undo, or make each call a step of its own';
    }
    return;
  }
  const { plan } = of.workflow;
  const depth = depthOf(of.workflow);
  if (depth >= LIMITS.childDepthMax) {
    yield `${plan.type} has children ${depth} deep, and ${LIMITS.childDepthMax} levels are the most; flatten one of them`;
  }
  if (plan.type === type || leadsTo(of.workflow, type)) {
    yield `${plan.type} leads back to ${type}, which would never end; start it as a job of its own instead`;
  }
}

function* policyProblems(policy: Policy): Generator<string> {
  if (policy === 'compensate' || policy === 'cancel') return;
  if ('partial' in policy) {
    const { atLeast } = policy.partial;
    if (!Number.isSafeInteger(atLeast) || atLeast < 0) {
      yield `partial.atLeast ${atLeast} is not a number of children; write 1 to need one that succeeds`;
    }
    return;
  }
  const { tolerate } = policy;
  const share = typeof tolerate === 'string' ? Number(/^(\d+(?:\.\d+)?)%$/.exec(tolerate)?.[1] ?? Number.NaN) : null;
  const isCount = typeof tolerate === 'number' && Number.isSafeInteger(tolerate) && tolerate >= 0;
  if (!isCount && !(share !== null && share >= 0 && share <= 100)) {
    yield `tolerate '${tolerate}' is neither a number of children nor a share of them; write 2, or '10%'`;
  }
}

function* initialProblems({ initial }: ChildrenDraft): Generator<string> {
  try {
    toJson(initial);
  } catch (error) {
    yield `initial cannot be stored: ${error instanceof Error ? error.message : String(error)}`;
  }
}

/** 0 for a workflow without children. */
function depthOf({ children = [] }: Workflow): number {
  return children.length === 0 ? 0 : 1 + Math.max(...children.map(depthOf));
}

function leadsTo({ children = [] }: Workflow, type: string): boolean {
  return children.some((one) => one.plan.type === type || leadsTo(one, type));
}
