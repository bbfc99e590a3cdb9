/** What the templates must say, since no emulator and no test can show it before it is needed. */
import { describe, expect, it, vi } from 'vitest';
import { LIMITS } from '../../lib/core/limits.ts';
import { EXAMPLE_SERVICES } from '../../lib/infra/example-services.ts';
import { CONCURRENCY, FUNCTIONS } from '../../lib/infra/settings.ts';
import { named, ofType, type Properties, plain, synthesise } from './templates.ts';

const synthesised = synthesise();
/** Synthesis is work: seconds on a free machine, more on a busy one. */
vi.setConfig({ testTimeout: 120_000 });
const all = (type: string): [string, Properties][] => ofType(synthesised, type);
const one = (type: string, id: RegExp): Properties => {
  const found = all(type).filter(([name]) => id.test(name));
  expect(found, `${type} ${id}`).toHaveLength(1);
  return found[0]?.[1] ?? {};
};

describe('state', () => {
  it('table: recoverable, protected, encrypted by our key, forgetting by itself', () => {
    expect(one('AWS::DynamoDB::Table', /^StateTable/)).toMatchObject({
      BillingMode: 'PAY_PER_REQUEST',
      DeletionProtectionEnabled: true,
      PointInTimeRecoverySpecification: { PointInTimeRecoveryEnabled: true },
      SSESpecification: { SSEEnabled: true, SSEType: 'KMS', KMSMasterKeyId: expect.anything() },
      TimeToLiveSpecification: { AttributeName: 'expires_at', Enabled: true },
    });
  });

  it('indexes hold keys only: a transition touches none that it does not have to', () => {
    const { GlobalSecondaryIndexes } = one('AWS::DynamoDB::Table', /^StateTable/) as {
      GlobalSecondaryIndexes: { IndexName: string; Projection: unknown }[];
    };
    expect(GlobalSecondaryIndexes.map((index) => index.IndexName)).toEqual([
      'active',
      'parked',
      'by_caller',
      'by_time',
      'by_correlation',
    ]);
    for (const { Projection } of GlobalSecondaryIndexes) expect(Projection).toEqual({ ProjectionType: 'KEYS_ONLY' });
  });

  it('stays when its stack is deleted', () => {
    for (const [id, resource] of synthesised.resources) {
      if (!/Table|Payloads|Bus|Key|Dlq/.test(id) || /Policy|Rule/.test(id)) continue;
      if (
        ![
          'AWS::DynamoDB::Table',
          'AWS::S3::Bucket',
          'AWS::KMS::Key',
          'AWS::Events::EventBus',
          'AWS::SQS::Queue',
        ].includes(resource.Type)
      )
        continue;
      expect([id, resource.DeletionPolicy]).toEqual([id, 'Retain']);
    }
  });

  it('is thrown away with its stack only where that was asked for', () => {
    const trial = synthesise({ name: 'trial', disposable: true });
    const tables = ofType(trial, 'AWS::DynamoDB::Table');
    expect(tables.map(([, table]) => table.DeletionProtectionEnabled)).toEqual([false, false]);
  });

  it('keys rotate, but the one that signs: KMS rotates none of its kind', () => {
    const [signing, ...more] = all('AWS::KMS::Key').filter(([, { KeySpec }]) => KeySpec === 'HMAC_256');
    expect([signing?.[1].KeyUsage, more]).toEqual(['GENERATE_VERIFY_MAC', []]);
    for (const [id, key] of all('AWS::KMS::Key')) {
      if (id !== signing?.[0]) expect(key.EnableKeyRotation).toBe(true);
    }
  });
});

