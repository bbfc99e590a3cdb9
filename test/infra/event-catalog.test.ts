/** What consumers find on the bus: a schema for every event, and an archive only where somebody pays for it. */
import { Duration } from 'aws-cdk-lib';
import { expect, it, vi } from 'vitest';
import { eventSchemas } from '../../lib/contract/asyncapi/index.ts';
import { examples } from '../../lib/workflows/examples.ts';
import { ofType, synthesise } from './templates.ts';

vi.setConfig({ testTimeout: 120_000 });
const plain = synthesise();
const asked = synthesise({ archive: Duration.days(30), lifecycleEvents: true });
const variablesOf = (synthesised: typeof plain) =>
  ofType(synthesised, 'AWS::Lambda::Function').map(([id, { Environment }]) => [
    id,
    (Environment as { Variables?: Record<string, unknown> } | undefined)?.Variables?.DACAPO_LIFECYCLE_EVENTS,
  ]);

it('registers the schema of every event there is', () => {
  const registered = ofType(plain, 'AWS::EventSchemas::Schema').map(([, { SchemaName }]) => SchemaName);
  const expected = [...eventSchemas(examples.list()).keys()].map((name) => `dacapo@${name.replaceAll(':', '-')}`);
  expect(registered.sort()).toEqual(expected.sort());
});

it('archives what has our source, and only where that is asked for', () => {
  expect(ofType(plain, 'AWS::Events::Archive')).toEqual([]);
  expect(ofType(asked, 'AWS::Events::Archive').map(([, properties]) => properties)).toMatchObject([
    { EventPattern: { source: ['dacapo'] }, RetentionDays: 30 },
  ]);
});

it('tells everything that moves jobs to speak of each transition, where that is asked for', () => {
  const told = variablesOf(asked).filter(([, value]) => value === '1');
  expect(told.map(([id]) => String(id).replace(/^Orchestrator(\w+?)Function.*$/, '$1')).sort()).toEqual(
    ['Compensate', 'DeadLetter', 'Dispatch', 'Intake', 'Operate', 'Probe', 'Watchdog'].sort(),
  );
  expect(variablesOf(plain).filter(([, value]) => value !== undefined)).toEqual([]);
});
