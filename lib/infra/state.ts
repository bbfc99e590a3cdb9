/**
 * What must survive every deployment: the table, the payloads, the bus, the key and the dead-letter queues. Whoever may
 * use one of them is given the permission and the name together. Deleting the stack keeps the data, unless it was
 * made to be thrown away.
 */
import { Duration, RemovalPolicy, Stack } from 'aws-cdk-lib';
import { AttributeType, BillingMode, ProjectionType, Table, TableEncryption } from 'aws-cdk-lib/aws-dynamodb';
import { EventBus } from 'aws-cdk-lib/aws-events';
import { PolicyStatement, ServicePrincipal } from 'aws-cdk-lib/aws-iam';
import { Key, KeySpec, KeyUsage } from 'aws-cdk-lib/aws-kms';
import { BlockPublicAccess, Bucket, BucketEncryption } from 'aws-cdk-lib/aws-s3';
import { type IQueue, Queue } from 'aws-cdk-lib/aws-sqs';
import { Construct } from 'constructs';
import { AWS_VARIABLES } from '../contract/aws-environment.ts';
import { INDEXES, TABLE, type TableIndex, VALUE_KEPT_MS } from '../contract/aws-table.ts';
import { acknowledge } from './findings.ts';
import { deadLetterQueue } from './queues.ts';
import type { Capability, ServiceFunction } from './service-function.ts';

export interface StateProps {
  /** For tests and trials: deleted with its stack, data and all. */
  readonly disposable?: boolean;
}

/** Events carry this source, and nobody but our functions may write under it. */
export const EVENT_SOURCE = 'dacapo';

/** What DynamoDB and S3 do with the key on behalf of whoever calls them; by name, since a wildcard could grow. */
export const KEY_ACTIONS = [
  'kms:Decrypt',
  'kms:DescribeKey',
  'kms:Encrypt',
  'kms:GenerateDataKey',
  'kms:GenerateDataKeyWithoutPlaintext',
  'kms:ReEncryptFrom',
  'kms:ReEncryptTo',
];

const ATTRIBUTE_TYPES = { S: AttributeType.STRING, N: AttributeType.NUMBER } as const;

export class State extends Construct {
  readonly stack: Stack;
  readonly key: Key;
  /** Signs callback tokens; it never leaves KMS. */
  readonly tokenKey: Key;
  readonly table: Table;
  readonly bucket: Bucket;
  readonly bus: EventBus;
  readonly deadLetters: {
    readonly dispatch: Queue;
    readonly compensate: Queue;
    readonly intake: Queue;
    readonly schedules: Queue;
    /** Runs of the watchdog that could not be started. Worthless by then: only their number says something. */
    readonly ticks: Queue;
  };

  constructor(scope: Construct, id: string, { disposable = false }: StateProps = {}) {
    super(scope, id);
    this.stack = Stack.of(this);
    const removalPolicy = disposable ? RemovalPolicy.DESTROY : RemovalPolicy.RETAIN;
    this.key = new Key(this, 'Key', {
      description: 'Data of dacapo: jobs, payloads, alerts',
      enableKeyRotation: true,
      removalPolicy,
    });
    this.tokenKey = new Key(this, 'TokenKey', {
      description: 'Signs the callback tokens of dacapo',
      keySpec: KeySpec.HMAC_256,
      keyUsage: KeyUsage.GENERATE_VERIFY_MAC,
      removalPolicy,
    });
    this.table = new Table(this, 'Table', {
      partitionKey: { name: TABLE.partitionKey, type: AttributeType.STRING },
      sortKey: { name: TABLE.sortKey, type: AttributeType.STRING },
      timeToLiveAttribute: TABLE.timeToLive,
      billingMode: BillingMode.PAY_PER_REQUEST,
      encryption: TableEncryption.CUSTOMER_MANAGED,
      encryptionKey: this.key,
      pointInTimeRecoverySpecification: { pointInTimeRecoveryEnabled: true },
      deletionProtection: !disposable,
      removalPolicy,
    });
    for (const index of Object.values(INDEXES)) this.addIndex(index);
    this.bucket = new Bucket(this, 'Payloads', {
      encryption: BucketEncryption.KMS,
      encryptionKey: this.key,
      bucketKeyEnabled: true,
      blockPublicAccess: BlockPublicAccess.BLOCK_ALL,
      enforceSSL: true,
      // A value is named by its content and never changes: there is no earlier version to keep.
      versioned: false,
      lifecycleRules: [
        { expiration: Duration.millis(VALUE_KEPT_MS), abortIncompleteMultipartUploadAfter: Duration.days(1) },
      ],
      removalPolicy,
    });
    acknowledge(
      this.bucket,
      'S1',
      'Only our functions may read or write it, under keys that are content hashes: data events of CloudTrail tell more than an access log would.',
    );
    this.bus = new EventBus(this, 'Bus', { description: 'Outcomes of processes, and events that start them' });
    this.bus.applyRemovalPolicy(removalPolicy);
    this.deadLetters = {
      dispatch: deadLetterQueue(this, 'DispatchDlq', removalPolicy),
      compensate: deadLetterQueue(this, 'CompensateDlq', removalPolicy),
      intake: deadLetterQueue(this, 'IntakeDlq', removalPolicy),
      schedules: deadLetterQueue(this, 'SchedulesDlq', removalPolicy),
      ticks: deadLetterQueue(this, 'TicksDlq', removalPolicy),
    };
  }