describe('queues', () => {
  const queues = all('AWS::SQS::Queue');
  const isDlq = (id: string): boolean => /Dlq/.test(id);

  it('are encrypted, and take TLS only', () => {
    const policies = all('AWS::SQS::QueuePolicy').map(([, policy]) => JSON.stringify(policy));
    for (const [id, queue] of queues) {
      expect([id, queue.SqsManagedSseEnabled]).toEqual([id, true]);
      expect(
        policies.some((policy) => policy.includes(`"${id}"`) && policy.includes('"aws:SecureTransport":"false"')),
      ).toBe(true);
    }
  });

  it('each has a dead-letter queue that keeps for 14 days, after five receives at the least', () => {
    for (const [id, queue] of queues) {
      if (isDlq(id)) expect([id, queue.MessageRetentionPeriod]).toEqual([id, 14 * 86_400]);
      else
        expect([id, queue.RedrivePolicy]).toEqual([id, { deadLetterTargetArn: expect.anything(), maxReceiveCount: 5 }]);
    }
    expect(LIMITS.messageMaxReceives).toBeGreaterThanOrEqual(5);
  });

  it('hide a message six times as long as its function may run, window included', () => {
    const functions = new Map(all('AWS::Lambda::Function').map(([id, one]) => [id, one]));
    const byId = new Map(queues.map(([id, queue]) => [plain(id), queue]));
    const mappings = all('AWS::Lambda::EventSourceMapping');
    expect(mappings).toHaveLength(7);
    for (const [id, mapping] of mappings) {
      const { Timeout } = functions.get(named(mapping.FunctionName)) ?? {};
      const queue = byId.get(plain(named(mapping.EventSourceArn)));
      const window = Number(mapping.MaximumBatchingWindowInSeconds ?? 0);
      expect(Number(queue?.VisibilityTimeout), id).toBeGreaterThanOrEqual(6 * Number(Timeout) + window);
    }
  });

  it('never take more messages at once than their function may work on', () => {
    const functions = new Map(all('AWS::Lambda::Function').map(([id, one]) => [id, one]));
    const taken = new Map<string, number>();
    for (const [, mapping] of all('AWS::Lambda::EventSourceMapping')) {
      const { MaximumConcurrency } = mapping.ScalingConfig as { MaximumConcurrency: number };
      expect(MaximumConcurrency).toBeGreaterThanOrEqual(2);
      const worker = named(mapping.FunctionName);
      taken.set(worker, (taken.get(worker) ?? 0) + MaximumConcurrency);
    }
    for (const [id, count] of taken) {
      expect(count, id).toBeLessThanOrEqual(Number(functions.get(id)?.ReservedConcurrentExecutions));
    }
  });

  it('tell each failed message apart, filter none, and give drivers one at a time', () => {
    for (const [id, mapping] of all('AWS::Lambda::EventSourceMapping')) {
      expect(mapping.FunctionResponseTypes).toEqual(['ReportBatchItemFailures']);
      expect(mapping.FilterCriteria).toBeUndefined();
      if (/Dispatch(Sqs|.*DispatchQueue)|CompensateQueue/.test(id) && !/DeadLetter/.test(id))
        expect(mapping.BatchSize).toBe(1);
    }
  });
});

describe('functions', () => {
  const functions = all('AWS::Lambda::Function');

  it('run the current Node on arm64 and write JSON into log groups of their own, for a month', () => {
    expect(functions).toHaveLength(Object.keys(FUNCTIONS).length + Object.keys(EXAMPLE_SERVICES).length);
    for (const [, one] of functions) {
      expect(one).toMatchObject({
        Runtime: 'nodejs24.x',
        Architectures: ['arm64'],
        LoggingConfig: { LogFormat: 'JSON', ApplicationLogLevel: 'INFO', LogGroup: expect.anything() },
      });
    }
    for (const [, group] of all('AWS::Logs::LogGroup')) expect(group.RetentionInDays).toBe(30);
  });

  it('of the loop may call each other in circles, and no other', () => {
    const allowed = functions.filter(([, one]) => one.RecursiveLoop === 'Allow').map(([id]) => plain(id));
    expect(allowed.sort()).toEqual([
      'OrchestratorCompensateFunction',
      'OrchestratorDeadLetterFunction',
      'OrchestratorDispatchFunction',
    ]);
  });

  it('have a role each, and no policy of AWS', () => {
    const roles = functions.map(([, one]) => named(one.Role));
    expect(new Set(roles).size).toBe(functions.length);
    for (const [id, role] of all('AWS::IAM::Role')) expect([id, role.ManagedPolicyArns]).toEqual([id, undefined]);
  });

  it('take their timeouts from the limits that drivers reckon with', () => {
    expect(one('AWS::Lambda::Function', /^OrchestratorDispatchFunction/).Timeout).toBe(
      LIMITS.dispatchTimeoutMs / 1_000,
    );
    expect(CONCURRENCY.dispatch.reserved).toBeGreaterThan(CONCURRENCY.dispatch.perQueue);
  });
});

describe('a paused deployment', () => {
  const paused = synthesise({ name: 'restored', paused: true });

  it('takes submits in and drives nothing: no queue is read by drivers, no watchdog wakes, no submit invokes', () => {
    const enabled = ofType(paused, 'AWS::Lambda::EventSourceMapping').filter(
      ([, mapping]) => mapping.Enabled !== false,
    );
    expect([...new Set(enabled.map(([, mapping]) => plain(named(mapping.FunctionName))))].sort()).toEqual([
      'OrchestratorDeadLetterFunction',
      'OrchestratorIntakeFunction',
    ]);
    const [rule] = ofType(paused, 'AWS::Events::Rule').filter(([id]) => /EachMinute/.test(id));
    expect(rule?.[1].State).toBe('DISABLED');
    expect(JSON.stringify(ofType(paused, 'AWS::Lambda::Function'))).not.toContain('DACAPO_DISPATCH_FUNCTION');
  });
});

