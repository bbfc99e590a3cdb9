/**
 * The engine of one container: ports, definitions and rules, made at its start and kept, so that clients, connections and
 * the retry budget live as long as it does. Nothing of a caller or a job is kept here.
 */
import { definitions } from '#definitions';
import { type AwsClients, awsClients } from '../../lib/adapters/aws/clients.ts';
import { awsPorts } from '../../lib/adapters/aws/ports.ts';
import { type AwsEnvironment, parseAwsEnvironment } from '../../lib/contract/aws-environment.ts';
import { LIMITS } from '../../lib/core/limits.ts';
import type { Engine } from '../../lib/operations/engine.ts';
import { retryTokens } from '../../lib/operations/retry-tokens.ts';
import { metered } from './metered.ts';

export interface Container {
  readonly engine: Engine;
  readonly clients: AwsClients;
  readonly environment: AwsEnvironment;
}

/** @param name of the function: the actor in histories */
export function container(name: string): Container {
  const environment = parseAwsEnvironment();
  const clients = awsClients(environment);
  return { engine: engineOn(name, environment, clients), clients, environment };
}

function engineOn(name: string, environment: AwsEnvironment, clients: AwsClients): Engine {
  const tokens = retryTokens();
  return {
    ports: metered(awsPorts(environment, clients), definitions),
    plans: definitions,
    rules: {
      route: (topic) => environment.routes?.routes.get(topic),
      policies: {},
      hintGraceMs: LIMITS.hintGraceMs,
      retryPenaltyMs: tokens.penaltyMs,
      livingOwners: null,
    },
    actor: `orchestrator:${name}`,
    tokens,
  };
}
