/**
 * What is a Lambda elsewhere is an invocation here: an engine that acts under the function's name, and that dies at
 * its n-th outside call when a crash is armed for it. Unarmed invocations share one engine and pay nothing.
 */
import { crashable } from '../adapters/crashable.ts';
import type { FunctionTarget } from '../contract/local.ts';
import type { Engine } from '../operations/engine.ts';
import type { FaultBook } from './faults.ts';

export interface Invocation {
  readonly engine: Engine;
  /** To be called when it came to its end: a crash that did not happen is free for the next one. */
  end(): void;
}

export interface Functions {
  /** @param crashed told when an armed crash happened, after that is on record; nothing of the run moves any more */
  invoke(name: FunctionTarget, crashed: () => void): Invocation;
}

export function functions(engine: Engine, faults: FaultBook): Functions {
  /** Runs that carry an armed crash and may still die of it: no more than there are firings left. */
  const carrying = new Map<FunctionTarget, number>();
  const count = (name: FunctionTarget, by: number): void => {
    carrying.set(name, (carrying.get(name) ?? 0) + by);
  };
  const healthy = (name: FunctionTarget): Invocation => ({ engine: actingAs(engine, name), end: () => {} });
  const healthyOnes = {
    submit: healthy('submit'),
    dispatch: healthy('dispatch'),
    compensate: healthy('compensate'),
    watchdog: healthy('watchdog'),
  };

  return {
    invoke: (name, crashed) => {
      const fault = faults.armed(name);
      if (fault?.mode !== 'crash') return healthyOnes[name];
      if ((carrying.get(name) ?? 0) >= fault.times - fault.fired) return healthyOnes[name];
      count(name, 1);
      let over = false;
      const end = (): void => {
        if (!over) count(name, -1);
        over = true;
      };
      const onCrash = async (): Promise<void> => {
        await faults.take(name);
        end();
        crashed();
      };
      const { ports } = crashable(engine.ports, {
        atCall: fault.atCall,
        mode: 'before',
        onCrash: () => void onCrash(),
      });
      return { engine: actingAs({ ...engine, ports }, name), end };
    },
  };
}

function actingAs(engine: Engine, name: FunctionTarget): Engine {
  return { ...engine, actor: `orchestrator:${name}` };
}
