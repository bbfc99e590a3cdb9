/**
 * The orchestrator in a team's own app: functions, queues, API, timers and alarms around a `State`. It is replaceable:
 * everything that must not be lost lies in the state.
 *
 *   new Orchestrator(this, 'Orchestrator', {
 *     state, definitions: { registry: definitions, module: join(import.meta.dirname, 'workflows.ts') }, participants,
 *   });
 */
import { Duration, Stack } from 'aws-cdk-lib';
import { Schedule as Rate, Rule } from 'aws-cdk-lib/aws-events';
import { LambdaFunction, SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import type { Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { AWS_VARIABLES } from '../contract/aws-environment.ts';
import { DOOR_VARIABLES, SUBMIT_DETAIL_TYPE } from '../contract/door-environment.ts';
import type { Registry } from '../definition/index.ts';
import { Alarms } from './alarms.ts';
import { entryOf } from './bundle.ts';
import { addDashboard } from './dashboard.ts';
import { acknowledgeWildcards, type Wildcard } from './findings.ts';
import { type DoorAuth, HttpDoor } from './http-door.ts';
import { RULE_RETRY } from './outcome-queue.ts';
import { checkRoutes, grantCall, httpWorkersOf, type Participant, tellRoutes } from './participants.ts';
import { feed, grantSend, workQueue } from './queues.ts';
import { armTimers, wakeSchedules } from './scheduler.ts';
import { ServiceFunction } from './service-function.ts';
import { CONCURRENCY, type Concurrency, type ConcurrencyOverrides, FUNCTIONS, type FunctionName } from './settings.ts';
import type { State } from './state.ts';

export interface Definitions {
  readonly registry: Registry;
  /** Path of the module that exports it under the name `definitions`; the functions are bundled with it. */
  readonly module: string;
}

export interface OrchestratorProps {
  readonly state: State;
  readonly definitions: Definitions;
  readonly participants: readonly Participant[];
  /** Default: IAM. */
  readonly auth?: DoorAuth;
  readonly concurrency?: ConcurrencyOverrides;
  /** Waits longer than this are schedules, shorter ones delayed messages. Default, and at most, 900 s. */
  readonly scheduleFrom?: Duration;
  /** The text of an `errors.json`: retry policies that are told from outside the code. */
  readonly errors?: string;
  /** An event for every transition, not only for outcomes: as many more events as a job has transitions. */
  readonly lifecycleEvents?: boolean;
  /** Takes submits and answers questions, but drives no job: after a restore, until somebody has looked. */
  readonly paused?: boolean;
}

/** Names that are made at run time cannot be listed when the stack is made; what holds them is ours alone. */
const WILDCARDS: readonly Wildcard[] = [
  { resource: /Payloads[\w.>]*\/\*$/, reason: 'Objects of the payload bucket are named by job and content hash.' },
  {
    resource: /:schedule\/[\w-]+\/\*$/,
    reason: 'Timers are named by job and revision, wake-ups by what they wake, each in a group of its own.',
  },
  {
    resource: /:execute-api:.*\*/,
    reason: 'A caller may name any job or workflow; what it then sees the functions decide.',
  },
];
const INTAKE_BATCH = 10;
const DEAD_LETTER_BATCH = 10;

const DESCRIPTIONS: Readonly<Record<FunctionName, string>> = {
  submit: 'Takes submits in over HTTP and waits with their callers',
  operate: 'Everything else of the HTTP API: jobs, dead letters, actions of people',
  callback: 'Takes in what comes with a token: answers of participants, decisions of people',
  dispatch: 'Drives jobs forward',
  compensate: 'Undoes what failed jobs have done',
  intake: 'Takes submits in from its queue and from the bus',
  watchdog: 'Finds overdue jobs each minute',
  'dead-letter': 'Sends dead letters of queues on their way again, or records them',
};

export class Orchestrator extends Construct {
  readonly functions: Readonly<Record<FunctionName, ServiceFunction>>;
  readonly dispatchQueue: Queue;
  readonly compensateQueue: Queue;
  /** Send submits here; see contracts of the doors. */
  readonly intakeQueue: Queue;
  readonly http: HttpDoor;
  readonly alarms: Alarms;
  /** Tells deployments in one account apart. */
  readonly deployment: string;

  private readonly state: State;
  private readonly concurrency: Readonly<Record<keyof typeof CONCURRENCY, Concurrency>>;

  constructor(scope: Construct, id: string, props: OrchestratorProps) {
    super(scope, id);
    checkRoutes(props.definitions.registry, props.participants);
    this.state = props.state;
    this.deployment = Stack.of(this).stackName;
    this.concurrency = { ...CONCURRENCY, ...props.concurrency };
    const { deadLetters } = props.state;
    const queueFor = (name: 'dispatch' | 'compensate' | 'intake'): Queue =>
      workQueue(this, `${titled(name)}Queue`, { deadLetters: deadLetters[name], worker: FUNCTIONS[name] });
    this.dispatchQueue = queueFor('dispatch');
    this.compensateQueue = queueFor('compensate');
    this.intakeQueue = queueFor('intake');
    this.functions = this.makeFunctions(props.definitions.module);

    this.grantState();
    if (props.paused !== true) this.letSubmitsWait();
    this.connectQueues(props.paused === true);
    const { dispatch, compensate, operate } = this.functions;
    const { dispatchQueue, compensateQueue, intakeQueue } = this;
    const dlq = deadLetters.schedules;
    armTimers(this, [dispatch, compensate], { dispatchQueue, compensateQueue, dlq, from: props.scheduleFrom });
    wakeSchedules(this, operate, { intakeQueue, dlq });
    this.startWatchdog(props.paused === true);
    this.openBusDoor();
    this.route(props.participants);
    this.tellPublishers(props);
    this.http = new HttpDoor(this, 'Http', { auth: props.auth ?? { kind: 'iam' }, ...this.functions });
    this.alarms = new Alarms(this, 'Alarms', { orchestrator: this, state: props.state });
    for (const { node, service } of httpWorkersOf(props.participants)) this.alarms.watch(node.id, service);
    addDashboard(this, this, props.state);
    acknowledgeWildcards(this, WILDCARDS);
  }

  /** Every function, with no rights yet. */
  private makeFunctions(definitions: string): Readonly<Record<FunctionName, ServiceFunction>> {
    const make = (name: FunctionName, recursive = false): ServiceFunction => {
      const reserved = this.reservedOf(name);
      return new ServiceFunction(this, titled(name), {
        entry: entryOf(name),
        definitions,
        size: FUNCTIONS[name],
        description: DESCRIPTIONS[name],
        deployment: this.deployment,
        recursive,
        ...(reserved === null ? {} : { reserved }),
      });
    };
    return {
      submit: make('submit'),
      operate: make('operate'),
      callback: make('callback'),
      dispatch: make('dispatch', true),
      compensate: make('compensate', true),
      intake: make('intake'),
      watchdog: make('watchdog'),
      'dead-letter': make('dead-letter', true),
    };
  }

  private reservedOf(name: FunctionName): number | null {
    return name === 'submit' || name === 'operate' || name === 'callback' ? null : this.concurrency[name].reserved;
  }

  private grantState(): void {
    const { operate, dispatch, compensate, intake, watchdog, 'dead-letter': deadLetter } = this.functions;
    for (const one of Object.values(this.functions)) {
      this.state.grantReadJobs(one);
      this.state.grantWriteJobs(one);
    }
    // The watchdog: a tick of a schedule that cannot become a job is kept as a dead letter.
    for (const one of [operate, dispatch, compensate, intake, watchdog, deadLetter]) {
      this.state.grantWriteDeadLetters(one);
      this.state.grantPublish(one);
    }
    this.state.grantLists(operate);
    this.state.grantFindDueJobs(watchdog);
    for (const one of [watchdog, operate]) this.state.grantFindParkedJobs(one);
    // Who calls makes tokens; the door that is open to everybody can only check them.
    this.state.grantSign(dispatch);
    this.state.grantVerify(this.functions.callback);
  }

  /** A submit that waits runs its job by a direct invoke; one that may not, sends a hint. */
  private letSubmitsWait(): void {
    const { submit, dispatch } = this.functions;
    submit.allow({
      actions: ['lambda:InvokeFunction'],
      resources: [dispatch.function.functionArn],
      variables: { [DOOR_VARIABLES.dispatchFunction]: dispatch.function.functionName },
    });
  }

  private connectQueues(paused: boolean): void {
    const { operate, callback, dispatch, compensate, intake, watchdog, 'dead-letter': deadLetter } = this.functions;
    for (const one of Object.values(this.functions)) {
      grantSend(one, this.dispatchQueue, { [AWS_VARIABLES.dispatchQueueUrl]: this.dispatchQueue.queueUrl });
    }
    for (const one of [operate, callback, dispatch, compensate, watchdog, deadLetter]) {
      grantSend(one, this.compensateQueue, { [AWS_VARIABLES.compensateQueueUrl]: this.compensateQueue.queueUrl });
    }
    watchdog.allow({
      actions: ['sqs:GetQueueAttributes'],
      resources: [this.dispatchQueue.queueArn, this.compensateQueue.queueArn],
    });
    // One message at a time: a slow job never returns its neighbours.
    feed(dispatch, this.dispatchQueue, {
      batchSize: 1,
      maxConcurrency: this.concurrency.dispatch.perQueue,
      paused,
    });
    feed(compensate, this.compensateQueue, {
      batchSize: 1,
      maxConcurrency: this.concurrency.compensate.perQueue,
      paused,
    });
    feed(intake, this.intakeQueue, { batchSize: INTAKE_BATCH, maxConcurrency: this.concurrency.intake.perQueue });
    const { dispatch: forward, compensate: back, intake: doors, schedules } = this.state.deadLetters;
    for (const queue of [forward, back, doors, schedules]) {
      feed(deadLetter, queue, {
        batchSize: DEAD_LETTER_BATCH,
        maxConcurrency: this.concurrency['dead-letter'].perQueue,
      });
    }
  }

  private startWatchdog(paused: boolean): void {
    new Rule(this, 'EachMinute', {
      description: 'Wakes the watchdog',
      enabled: !paused,
      schedule: Rate.rate(Duration.minutes(1)),
      targets: [
        new LambdaFunction(this.functions.watchdog.function, {
          deadLetterQueue: this.state.deadLetterQueueOfRules('ticks'),
          // The next tick is as good as this one.
          maxEventAge: Duration.minutes(1),
          retryAttempts: 0,
        }),
      ],
    });
  }

  private openBusDoor(): void {
    new Rule(this, 'SubmitEvents', {
      description: 'Events that start a process',
      eventBus: this.state.bus,
      eventPattern: { detailType: [SUBMIT_DETAIL_TYPE] },
      targets: [
        new SqsQueue(this.intakeQueue, {
          deadLetterQueue: this.state.deadLetterQueueOfRules('intake'),
          ...RULE_RETRY,
        }),
      ],
    });
  }

  private route(participants: readonly Participant[]): void {
    const { operate, dispatch, compensate, watchdog, 'dead-letter': deadLetter } = this.functions;
    for (const one of [operate, dispatch, compensate, watchdog, deadLetter]) {
      tellRoutes(one, participants);
    }
    for (const one of [dispatch, compensate]) grantCall(one, participants);
  }

  /** What decides how jobs go on, and what is told of it, is the same wherever they are moved. */
  private tellPublishers({ errors, lifecycleEvents = false }: OrchestratorProps): void {
    const { operate, dispatch, compensate, intake, watchdog, 'dead-letter': deadLetter } = this.functions;
    for (const one of [operate, dispatch, compensate, intake, watchdog, deadLetter]) {
      if (errors !== undefined) one.function.addEnvironment(AWS_VARIABLES.errors, errors);
      if (lifecycleEvents) one.function.addEnvironment(AWS_VARIABLES.lifecycleEvents, '1');
    }
  }
}

/** `dead-letter` → `DeadLetter`. */
function titled(name: string): string {
  return name.replace(/(^|-)([a-z])/g, (_, __, letter: string) => letter.toUpperCase());
}
