/** The templates of the shipped deployment, synthesised once a file, and a few ways to look into them. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App, type Stack, Validations } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { AwsSolutionsChecks } from 'cdk-nag';
import { addDeployment, type Deployment, type DeploymentProps } from '../../lib/infra/stacks.ts';

export const ROOT = join(import.meta.dirname, '../..');

export type Properties = Readonly<Record<string, unknown>>;

export interface Resource {
  readonly Type: string;
  readonly Properties?: Properties;
  readonly UpdateReplacePolicy?: string;
  readonly DeletionPolicy?: string;
}

export interface Synthesised {
  readonly app: App;
  readonly deployment: Deployment;
  readonly resources: ReadonlyMap<string, Resource>;
}

export function appOf(): App {
  const { context } = JSON.parse(readFileSync(join(ROOT, 'cdk.json'), 'utf8')) as { context: Record<string, unknown> };
  return new App({ context });
}

export function synthesise(props: DeploymentProps = {}): Synthesised {
  const app = appOf();
  const deployment = addDeployment(app, props);
  Validations.of(app).addPlugins(new AwsSolutionsChecks());
  const stacks: Stack[] = [deployment.state, deployment.orchestrator, deployment.participants];
  const resources = new Map<string, Resource>();
  for (const stack of stacks) {
    const { Resources = {} } = Template.fromStack(stack).toJSON() as { Resources?: Record<string, Resource> };
    for (const [id, resource] of Object.entries(Resources)) resources.set(id, resource);
  }
  return { app, deployment, resources };
}

export function ofType({ resources }: Synthesised, type: string): [string, Properties][] {
  return [...resources].filter(([, one]) => one.Type === type).map(([id, one]) => [id, one.Properties ?? {}]);
}

/** What a reference points at, as a name: the logical id behind any of the ways a template has to say it. */
export function named(value: unknown): string {
  if (typeof value === 'string') return value.replace(/^dacapo-\w+:/, '');
  if (Array.isArray(value)) return value.map(named).join('');
  const [form, given] = Object.entries(value as Record<string, unknown>)[0] ?? ['', ''];
  switch (form) {
    case 'Ref':
      return String(given).replace(/^AWS::/, '');
    case 'Fn::GetAtt':
      return named((given as unknown[])[0]);
    case 'Fn::Join':
      return named((given as [string, unknown[]])[1]);
    case 'Fn::ImportValue':
      return named(given)
        .replace(/^ExportsOutput(Ref|FnGetAtt)/, '')
        .replace(/(Arn|QueueName)?[0-9A-F]{8}$/, '');
    default:
      return JSON.stringify(value);
  }
}

/** Without the hash that CDK puts behind a path. */
export const plain = (id: string): string => id.replace(/[0-9A-F]{8}(?=$|\/|Arn)/g, '');
