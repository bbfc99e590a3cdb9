/**
 * Deploys the stacks as anybody would, `cdk bootstrap` and `cdk deploy`, to the endpoint of an emulator, and finds out
 * what a test has to know about them.
 */
import { execFileSync } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { AssumeRoleCommand, STSClient } from '@aws-sdk/client-sts';

const ACCOUNT = '000000000000';
const REGION = 'us-east-1';
const STACK = 'dacapo-orchestrator';

export type Variables = Readonly<Record<string, string>>;
export type Outputs = Readonly<Record<string, string>>;

/** What makes every client of AWS speak to the emulator, as an administrator. */
export function administrator(endpoint: string, certificate: string | null): Variables {
  return {
    AWS_ENDPOINT_URL: endpoint,
    AWS_ENDPOINT_URL_S3: endpoint,
    AWS_ACCESS_KEY_ID: 'test',
    AWS_SECRET_ACCESS_KEY: 'test',
    AWS_SESSION_TOKEN: '',
    AWS_REGION: REGION,
    AWS_DEFAULT_REGION: REGION,
    CDK_DEFAULT_ACCOUNT: ACCOUNT,
    CDK_DEFAULT_REGION: REGION,
    CDK_DISABLE_CLI_TELEMETRY: '1',
    ...(certificate === null ? {} : { AWS_CA_BUNDLE: certificate, NODE_EXTRA_CA_CERTS: certificate }),
  };
}

/** @param scratch takes the cloud assembly and the outputs */
export function deploy(variables: Variables, scratch: string): Outputs {
  const outputs = join(scratch, 'outputs.json');
  const cdk = (...parameters: string[]): void => {
    const common = ['--no-notices', '--output', join(scratch, 'cdk.out'), '-c', 'scheduleFromSeconds=0'];
    // The emulator has no schema registries.
    common.push('-c', 'eventSchemas=false');
    execFileSync('cdk', [...parameters, ...common], {
      env: { ...process.env, ...variables },
      stdio: ['ignore', 'ignore', 'pipe'],
      maxBuffer: 64 * 1_024 * 1_024,
    });
  };
  cdk('bootstrap', `aws://${ACCOUNT}/${REGION}`);
  cdk('deploy', '--all', '--require-approval', 'never', '--outputs-file', outputs);
  const read = JSON.parse(readFileSync(outputs, 'utf8')) as Record<string, Outputs>;
  const found = read[STACK];
  if (found === undefined) throw new Error(`the deployment has no stack ${STACK}`);
  return found;
}

/** Signing as the role: the credentials of a session, whose name is the caller's own business. */
export async function assume(variables: Variables, roleArn: string): Promise<Variables> {
  const client = new STSClient({
    endpoint: variables.AWS_ENDPOINT_URL ?? '',
    region: REGION,
    credentials: { accessKeyId: 'test', secretAccessKey: 'test' },
  });
  const { Credentials } = await client.send(new AssumeRoleCommand({ RoleArn: roleArn, RoleSessionName: 'test-stack' }));
  const { AccessKeyId, SecretAccessKey, SessionToken } = Credentials ?? {};
  if (!AccessKeyId || !SecretAccessKey || !SessionToken) throw new Error(`nobody may assume ${roleArn}`);
  return { AWS_ACCESS_KEY_ID: AccessKeyId, AWS_SECRET_ACCESS_KEY: SecretAccessKey, AWS_SESSION_TOKEN: SessionToken };
}

/** By path: names below localhost resolve nowhere. The stage has no name in the address of a real API. */
export function apiAddress(endpoint: string, apiUrl: string): string {
  const id = new URL(apiUrl).hostname.split('.')[0];
  return `${endpoint}/_aws/execute-api/${id}/$default`;
}
