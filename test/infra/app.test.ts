/** What must hold of the app as a whole: its permissions, its findings, its routes, its runbook. */
import { readFileSync } from 'node:fs';
import { join } from 'node:path';
import { App, Stack } from 'aws-cdk-lib';
import { Function as LambdaFunction } from 'aws-cdk-lib/aws-lambda';
import { describe, expect, it, vi } from 'vitest';
import { EXAMPLE_DEFINITIONS } from '../../lib/infra/bundle.ts';
import { EXAMPLE_SERVICES as NAMED } from '../../lib/infra/example-services.ts';
import { Orchestrator } from '../../lib/infra/orchestrator.ts';
import { State } from '../../lib/infra/state.ts';
import { EXAMPLE_SERVICES } from '../../lib/participants/index.ts';
import { examples } from '../../lib/workflows/examples.ts';
import { lambdaNames, measure } from '../../scripts/bundle-size.ts';
import { GOLDEN, permissionsOf } from './permissions.ts';
import { ofType, ROOT, synthesise } from './templates.ts';

const synthesised = synthesise();
/** Synthesis is work: seconds on a free machine, more on a busy one. */
vi.setConfig({ testTimeout: 120_000 });

describe('permissions', () => {
  const permissions = permissionsOf(synthesised);

  it('are those that were looked at: renew them with `node test/infra/permissions.ts`', () => {
    expect(permissions).toEqual(JSON.parse(readFileSync(GOLDEN, 'utf8')));
  });

  it('of functions have no wildcard but for names that are made at run time', () => {
    const wide: string[] = [];
    for (const [role, rights] of Object.entries(permissions)) {
      for (const [resource, actions] of Object.entries(rights)) {
        if (actions.some((action) => action.includes('*'))) wide.push(`${role} may ${actions.join()}`);
        if (resource.includes('*') && !/^StatePayloads\/\*$|:schedule\/.*\/\*$|:execute-api:/.test(resource)) {
          wide.push(`${role} may reach ${resource}`);
        }
      }
    }
    expect(wide).toEqual([]);
  });

  it('keep participants from jobs, and all but drivers from participants', () => {
    for (const [role, rights] of Object.entries(permissions)) {
      const reached = Object.keys(rights).join(' ');
      if (!role.startsWith('Orchestrator'))
        expect([role, reached]).toEqual([role, expect.not.stringContaining('StateTable')]);
      const calls = Object.entries(rights).filter(
        ([to, actions]) => actions.includes('lambda:InvokeFunction') && !/Dispatch|OrchestratorProbe/.test(to),
      );
      if (!/Dispatch|Compensate|Probe/.test(role)) expect([role, calls]).toEqual([role, []]);
    }
  });
});

it('cdk-nag finds nothing that is not acknowledged with a reason', () => {
  // Findings make the synthesis fail: `synth` below throws, or the report says so.
  const { app } = synthesise({ name: 'nagged' });
  expect(() => app.synth()).not.toThrow();
  for (const node of app.node.findAll()) {
    for (const { type, data } of node.node.metadata) {
      if (!type.includes('acknowledged')) continue;
      for (const reason of Object.values(data as Record<string, unknown>))
        expect(String(reason).length).toBeGreaterThan(20);
    }
  }
});

describe('routes', () => {
  const participants = Object.entries(NAMED).map(([target, topics]) => ({ target, topics }));
  const orchestratorWith = (without: string): Orchestrator => {
    const stack = new Stack(new App(), 'Team');
    const at = { function: LambdaFunction.fromFunctionName(stack, 'Known', 'known') };
    return new Orchestrator(stack, 'Orchestrator', {
      state: new State(stack, 'State'),
      definitions: { registry: examples, module: EXAMPLE_DEFINITIONS },
      participants: participants.map((one) => ({
        ...one,
        topics: one.topics.filter((topic) => topic !== without),
        at,
      })),
    });
  };

  it.each([
    ['billing:setup', 'billing'],
    ['billing:teardown', 'billing'],
    ['payment:find', 'payment'],
  ])('%s without a participant is refused with the step that needs it', (topic, step) => {
    expect(() => orchestratorWith(topic)).toThrow(new RegExp(`step ${step}.*${topic}|${step}.*${topic}`, 's'));
  });

  it('of the examples are what the example services serve', () => {
    const served = Object.fromEntries(EXAMPLE_SERVICES.map(({ name, topics }) => [name, [...topics.keys()].sort()]));
    const told = Object.fromEntries(Object.entries(NAMED).map(([name, topics]) => [name, [...topics].sort()]));
    expect(told).toEqual(served);
  });

  it('fit into the environment of a function, which holds 4 KB', () => {
    for (const [id, { Environment }] of ofType(synthesised, 'AWS::Lambda::Function')) {
      expect(JSON.stringify(Environment ?? {}).length, id).toBeLessThan(4_096);
    }
  });
});

describe('alarms', () => {
  const headings = readFileSync(join(ROOT, 'docs/runbook.md'), 'utf8').matchAll(/^## (.+)$/gm);
  const documented = [...headings].map(([, heading = '']) => heading);
  const told = ofType(synthesised, 'AWS::CloudWatch::Alarm').map(([, alarm]) => String(alarm.AlarmDescription));

  it('have a heading in the runbook each, and every heading an alarm', () => {
    const names = told.map((text) => text.replace(/( \(.*?\))?:.*$/s, ''));
    expect([...new Set(names)].sort()).toEqual([...documented].sort());
  });

  it('name the place in the runbook', () => {
    const slugs = documented.map((heading) => heading.toLowerCase().replaceAll(/[^a-z0-9]+/g, '-'));
    for (const text of told) expect(slugs).toContain(/docs\/runbook\.md#([\w-]+)$/.exec(text)?.[1]);
  });
});

describe('bundles', () => {
  it('are there for every function, none larger than what a cold start should read', () => {
    expect(lambdaNames().length).toBe(20);
  });

  it('dispatch is at most 700 KB, minified, and imports in a fresh process', () => {
    const { bytes, importMs } = measure('dispatch', 1);
    // A larger one has taken in something whole: `npm run bundle:size`, and zod imported as `{ z }`, are where to look.
    expect(bytes).toBeLessThanOrEqual(700 * 1_024);
    expect(importMs).toBeGreaterThan(0);
  });
});
