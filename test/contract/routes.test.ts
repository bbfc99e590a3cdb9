import { describe, expect, it } from 'vitest';
import { parseRoutes, type TargetDocument } from '../../lib/contract/routes.ts';

const parse = (...targets: TargetDocument[]) => parseRoutes(JSON.stringify(targets));

describe('a route table', () => {
  it('leads each topic to its target, and each target to its address', () => {
    const { routes, addresses } = parse(
      {
        target: 'tenant',
        function: 'arn:aws:lambda:eu-central-1:123456789012:function:tenant',
        topics: ['tenant:create', 'tenant:delete'],
        max_run_ms: 30_000,
      },
      { target: 'notify', queue_url: 'https://sqs.example/notify', topics: ['notify:send'], fencing: false },
    );
    expect(routes.get('tenant:delete')).toEqual({ target: 'tenant', fencing: true, maxRunMs: 30_000 });
    expect(routes.get('notify:send')).toEqual({
      target: 'notify',
      fencing: false,
      maxRunMs: 900_000,
      answersLater: true,
    });
    expect(routes.get('tenant:find')).toBeUndefined();
    expect(addresses.get('tenant')).toMatchObject({ kind: 'lambda', functionArn: expect.stringContaining(':tenant') });
    expect(addresses.get('notify')).toEqual({ kind: 'queue', queueUrl: 'https://sqs.example/notify' });
  });

  it('knows the way over HTTPS, and the one that nobody answers on', () => {
    const { routes, addresses } = parse(
      { target: 'crm', http_worker: 'web', topics: ['crm:create'] },
      { target: 'news', event_bus: 'bus', topics: ['news:tell'] },
    );
    expect(routes.get('crm:create')).not.toHaveProperty('oneWay');
    expect(routes.get('news:tell')).toMatchObject({ oneWay: true });
    expect([addresses.get('crm'), addresses.get('news')]).toEqual([
      { kind: 'http', workerArn: 'web' },
      { kind: 'event', busName: 'bus' },
    ]);
  });

  it('knows no topic by the name of a member that every object has', () => {
    expect(parse().routes.get('constructor')).toBeUndefined();
  });

  it.each<[string, TargetDocument[], RegExp]>([
    ['two targets for a topic', [fn('a', 'x:y'), fn('b', 'x:y')], /topic x:y leads to a and b/],
    ['a target twice', [fn('a', 'x:y'), fn('a', 'x:z')], /target a is there twice/],
    ['a target without topics', [{ target: 'a', function: 'f', topics: [] }], /never called/],
    [
      'a target without address',
      [{ target: 'a', topics: ['x:y'] }],
      /one address: function, queue_url, http_worker, event_bus/,
    ],
    [
      'a target with two addresses',
      [{ target: 'a', function: 'f', queue_url: 'https://q', topics: ['x:y'] }],
      /one address: function, queue_url, http_worker, event_bus/,
    ],
    ['a topic that is none', [fn('a', 'Tenant')], /0\.topics\.0: write topics such as tenant:create/],
    ['a target name that is none', [fn('A!', 'x:y')], /write a target name/],
    ['a URL that is none', [{ target: 'a', queue_url: 'queue', topics: ['x:y'] }], /write the URL of the queue/],
    ['a run without end', [{ ...fn('a', 'x:y'), max_run_ms: 0 }], /max_run_ms/],
  ])('is refused with %s', (_what, targets, complaint) => {
    expect(() => parse(...targets)).toThrow(complaint);
  });

  it('is refused when it is no list, or not even JSON', () => {
    expect(() => parseRoutes('{}')).toThrow();
    expect(() => parseRoutes('tenant')).toThrow(/not JSON/);
    expect(() => parseRoutes(JSON.stringify([{ ...fn('a', 'x:y'), fence: true }]))).toThrow(/fence/);
  });
});

function fn(target: string, topic: string): TargetDocument {
  return { target, function: target, topics: [topic] };
}
