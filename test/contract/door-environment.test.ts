import { describe, expect, it } from 'vitest';
import {
  readDeployment,
  readDoorEnvironment,
  readOperationsTable,
  readScheduleFromMs,
} from '../../lib/contract/door-environment.ts';

describe('the environment of the doors', () => {
  it('knows no operator and no driver where nothing is said', () => {
    expect(readDoorEnvironment({ DACAPO_OPERATORS: '' })).toEqual({
      dispatchFunction: null,
      probeFunction: null,
      operators: new Set(),
      operateScope: null,
    });
  });

  it('makes schedules from what a queue cannot delay, or from what is said', () => {
    expect([readScheduleFromMs({}), readScheduleFromMs({ DACAPO_SCHEDULE_FROM_MS: '0' })]).toEqual([900_000, 0]);
    for (const text of ['soon', '-1', '900001']) {
      expect(() => readScheduleFromMs({ DACAPO_SCHEDULE_FROM_MS: text })).toThrow('DACAPO_SCHEDULE_FROM_MS');
    }
  });

  it('a participant without its table does not start, and says which variable is missing', () => {
    expect(() => readOperationsTable({})).toThrow('DACAPO_OPERATIONS_TABLE');
    expect(readOperationsTable({ DACAPO_OPERATIONS_TABLE: 't' })).toBe('t');
  });

  it('a deployment without a name has one', () => {
    expect([readDeployment({}), readDeployment({ DACAPO_DEPLOYMENT: 'shop' })]).toEqual(['dacapo', 'shop']);
  });
});