  /**
   * The queue as rules of other stacks name it. EventBridge is let in here, for any rule of this account: a permission
   * for each rule would make this stack depend on theirs.
   */
  deadLetterQueueOfRules(name: keyof State['deadLetters']): IQueue {
    const queue = this.deadLetters[name];
    const id = `${name}OfRules`;
    const known = this.node.tryFindChild(id);
    if (known !== undefined) return known as unknown as IQueue;
    queue.addToResourcePolicy(
      new PolicyStatement({
        principals: [new ServicePrincipal('events.amazonaws.com')],
        actions: ['sqs:SendMessage'],
        resources: [queue.queueArn],
        conditions: { StringEquals: { 'aws:SourceAccount': this.stack.account } },
      }),
    );
    return Queue.fromQueueArn(this, id, queue.queueArn);
  }

  /** Alarms ring at topics that are encrypted with the key. */
  letAlarmsUseKey(): void {
    this.key.addToResourcePolicy(
      new PolicyStatement({
        sid: 'Alarms',
        principals: [new ServicePrincipal('cloudwatch.amazonaws.com')],
        actions: ['kms:Decrypt', 'kms:GenerateDataKey'],
        resources: ['*'],
        conditions: { StringEquals: { 'aws:SourceAccount': this.stack.account } },
      }),
    );
  }

  /** One job by its id, with its values and its history. */
  grantReadJobs(to: ServiceFunction): void {
    this.open(to, ['dynamodb:GetItem', 'dynamodb:Query'], ['s3:GetObject']);
  }

  /** Creating jobs and moving them on: each write under a condition. */
  grantWriteJobs(to: ServiceFunction): void {
    this.open(to, ['dynamodb:PutItem'], ['s3:PutObject']);
  }

  grantFindDueJobs(to: ServiceFunction): void {
    this.open(to, ['dynamodb:BatchGetItem'], []);
    to.allow({ actions: ['dynamodb:Query'], resources: [this.indexArn(INDEXES.active)] });
  }

  /** Which jobs a gate holds: to count them, and to release them. */
  grantFindParkedJobs(to: ServiceFunction): void {
    to.allow({ actions: ['dynamodb:Query'], resources: [this.indexArn(INDEXES.parked)] });
  }

  grantLists(to: ServiceFunction): void {
    this.open(to, ['dynamodb:BatchGetItem'], []);
    const indexes = Object.values(INDEXES).filter((index) => index !== INDEXES.active && index !== INDEXES.parked);
    to.allow({ actions: ['dynamodb:Query'], resources: indexes.map((index) => this.indexArn(index)) });
  }

  grantWriteDeadLetters(to: ServiceFunction): void {
    this.open(to, ['dynamodb:UpdateItem'], []);
  }

  grantSign(to: ServiceFunction): void {
    this.letUseTokenKey(to, 'kms:GenerateMac');
  }

  grantVerify(to: ServiceFunction): void {
    this.letUseTokenKey(to, 'kms:VerifyMac');
  }

  private letUseTokenKey(to: ServiceFunction, action: string): void {
    const { keyArn } = this.tokenKey;
    to.allow({ actions: [action], resources: [keyArn], variables: { [AWS_VARIABLES.callbackKeyId]: keyArn } });
  }

  grantPublish(to: ServiceFunction): void {
    to.allow({
      actions: ['events:PutEvents', 'events:DescribeEventBus'],
      resources: [this.bus.eventBusArn],
      // If there: DescribeEventBus has no source, and PutEvents always has one.
      conditions: { StringEqualsIfExists: { 'events:source': EVENT_SOURCE } },
      variables: { [AWS_VARIABLES.busName]: this.bus.eventBusName },
    });
  }

  private open(to: ServiceFunction, table: readonly string[], bucket: readonly string[]): void {
    const variables = {
      [AWS_VARIABLES.tableName]: this.table.tableName,
      [AWS_VARIABLES.bucketName]: this.bucket.bucketName,
    };
    const grants: Capability[] = [
      { actions: table, resources: [this.table.tableArn], variables },
      { actions: KEY_ACTIONS, resources: [this.key.keyArn] },
    ];
    if (bucket.length > 0) grants.push({ actions: bucket, resources: [this.bucket.arnForObjects('*')] });
    for (const grant of grants) to.allow(grant);
  }

  private indexArn({ name }: TableIndex): string {
    return `${this.table.tableArn}/index/${name}`;
  }

  private addIndex({ name, partitionKey, sortKey, sortKeyType }: TableIndex): void {
    this.table.addGlobalSecondaryIndex({
      indexName: name,
      partitionKey: { name: partitionKey, type: AttributeType.STRING },
      sortKey: { name: sortKey, type: ATTRIBUTE_TYPES[sortKeyType] },
      projectionType: ProjectionType.KEYS_ONLY,
    });
  }
}
