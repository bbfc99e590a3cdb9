/**
 * `cdk deploy --all`: the orchestrator with the examples. Context chooses what a deployment differs in:
 *   -c name=…              names the stacks (default dacapo)
 *   -c auth=jwt -c issuer=… -c audience=…    JWTs in place of IAM
 *   -c disposable=true     everything is deleted with its stack; for trials
 *   -c errors=errors.json  retry policies from a file
 *   -c paused=true         drives no job; after a restore, until somebody has looked
 *   -c eventSchemas=false  no schema registry; for emulators that have none
 *   -c scheduleFromSeconds=0    every timer is a schedule; for tests of that way
 */
import { readFileSync } from 'node:fs';
import { App, Duration, Tags, Validations } from 'aws-cdk-lib';
import { AwsSolutionsChecks } from 'cdk-nag';
import type { DoorAuth } from './http-door.ts';
import { addDeployment } from './stacks.ts';

const app = new App();
const text = (name: string): string | undefined => {
  const value: unknown = app.node.tryGetContext(name);
  return typeof value === 'string' && value !== '' ? value : undefined;
};

function auth(): DoorAuth | undefined {
  const kind = text('auth') ?? 'iam';
  if (kind === 'iam') return undefined;
  const [issuer, audience] = [text('issuer'), text('audience')];
  if (kind !== 'jwt' || issuer === undefined || audience === undefined) {
    throw new Error('context auth: leave it out for IAM, or give -c auth=jwt with -c issuer=… and -c audience=…');
  }
  return { kind: 'jwt', issuer, audience: audience.split(',') };
}

const name = text('name');
const doors = auth();
const errors = text('errors');
const scheduleFrom = text('scheduleFromSeconds');
addDeployment(app, {
  disposable: text('disposable') === 'true',
  paused: text('paused') === 'true',
  eventSchemas: text('eventSchemas') !== 'false',
  ...(name === undefined ? {} : { name }),
  ...(errors === undefined ? {} : { errors: readFileSync(errors, 'utf8') }),
  ...(doors === undefined ? {} : { auth: doors }),
  ...(scheduleFrom === undefined ? {} : { scheduleFrom: Duration.seconds(Number(scheduleFrom)) }),
});
Tags.of(app).add('project', 'dacapo');
Validations.of(app).addPlugins(new AwsSolutionsChecks());
