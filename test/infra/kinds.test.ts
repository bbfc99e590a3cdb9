/** Participants of every kind in a team's own app: what each way may do, and what is told to whom. */
import { Stack, Validations } from 'aws-cdk-lib';
import { Template } from 'aws-cdk-lib/assertions';
import { EventBus, Rule } from 'aws-cdk-lib/aws-events';
import { SqsQueue } from 'aws-cdk-lib/aws-events-targets';
import { Queue, QueueEncryption } from 'aws-cdk-lib/aws-sqs';
import { AwsSolutionsChecks } from 'cdk-nag';
import { describe, expect, it, vi } from 'vitest';
import { z } from 'zod';
import { none, registry, step, workflow } from '../../lib/definition/index.ts';
import { EXAMPLE_DEFINITIONS } from '../../lib/infra/bundle.ts';
import { HttpWorker } from '../../lib/infra/http-worker.ts';
import { Orchestrator } from '../../lib/infra/orchestrator.ts';
import type { Participant } from '../../lib/infra/participants.ts';
import { State } from '../../lib/infra/state.ts';
import { appOf } from './templates.ts';

vi.setConfig({ testTimeout: 120_000 });

const SECRET = 'arn:aws:secretsmanager:eu-west-1:123456789012:secret:mail-AbCdEf';
const output = z.unknown();
const input = () => ({});
const registered = registry(
  workflow('visit', 1)
    .input(z.strictObject({}))
    .stage(step('book', { topic: 'crm:book', input, output, undo: 'crm:free' }))
    .stage(step('print', { topic: 'print:badge', input, output, undo: none('paper') }))
    .stage(step('tell', { topic: 'news:visit', input, output, irreversible: true }))
    .output(() => ({})),
);

function appWith(change: (all: Participant[]) => Participant[] = (all) => all) {
  const app = appOf();
  const stack = new Stack(app, 'Team', { env: { account: '123456789012', region: 'eu-west-1' } });
  const state = new State(stack, 'State');
  const dlq = new Queue(stack, 'PrintDlq', { enforceSSL: true, encryption: QueueEncryption.SQS_MANAGED });
  const deadLetterQueue = { queue: dlq, maxReceiveCount: 5 };
  const queue = new Queue(stack, 'Print', {
    enforceSSL: true,
    encryption: QueueEncryption.SQS_MANAGED,
    deadLetterQueue,
  });
  const bus = new EventBus(stack, 'News');
  new Rule(stack, 'Visits', {
    eventBus: bus,
    eventPattern: { source: ['dacapo.step'], detailType: ['news:visit'] },
    targets: [new SqsQueue(queue, { deadLetterQueue: dlq })],
  });
  const web = new HttpWorker(stack, 'Web', {
    allowedHosts: ['crm.example.com', 'mail.example.com'],
    targets: [
      { target: 'crm', url: 'https://crm.example.com/benzene', headers: { authorization: 'Bearer secret:crm/token' } },
      { target: 'mail', url: 'https://mail.example.com/', headers: { 'api-key': `secret:${SECRET}` } },
      { target: 'sms', url: 'https://mail.example.com/sms', headers: { 'api-key': 'secret:/sms/key' } },
    ],
  });
  const participants: Participant[] = [
    { target: 'crm', topics: ['crm:book', 'crm:free'], at: { http: web }, maxRunMs: 30_000 },
    { target: 'print', topics: ['print:badge'], at: { queue } },
    { target: 'news', topics: ['news:visit'], at: { bus } },
  ];
  new Orchestrator(stack, 'Orchestrator', {
    state,
    definitions: { registry: registered, module: EXAMPLE_DEFINITIONS },
    participants: change(participants),
  });
  return { app, stack };
}

