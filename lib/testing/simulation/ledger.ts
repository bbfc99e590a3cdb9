/**
 * What really happened at the participants, whatever anybody was told: per operation, which effects stand. Held against
 * what jobs claim.
 */
import type { Json } from '../../core/json.ts';

/**
 * `fencing`: the worker kit's promises. `plain`: applies an operation once, forgets it when undone, fences nothing.
 * `sloppy`: takes every call for a new operation.
 */
export type ServiceKind = 'fencing' | 'plain' | 'sloppy';

export interface Effect {
  readonly operationId: string;
  readonly kind: ServiceKind;
  /** How often the operation's effect is there now; an operation applied once has one. */
  standing: number;
  applied: number;
  /** Calls that may yet take effect. */
  atWork: number;
  refused: boolean;
  undone: boolean;
  /** No forward call of this operation can take effect any more. */
  tombstone: boolean;
  /** A person took it back without asking the participant. */
  byHand: boolean;
  output: Json;
}

export interface Ledger {
  of(operationId: string, kind: ServiceKind): Effect;
  all(): readonly Effect[];
  /** Somebody took the effect back without asking the participant. */
  takeBackByHand(operationId: string): void;
}

export function ledger(): Ledger {
  const effects = new Map<string, Effect>();
  return {
    of: (operationId, kind) => {
      const known = effects.get(operationId);
      if (known !== undefined) return known;
      const numbers = { standing: 0, applied: 0, atWork: 0 };
      const words = { refused: false, undone: false, tombstone: false, byHand: false, output: null };
      const fresh: Effect = { operationId, kind, ...numbers, ...words };
      effects.set(operationId, fresh);
      return fresh;
    },
    all: () => [...effects.values()],
    takeBackByHand: (operationId) => {
      const effect = effects.get(operationId);
      if (effect === undefined) return;
      effect.standing = 0;
      effect.undone = true;
      effect.tombstone = true;
      effect.byHand = true;
    },
  };
}
