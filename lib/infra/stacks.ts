/**
 * The shipped deployment: state that survives, an orchestrator that can be replaced, the example services. A team that
 * brings its own app takes `State` and `Orchestrator` from here and leaves the rest.
 */
import { type App, CfnOutput, type Duration, Stack, type StackProps } from 'aws-cdk-lib';
import { AccountPrincipal, Role } from 'aws-cdk-lib/aws-iam';
import { examples } from '../workflows/examples.ts';
import { EXAMPLE_DEFINITIONS } from './bundle.ts';
import { EventCatalog } from './event-catalog.ts';
import type { DoorAuth } from './http-door.ts';
import { Orchestrator } from './orchestrator.ts';
import { OutcomeQueue } from './outcome-queue.ts';
import { ParticipantsStack } from './participants-stack.ts';
import { State } from './state.ts';

export interface DeploymentProps extends StackProps {
  /** Stacks are named after it. */
  readonly name?: string;
  readonly auth?: DoorAuth;
  /** For tests and trials: everything is deleted with its stack. */
  readonly disposable?: boolean;
  /** See `Orchestrator`. */
  readonly scheduleFrom?: Duration;
  readonly errors?: string;
  readonly paused?: boolean;
  readonly lifecycleEvents?: boolean;
  /** See `EventCatalog`. */
  readonly archive?: Duration;
  /** A schema registry of every event. Default: true. */
  readonly eventSchemas?: boolean;
}

export interface Deployment {
  readonly state: Stack;
  readonly orchestrator: Stack;
  readonly participants: ParticipantsStack;
}

export function addDeployment(
  app: App,
  {
    name = 'dacapo',
    auth,
    disposable = false,
    scheduleFrom,
    errors,
    paused,
    lifecycleEvents,
    archive,
    eventSchemas = true,
    ...props
  }: DeploymentProps,
): Deployment {
  const state = new Stack(app, `${name}-state`, props);
  const kept = new State(state, 'State', { disposable });
  const participants = new ParticipantsStack(app, `${name}-participants`, { ...props, disposable });
  const stack = new Stack(app, `${name}-orchestrator`, props);
  const orchestrator = new Orchestrator(stack, 'Orchestrator', {
    state: kept,
    definitions: { registry: examples, module: EXAMPLE_DEFINITIONS },
    participants: participants.participants,
    ...(auth === undefined ? {} : { auth }),
    ...(scheduleFrom === undefined ? {} : { scheduleFrom }),
    ...(errors === undefined ? {} : { errors }),
    ...(paused === undefined ? {} : { paused }),
    ...(lifecycleEvents === undefined ? {} : { lifecycleEvents }),
  });
  if (auth === undefined || auth.kind === 'iam') addRoles(stack, orchestrator);
  const outcomes = new OutcomeQueue(stack, 'Outcomes', { state: kept, registry: examples });
  new EventCatalog(stack, 'Events', {
    state: kept,
    registry: examples,
    schemas: eventSchemas,
    ...(archive === undefined ? {} : { archive }),
  });
  tell(stack, {
    ApiUrl: orchestrator.http.url,
    IntakeQueueUrl: orchestrator.intakeQueue.queueUrl,
    DispatchDeadLettersUrl: kept.deadLetters.dispatch.queueUrl,
    OutcomeQueueUrl: outcomes.queue.queueUrl,
    BusName: kept.bus.eventBusName,
    AlertTopicArn: orchestrator.alarms.topic.topicArn,
  });
  return { state, orchestrator: stack, participants };
}

/** Roles to try the API with: whoever of the account may assume them. A team grants its own roles instead. */
function addRoles(stack: Stack, { http }: Orchestrator): void {
  const role = (id: string): Role => new Role(stack, id, { assumedBy: new AccountPrincipal(stack.account) });
  const [submitter, operator] = [role('Submitter'), role('Operator')];
  http.grantSubmit(submitter);
  http.grantOperate(operator);
  tell(stack, { SubmitterRoleArn: submitter.roleArn, OperatorRoleArn: operator.roleArn });
}

function tell(stack: Stack, values: Readonly<Record<string, string>>): void {
  for (const [name, value] of Object.entries(values)) new CfnOutput(stack, name, { value });
}
