/**
 * The function that calls participants over HTTPS, with a role of its own: it may read the secrets that its targets
 * name, one by one, and nothing else. Whoever takes it over finds no table, no queue and no job behind it.
 *
 *   const web = new HttpWorker(this, 'Web', {
 *     allowedHosts: ['api.example.com'],
 *     targets: [{ target: 'crm', url: 'https://api.example.com/benzene', headers: { authorization: 'Bearer secret:crm' } }],
 *   });
 *   participants: [{ target: 'crm', topics: ['crm:create'], at: { http: web } }]
 */
import { Stack } from 'aws-cdk-lib';
import type { IKey } from 'aws-cdk-lib/aws-kms';
import { Construct } from 'constructs';
import { HTTP_VARIABLES } from '../contract/http-environment.ts';
import { type HttpTargetsDocument, readHttpTargets } from '../contract/http-targets.ts';
import { readSecretReference } from '../contract/secrets.ts';
import { EXAMPLE_DEFINITIONS, entryOf } from './bundle.ts';
import { acknowledgeWildcards, type Wildcard } from './findings.ts';
import { ServiceFunction } from './service-function.ts';
import { HTTP_WORKER } from './settings.ts';

export interface HttpWorkerProps {
  readonly allowedHosts: readonly string[];
  readonly targets: HttpTargetsDocument['targets'];
  /** Keys of the team's own under which secrets lie. */
  readonly keys?: readonly IKey[];
  /** Calls at once, over all targets. */
  readonly concurrency?: number;
}

/** Secrets Manager puts six characters behind a name, which only an ARN knows. */
const WILDCARDS: readonly Wildcard[] = [
  {
    resource: /:secret:[\w/+=.@-]+-\?{6}$/,
    reason: 'A secret that is named has six characters of its own in its ARN.',
  },
];
const PARAMETER = /^(\/|arn:[\w-]+:ssm:)/;

export class HttpWorker extends Construct {
  readonly service: ServiceFunction;
  readonly targets: ReadonlySet<string>;

  constructor(scope: Construct, id: string, { allowedHosts, targets, keys = [], concurrency }: HttpWorkerProps) {
    super(scope, id);
    const document: HttpTargetsDocument = { allowed_hosts: [...allowedHosts], targets: [...targets] };
    const read = readHttpTargets(document);
    this.targets = new Set(read.targets.keys());
    for (const { target, url } of read.targets.values()) {
      if (!url.startsWith('https:')) throw new Error(`target ${target}: only https is called from a deployment`);
    }
    this.service = new ServiceFunction(this, 'Function', {
      entry: entryOf('http-worker'),
      definitions: EXAMPLE_DEFINITIONS,
      size: HTTP_WORKER,
      description: 'Calls participants over HTTPS',
      deployment: Stack.of(this).stackName,
      reserved: concurrency ?? HTTP_WORKER.reserved,
    });
    this.service.function.addEnvironment(HTTP_VARIABLES.targets, JSON.stringify(document));
    const names = [...read.targets.values()].flatMap(({ headers }) => Object.values(headers).map(readSecretReference));
    for (const name of new Set(names.flatMap((one) => one?.name ?? []))) this.letRead(name);
    if (keys.length > 0) this.service.allow({ actions: ['kms:Decrypt'], resources: keys.map(({ keyArn }) => keyArn) });
    acknowledgeWildcards(this, WILDCARDS);
  }

  private letRead(name: string): void {
    const stack = Stack.of(this);
    const arn = (service: string, resource: string, resourceName: string, separator: '/' | ':'): string =>
      name.startsWith('arn:')
        ? name
        : `arn:${stack.partition}:${service}:${stack.region}:${stack.account}:${resource}${separator}${resourceName}`;
    if (PARAMETER.test(name)) {
      this.service.allow({
        actions: ['ssm:GetParameter'],
        resources: [arn('ssm', 'parameter', name.replace(/^\//, ''), '/')],
      });
    } else {
      this.service.allow({
        actions: ['secretsmanager:GetSecretValue'],
        resources: [arn('secretsmanager', 'secret', `${name}-??????`, ':')],
      });
    }
  }
}
