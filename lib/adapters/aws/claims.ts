/**
 * Claims: one item an intent, put if there is none or its window has passed. Who is refused reads the start of the one
 * that holds, and so does a sender whose own put had succeeded unheard: it finds its own start.
 */
import type { DynamoDBClient } from '@aws-sdk/client-dynamodb';
import type { EpochMs } from '../../core/ids.ts';
import { StoreError } from '../../core/store-error.ts';
import type { ClaimStore } from '../../ports.ts';
import { type Condition, conditionalPut, either, isAbsent } from './conditional-put.ts';
import { claimKey, expiry, number, numberIn } from './items.ts';

const STARTED = 'started';

const startedUntil = (latest: EpochMs): Condition => ({
  text: '#started <= :latest',
  names: { '#started': STARTED },
  values: { ':latest': number(latest) },
});

export function dynamoClaims(client: DynamoDBClient, tableName: string): ClaimStore {
  return {
    claim: async (intent, now, windowMs) => {
      // Two windows, so that a clock that is behind still finds the claim it must respect.
      const item = { ...claimKey(intent), [STARTED]: number(now), ...expiry(now + 2 * windowMs) };
      const result = await conditionalPut(client, tableName, item, either(isAbsent, startedUntil(now - windowMs)));
      if (result.put) return now;
      if (result.held === null) throw new StoreError('a claim was there and is gone again: submit again');
      return numberIn(result.held, STARTED);
    },
  };
}
