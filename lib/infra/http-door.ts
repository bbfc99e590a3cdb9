/**
 * The HTTP API. Nothing is reachable without an authorizer, IAM (the default) or a JWT, but what a token opens: a
 * function of its own checks those. Submitting has one too; everything else is `operate`. Who is an operator is told to the functions by the same act that grants it.
 */
import { Aws, Lazy, Names, RemovalPolicy } from 'aws-cdk-lib';
import {
  CfnStage,
  HttpApi,
  HttpMethod,
  HttpNoneAuthorizer,
  HttpStage,
  type IHttpRouteAuthorizer,
} from 'aws-cdk-lib/aws-apigatewayv2';
import { HttpIamAuthorizer, HttpJwtAuthorizer } from 'aws-cdk-lib/aws-apigatewayv2-authorizers';
import { HttpLambdaIntegration } from 'aws-cdk-lib/aws-apigatewayv2-integrations';
import { Effect, type IRole, Policy, PolicyStatement } from 'aws-cdk-lib/aws-iam';
import { LogGroup, RetentionDays } from 'aws-cdk-lib/aws-logs';
import { Construct } from 'constructs';
import { DOOR_VARIABLES } from '../contract/door-environment.ts';
import { acknowledge } from './findings.ts';
import type { ServiceFunction } from './service-function.ts';
import { API_THROTTLE } from './settings.ts';

export type DoorAuth =
  | { readonly kind: 'iam' }
  | {
      readonly kind: 'jwt';
      readonly issuer: string;
      readonly audience: readonly string[];
      /** Default `dacapo/submit` and `dacapo/operate`. */
      readonly submitScope?: string;
      readonly operateScope?: string;
    };

export interface HttpDoorProps {
  readonly auth: DoorAuth;
  readonly submit: ServiceFunction;
  readonly operate: ServiceFunction;
  readonly callback: ServiceFunction;
}

const SUBMIT_ROUTE = '/workflows/{type}/jobs';

/** What a submitter calls: jobs of its own. Others' are unknown to it, whatever it asks for. */
const SUBMITTER_ROUTES = [
  'POST/workflows/*/jobs',
  'GET/workflows*',
  'GET/jobs*',
  'POST/jobs/*/cancel',
  'POST/jobs/*/signals/*',
];

/** The token in the address is the authority: participants and people have no identity here. */
const TOKEN_ROUTES = [
  { path: '/callbacks/{token}', methods: [HttpMethod.POST] },
  { path: '/callbacks/{token}/heartbeat', methods: [HttpMethod.POST] },
  { path: '/approvals/{token}', methods: [HttpMethod.GET, HttpMethod.POST] },
];

const ACCESS_LOG = {
  request_id: '$context.requestId',
  at: '$context.requestTime',
  route: '$context.routeKey',
  status: '$context.status',
  latency_ms: '$context.responseLatency',
  error: '$context.error.messageString',
};

export class HttpDoor extends Construct {
  readonly api: HttpApi;
  private readonly operators: string[] = [];
  private readonly auth: DoorAuth;

  constructor(scope: Construct, id: string, { auth, submit, operate, callback }: HttpDoorProps) {
    super(scope, id);
    this.auth = auth;
    this.api = new HttpApi(this, 'Api', {
      createDefaultStage: false,
      defaultAuthorizer: this.authorizer(),
      ...(auth.kind === 'jwt' ? { defaultAuthorizationScopes: scopesOf(auth) } : {}),
    });
    this.api.addRoutes({
      path: SUBMIT_ROUTE,
      methods: [HttpMethod.POST],
      integration: new HttpLambdaIntegration('Submit', submit.function),
    });
    this.api.addRoutes({
      path: '/{path+}',
      integration: new HttpLambdaIntegration('Operate', operate.function),
    });
    const byToken = new HttpLambdaIntegration('Callback', callback.function);
    const authorizer = new HttpNoneAuthorizer();
    for (const { path, methods } of TOKEN_ROUTES) {
      for (const route of this.api.addRoutes({ path, methods, integration: byToken, authorizer })) {
        acknowledge(
          route,
          'APIG4',
          'The token in the address is the authority: signed, for one answer, and for a while.',
        );
      }
    }
    this.addStage();
    for (const door of [submit, operate]) this.tellWhoOperates(door);
  }

  get url(): string {
    return this.api.apiEndpoint;
  }

  /** IAM only: the role may submit, and see and cancel what it submitted. */
  grantSubmit(role: IRole): void {
    this.grantInvoke(role, SUBMITTER_ROUTES, 'Submit');
  }

  /** IAM only: the role may see every job and act on it. */
  grantOperate(role: IRole): void {
    this.grantInvoke(role, ['*'], 'Operate');
    this.operators.push(`${Aws.ACCOUNT_ID}/role/${role.roleName}`);
  }

  private grantInvoke(role: IRole, routes: readonly string[], what: string): void {
    if (this.auth.kind !== 'iam') throw new Error('this API takes JWTs: give the scope, not a role');
    // A policy beside the API: the role may belong to a stack that must not depend on this one.
    new Policy(this, `${what}${Names.nodeUniqueId(role.node)}`, {
      roles: [role],
      statements: [
        new PolicyStatement({
          effect: Effect.ALLOW,
          actions: ['execute-api:Invoke'],
          resources: routes.map((route) => this.api.arnForExecuteApi().replace(/\/\*\/\*\/\*$/, `/$default/${route}`)),
        }),
      ],
    });
  }

  private authorizer(): IHttpRouteAuthorizer {
    if (this.auth.kind === 'iam') return new HttpIamAuthorizer();
    const { issuer, audience } = this.auth;
    return new HttpJwtAuthorizer('Jwt', issuer, { jwtAudience: [...audience] });
  }

  private tellWhoOperates(door: ServiceFunction): void {
    if (this.auth.kind === 'jwt') {
      door.function.addEnvironment(DOOR_VARIABLES.operateScope, operateScopeOf(this.auth));
      return;
    }
    const operators = Lazy.string({ produce: () => this.operators.join(',') });
    door.function.addEnvironment(DOOR_VARIABLES.operators, operators);
  }

  private addStage(): void {
    const stage = new HttpStage(this, 'Stage', {
      httpApi: this.api,
      stageName: '$default',
      autoDeploy: true,
      throttle: API_THROTTLE,
    });
    const log = new LogGroup(this, 'AccessLog', {
      retention: RetentionDays.ONE_MONTH,
      removalPolicy: RemovalPolicy.DESTROY,
    });
    const { defaultChild } = stage.node;
    if (defaultChild instanceof CfnStage) {
      defaultChild.accessLogSettings = { destinationArn: log.logGroupArn, format: JSON.stringify(ACCESS_LOG) };
    }
  }
}

type JwtAuth = Extract<DoorAuth, { readonly kind: 'jwt' }>;

const submitScopeOf = ({ submitScope = 'dacapo/submit' }: JwtAuth): string => submitScope;
const operateScopeOf = ({ operateScope = 'dacapo/operate' }: JwtAuth): string => operateScope;

/** Any of them lets in; what the caller may then do, the functions read from the verified token. */
const scopesOf = (auth: JwtAuth): string[] => [submitScopeOf(auth), operateScopeOf(auth)];