describe('participants of every kind', () => {
  const { app, stack } = appWith();
  Validations.of(app).addPlugins(new AwsSolutionsChecks());
  const template = Template.fromStack(stack);
  const statementsOf = (role: RegExp): { Action: string; Resource: unknown; Condition?: unknown }[] =>
    Object.values(template.findResources('AWS::IAM::Policy'))
      .filter(({ Properties }) => role.test(JSON.stringify(Properties.Roles)))
      .flatMap(({ Properties }) => Properties.PolicyDocument.Statement);

  it('are called by drivers, each its own way and no other', () => {
    for (const role of [/OrchestratorDispatch/, /OrchestratorCompensate/]) {
      const statements = statementsOf(role).map(({ Action, Resource, Condition }) =>
        JSON.stringify([Action, Resource, Condition ?? null]),
      );
      const has = (...parts: string[]) => statements.filter((one) => parts.every((part) => one.includes(part)));
      expect(has('lambda:InvokeFunction', 'WebFunction')).toHaveLength(1);
      expect(has('sqs:SendMessage', '"Print')).toHaveLength(1);
      expect(has('events:PutEvents', '"News', '"events:source":"dacapo.step"')).toHaveLength(1);
      expect(has('secretsmanager'), 'secrets are none of theirs').toEqual([]);
    }
  });

  it('leave the function that goes out with nothing but its log and the secrets it names', () => {
    const rights = statementsOf(/WebFunctionRole/).filter(({ Action }) => !JSON.stringify(Action).includes('logs:'));
    expect(rights.map(({ Action, Resource }) => [Action, JSON.stringify(Resource)])).toEqual([
      ['secretsmanager:GetSecretValue', expect.stringContaining(':secret:crm/token-??????')],
      ['secretsmanager:GetSecretValue', JSON.stringify(SECRET)],
      ['ssm:GetParameter', expect.stringContaining(':parameter/sms/key')],
    ]);
    const [[, web] = ['', null]] = Object.entries(
      template.findResources('AWS::Lambda::Function', { Properties: { Description: 'Calls participants over HTTPS' } }),
    );
    expect(web?.Properties.ReservedConcurrentExecutions).toBe(20);
    expect(Object.keys(web?.Properties.Environment.Variables).sort()).toEqual([
      'DACAPO_DEPLOYMENT',
      'DACAPO_HTTP_TARGETS',
    ]);
  });

  it('are told to whoever decides about jobs', () => {
    const [routes] = Object.values(template.findResources('AWS::Lambda::Function')).flatMap(
      ({ Properties }) => Properties.Environment?.Variables?.DACAPO_ROUTES ?? [],
    );
    const text = JSON.stringify(routes);
    for (const part of ['http_worker', 'queue_url', 'event_bus', 'max_run_ms']) expect(text).toContain(part);
    expect(text, 'where it leads only the one who goes there knows').not.toContain('crm.example.com');
  });

  it('have alarms for the function between', () => {
    const alarms = Object.values(template.findResources('AWS::CloudWatch::Alarm')).map(({ Properties }) =>
      String(Properties.AlarmDescription),
    );
    expect(alarms.filter((text) => /\(Web\)/.test(text))).toHaveLength(2);
  });

  it('give cdk-nag nothing to find', () => {
    expect(() => app.synth()).not.toThrow();
  });
});

describe('a stack is not made', () => {
  it('with an undo over a bus, where nothing is taken back', () => {
    const news = (all: Participant[]) => {
      const [crm, print, bus] = all;
      if (crm === undefined || print === undefined || bus === undefined) throw new Error('three are given');
      return [{ ...crm, topics: ['crm:book'] }, print, { ...bus, topics: ['news:visit', 'crm:free'] }];
    };
    expect(() => appWith(news)).toThrow(/crm:free leads to an event bus/);
  });

  it('with a target that its http worker does not have', () => {
    const lost = (all: Participant[]) => all.map((one) => ('http' in one.at ? { ...one, target: 'crmm' } : one));
    expect(() => appWith(lost)).toThrow(/no such target/);
  });

  it.each([
    ['http', 'http://crm.example.com/'],
    ['a number for a host', 'https://169.254.169.254/'],
    ['this machine', 'http://127.0.0.1:3000/'],
    ['a host that is not allowed', 'https://evil.example.com/'],
  ])('with %s', (_what, url) => {
    const stack = new Stack(appOf(), 'Team');
    const targets = [{ target: 'crm', url }];
    expect(() => new HttpWorker(stack, 'Web', { allowedHosts: ['crm.example.com'], targets })).toThrow();
  });

  it('with a secret in the open', () => {
    const stack = new Stack(appOf(), 'Team');
    const targets = [{ target: 'crm', url: 'https://crm.example.com/', headers: { authorization: 'Bearer hush' } }];
    expect(() => new HttpWorker(stack, 'Web', { allowedHosts: ['crm.example.com'], targets })).toThrow(/secret:/);
  });
});
