/** Pauses in memory, kept as text. */
import { pauseFromJson, pausePutOver, pauseToJson } from '../../contract/stored-pause.ts';
import type { PauseStore } from '../../ports.ts';

export function memoryPauses(): PauseStore {
  const texts = new Map<string, string>();
  const held = (id: string) => {
    const text = texts.get(id);
    return text === undefined ? null : pauseFromJson(text);
  };
  return {
    list: async () => [...texts.values()].map(pauseFromJson),
    get: async (id) => held(id),
    put: async (pause) => {
      const current = held(pause.id);
      if ((current?.revision ?? 0) !== pause.revision - 1) return pausePutOver(current, pause);
      texts.set(pause.id, pauseToJson(pause));
      return { stored: true };
    },
  };
}
