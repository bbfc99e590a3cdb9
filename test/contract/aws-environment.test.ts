import { describe, expect, it } from 'vitest';
import { parseAwsEnvironment, AWS_VARIABLES as V } from '../../lib/contract/aws-environment.ts';
import { NO_POLICIES } from '../../lib/core/policy-settings.ts';

const STORES = { [V.tableName]: 'jobs', [V.bucketName]: 'values' };
const SCHEDULES = {
  [V.scheduleGroup]: 'dacapo',
  [V.scheduleRoleArn]: 'arn:role',
  [V.dispatchQueueArn]: 'arn:dispatch',
  [V.compensateQueueArn]: 'arn:compensate',
  [V.scheduleDlqArn]: 'arn:dead',
};

describe("a function's environment", () => {
  it('needs table and bucket, and nothing else', () => {
    expect(parseAwsEnvironment(STORES)).toEqual({
      tableName: 'jobs',
      bucketName: 'values',
      busName: null,
      dispatchQueueUrl: null,
      compensateQueueUrl: null,
      schedules: null,
      wakeups: null,
      routes: null,
      policies: NO_POLICIES,
      callbackKeyId: null,
      lifecycleEvents: false,
      pathStyleBuckets: false,
    });
  });

  it('names everything that is missing, and takes an empty variable for a missing one', () => {
    expect(() => parseAwsEnvironment({ [V.bucketName]: '' })).toThrow(
      /DACAPO_TABLE_NAME is not set.*; DACAPO_BUCKET_NAME is not set/,
    );
  });

  it('reads what it was granted', () => {
    const routes = JSON.stringify([{ target: 'tenant', function: 'tenant', topics: ['tenant:create'] }]);
    const read = parseAwsEnvironment({
      ...STORES,
      ...SCHEDULES,
      [V.busName]: 'dacapo',
      [V.dispatchQueueUrl]: 'https://dispatch',
      [V.compensateQueueUrl]: 'https://compensate',
      [V.routes]: routes,
      [V.errors]: '{"EXT_TIMEOUT": {"max_attempts": 2}}',
    });
    expect(read.policies.all).toEqual({ EXT_TIMEOUT: { maxAttempts: 2 } });
    expect(read).toMatchObject({ busName: 'dacapo', dispatchQueueUrl: 'https://dispatch' });
    expect(read.schedules).toEqual({
      group: 'dacapo',
      roleArn: 'arn:role',
      dispatchQueueArn: 'arn:dispatch',
      compensateQueueArn: 'arn:compensate',
      dlqArn: 'arn:dead',
    });
    expect([...(read.routes?.routes.keys() ?? [])]).toEqual(['tenant:create']);
  });

  it.each(Object.keys(SCHEDULES))('without %s alone cannot schedule, and says so', (name) => {
    expect(() => parseAwsEnvironment({ ...STORES, ...SCHEDULES, [name]: '' })).toThrow(
      new RegExp(`all of their variables or none: ${name} not set`),
    );
  });

  it('with routes that make no sense stops the start, by the name of the variable', () => {
    expect(() => parseAwsEnvironment({ ...STORES, [V.routes]: 'tenant' })).toThrow(/^DACAPO_ROUTES: .*not JSON/);
    expect(() => parseAwsEnvironment({ ...STORES, [V.errors]: '{' })).toThrow(/^DACAPO_ERRORS: .*not JSON/);
  });

  it.each(['AWS_ENDPOINT_URL', 'AWS_ENDPOINT_URL_S3'])('that names an emulator by %s has buckets by path', (name) => {
    expect(parseAwsEnvironment({ ...STORES, [name]: 'http://localhost:4566' }).pathStyleBuckets).toBe(true);
  });
});