describe('the API', () => {
  it('answers nothing without an authorizer', () => {
    const routes = all('AWS::ApiGatewayV2::Route').filter(([, { RouteKey }]) => !String(RouteKey).includes('{token}'));
    expect(routes.map(([, route]) => route.RouteKey).sort()).toEqual(['ANY /{path+}', 'POST /workflows/{type}/jobs']);
    for (const [, route] of routes) expect(route.AuthorizationType).toBe('AWS_IAM');
  });

  it('but what a token opens, at a function that can check tokens and not make any', () => {
    const open = all('AWS::ApiGatewayV2::Route').filter(([, { AuthorizationType }]) => AuthorizationType === 'NONE');
    expect(open.map(([, { RouteKey }]) => RouteKey).sort()).toEqual([
      'GET /approvals/{token}',
      'POST /approvals/{token}',
      'POST /callbacks/{token}',
      'POST /callbacks/{token}/heartbeat',
    ]);
    const targets = new Set(open.map(([, { Target }]) => JSON.stringify(Target)));
    expect([...targets].every((target) => target.includes('Callback'))).toBe(true);
  });

  it('takes JWTs in its place, with a scope for submitting and one for operating', () => {
    const auth = { kind: 'jwt', issuer: 'https://issuer.example', audience: ['dacapo'] } as const;
    const jwt = synthesise({ auth });
    const routes = ofType(jwt, 'AWS::ApiGatewayV2::Route').map(([, route]) => route);
    for (const route of routes.filter(({ RouteKey }) => !String(RouteKey).includes('{token}'))) {
      expect(route).toMatchObject({
        AuthorizationType: 'JWT',
        AuthorizationScopes: ['dacapo/submit', 'dacapo/operate'],
      });
    }
    expect(ofType(jwt, 'AWS::ApiGatewayV2::Authorizer').map(([, one]) => one.JwtConfiguration)).toEqual([
      { Audience: ['dacapo'], Issuer: 'https://issuer.example' },
    ]);
    expect(JSON.stringify(ofType(jwt, 'AWS::Lambda::Function'))).toContain('"DACAPO_OPERATE_SCOPE":"dacapo/operate"');
  });

  it('is throttled, and keeps a log of its own', () => {
    expect(one('AWS::ApiGatewayV2::Stage', /./)).toMatchObject({
      AccessLogSettings: { DestinationArn: expect.anything(), Format: expect.stringContaining('$context.status') },
      DefaultRouteSettings: { ThrottlingRateLimit: 500, ThrottlingBurstLimit: 1_000 },
    });
  });
});

describe('events, timers and alerts', () => {
  it('every rule says how long it tries, and where what it gives up on goes', () => {
    const rules = all('AWS::Events::Rule');
    expect(rules).toHaveLength(3);
    for (const [id, rule] of rules) {
      for (const target of rule.Targets as Properties[]) {
        expect([id, target]).toEqual([
          id,
          expect.objectContaining({
            DeadLetterConfig: { Arn: expect.anything() },
            RetryPolicy: { MaximumEventAgeInSeconds: expect.any(Number), MaximumRetryAttempts: expect.any(Number) },
          }),
        ]);
      }
    }
  });

  it('services of AWS may only act for this account, and only under our own sources', () => {
    for (const [id, role] of all('AWS::IAM::Role')) {
      const text = JSON.stringify(role.AssumeRolePolicyDocument);
      if (!text.includes('scheduler.amazonaws.com')) continue;
      expect([id, text]).toEqual([id, expect.stringContaining('aws:SourceAccount')]);
      expect(text).toContain('aws:SourceArn');
    }
    for (const [id, policy] of [...all('AWS::SQS::QueuePolicy'), ...all('AWS::SNS::TopicPolicy')]) {
      const { Statement } = policy.PolicyDocument as { Statement: Properties[] };
      for (const statement of Statement.filter((one) => JSON.stringify(one.Principal).includes('"Service"'))) {
        expect([id, JSON.stringify(statement.Condition)]).toEqual([
          id,
          expect.stringMatching(/aws:Source(Arn|Account)/),
        ]);
      }
    }
  });

  it('the watchdog wakes each minute, and is missed when it does not', () => {
    expect(one('AWS::Events::Rule', /EachMinute/).ScheduleExpression).toBe('rate(1 minute)');
    expect(one('AWS::CloudWatch::Alarm', /Watchdogsilent/)).toMatchObject({
      TreatMissingData: 'breaching',
      ComparisonOperator: 'LessThanThreshold',
    });
  });

  it('every alarm rings at the topic, which is encrypted', () => {
    for (const [id, alarm] of all('AWS::CloudWatch::Alarm'))
      expect([id, alarm.AlarmActions]).toEqual([id, [expect.anything()]]);
    expect(one('AWS::SNS::Topic', /./).KmsMasterKeyId).toBeDefined();
  });
});
