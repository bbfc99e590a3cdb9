/**
 * One Lambda with a role of its own, its log group and its bundle. It starts with no rights but to write its log; each
 * capability comes whole by `allow`: the permission together with the variables that name what is permitted.
 */
import { Duration, RemovalPolicy } from 'aws-cdk-lib';
import { Effect, PolicyStatement, Role, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import {
  ApplicationLogLevel,
  Architecture,
  Function as LambdaFunction,
  LoggingFormat,
  RecursiveLoop,
  Runtime,
} from 'aws-cdk-lib/aws-lambda';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { DEPLOYMENT_VARIABLE } from '../contract/door-environment.ts';
import { bundled } from './bundle.ts';
import type { FunctionSize } from './settings.ts';

export interface ServiceFunctionProps {
  readonly entry: string;
  readonly definitions: string;
  readonly size: FunctionSize;
  readonly description: string;
  /** The metrics' dimension: tells deployments in one account apart. */
  readonly deployment: string;
  readonly reserved?: number;
  /**
   * A member of the loop queue → function → queue. AWS stops such a loop after about 16 rounds unless told that it is
   * meant; the hop limit of `drive` is what bounds it instead.
   */
  readonly recursive?: boolean;
}

export interface Capability {
  readonly actions: readonly string[];
  readonly resources: readonly string[];
  readonly conditions?: Record<string, Record<string, string | readonly string[]>>;
  readonly variables?: Readonly<Record<string, string>>;
}

export class ServiceFunction extends Construct {
  readonly function: LambdaFunction;
  readonly timeout: Duration;

  constructor(scope: Construct, id: string, props: ServiceFunctionProps) {
    super(scope, id);
    this.timeout = Duration.millis(props.size.timeoutMs);
    const role = new Role(this, 'Role', { assumedBy: new ServicePrincipal('lambda.amazonaws.com') });
    const logGroup = new LogGroup(this, 'Log', {
      retention: RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    logGroup.grantWrite(role);
    this.function = new LambdaFunction(this, 'Function', {
      code: bundled(props.entry, props.definitions),
      handler: 'index.handler',
      runtime: Runtime.NODEJS_24_X,
      architecture: Architecture.ARM_64,
      description: props.description,
      timeout: this.timeout,
      memorySize: props.size.memoryMb,
      role,
      logGroup,
      loggingFormat: LoggingFormat.JSON,
      applicationLogLevelV2: ApplicationLogLevel.INFO,
      recursiveLoop: props.recursive === true ? RecursiveLoop.ALLOW : RecursiveLoop.TERMINATE,
      environment: {
        [DEPLOYMENT_VARIABLE]: props.deployment,
      },
      ...(props.reserved === undefined ? {} : { reservedConcurrentExecutions: props.reserved }),
    });
  }

  allow({ actions, resources, conditions, variables = {} }: Capability): void {
    this.function.addToRolePolicy(
      new PolicyStatement({
        effect: Effect.ALLOW,
        actions: [...actions],
        resources: [...resources],
        ...(conditions === undefined ? {} : { conditions }),
      }),
    );
    for (const [name, value] of Object.entries(variables)) this.function.addEnvironment(name, value);
  }
}
