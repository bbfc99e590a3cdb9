/**
 * The engine of one container: ports, definitions and rules, made at its start and kept, so that clients, connections and
 * the retry budget live as long as it does. Nothing of a caller or a job is kept here.
 */

import { definitions } from '#definitions';
import { type AwsBus, MissingBusError } from '../../lib/adapters/aws/bus.ts';
import { type AwsClients, awsClients } from '../../lib/adapters/aws/clients.ts';
import { awsPorts } from '../../lib/adapters/aws/ports.ts';
import { awsTimers } from '../../lib/adapters/aws/timers.ts';
import { type AwsEnvironment, parseAwsEnvironment } from '../../lib/contract/aws-environment.ts';
import { readScheduleFromMs } from '../../lib/contract/door-environment.ts';
import { LIMITS } from '../../lib/core/limits.ts';
import { dependenciesOf } from '../../lib/operations/dependencies.ts';
import type { Engine } from '../../lib/operations/engine.ts';
import { gatesOn } from '../../lib/operations/gates.ts';
import { withPolicies } from '../../lib/operations/policies.ts';
import { retryTokens } from '../../lib/operations/retry-tokens.ts';
import { metered } from './metered.ts';

export interface Container {
  readonly engine: Engine;
  readonly clients: AwsClients;
  readonly environment: AwsEnvironment;
}

const EMULATOR_PATIENCE = 10;

/** @param name of the function: the actor in histories */
export function container(name: string): Container {
  const environment = parseAwsEnvironment();
  // An emulator is one process for every service and every function: its answers take their turn.
  const clients = awsClients(environment, environment.pathStyleBuckets ? { patience: EMULATOR_PATIENCE } : {});
  return { engine: engineOn(name, environment, clients), clients, environment };
}

function engineOn(name: string, environment: AwsEnvironment, clients: AwsClients): Engine {
  const tokens = retryTokens();
  const ports = awsPorts(environment, clients);
  const gates = gatesOn(ports);
  const timers = awsTimers(clients.scheduler, ports.queue, environment.schedules, ports.clock, readScheduleFromMs());
  return {
    ports: metered({ ...ports, timers, bus: knownToExist(ports.bus) }, definitions),
    plans: withPolicies(definitions, environment.policies),
    rules: {
      route: (topic) => environment.routes?.routes.get(topic),
      policies: environment.policies.all,
      hintGraceMs: LIMITS.hintGraceMs,
      gate: gates.gate,
      retryPenaltyMs: (topic) => tokens.penaltyMs(environment.routes?.routes.get(topic)?.target ?? topic),
      livingOwners: null,
    },
    actor: `orchestrator:${name}`,
    lifecycleEvents: environment.lifecycleEvents,
    tokens,
    gates,
    dependencies: dependenciesOf(environment.routes?.routes ?? []),
  };
}

/** Events sent to a bus that is not there are lost without an error, so it is looked for before the first one. */
function knownToExist(bus: AwsBus): AwsBus {
  let looked: Promise<void> | null = null;
  return {
    ...bus,
    publish: async (events) => {
      looked ??= bus.assertExists();
      try {
        await looked;
      } catch (error) {
        if (error instanceof MissingBusError) throw error;
      }
      await bus.publish(events);
    },
  };
}
