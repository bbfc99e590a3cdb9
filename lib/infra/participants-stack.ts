/**
 * The example services, one Lambda each, with a table of their own: a participant shares neither code nor data with the
 * orchestrator, and has no right at the table of jobs.
 */
import { RemovalPolicy, Stack, type StackProps } from 'aws-cdk-lib';
import { AttributeType, BillingMode, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import { Key } from 'aws-cdk-lib/aws-kms';
import type { Construct } from 'constructs';
import { PARTICIPANT_VARIABLES } from '../contract/door-environment.ts';
import { EXAMPLE_DEFINITIONS, entryOf } from './bundle.ts';
import { EXAMPLE_SERVICES } from './example-services.ts';
import type { Participant } from './participants.ts';
import { ServiceFunction } from './service-function.ts';
import { KEY_ACTIONS } from './state.ts';

export interface ParticipantsStackProps extends StackProps {
  readonly disposable?: boolean;
}

/** Three times the default timeout of a step: what still runs when nobody waits any more comes to its end. */
const SIZE = { timeoutMs: 30_000, memoryMb: 512 } as const;

export class ParticipantsStack extends Stack {
  readonly participants: readonly Participant[];
  readonly functions: Readonly<Record<string, ServiceFunction>>;

  constructor(scope: Construct, id: string, { disposable = false, ...props }: ParticipantsStackProps = {}) {
    super(scope, id, props);
    const removalPolicy = disposable ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN;
    const key = new Key(this, 'Key', {
      description: 'Data of the example services',
      enableKeyRotation: true,
      removalPolicy,
    });
    const table = new Table(this, 'Operations', {
      partitionKey: { name: 'pk', type: AttributeType.STRING },
      timeToLiveAttribute: 'expires_at',
      billingMode: BillingMode.PAY_PER_REQUEST,
      encryption: TableEncryption.CUSTOMER_MANAGED,
      encryptionKey: key,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: !disposable,
      removalPolicy,
    });
    const functions = Object.keys(EXAMPLE_SERVICES).map((name) => {
      const one = new ServiceFunction(this, name, {
        entry: entryOf(`participants/${name}`),
        definitions: EXAMPLE_DEFINITIONS,
        size: SIZE,
        description: `Example service: ${name}`,
        deployment: this.stackName,
      });
      one.allow({
        actions: ['dynamodb:GetItem', 'dynamodb:PutItem'],
        resources: [table.tableArn],
        variables: { [PARTICIPANT_VARIABLES.operationsTable]: table.tableName },
      });
      one.allow({ actions: KEY_ACTIONS, resources: [key.keyArn] });
      return [name, one] as const;
    });
    this.functions = Object.fromEntries(functions);
    this.participants = functions.map(([target, one]) => ({
      target,
      topics: EXAMPLE_SERVICES[target] ?? [],
      at: { function: one.function },
      maxRunMs: SIZE.timeoutMs,
    }));
  }
}
