/** What every store of operations must keep: one suite, run on each of them. */
import { describe, expect, it } from 'vitest';
import { type OperationStore, type OperationView, UNSEEN } from '../../lib/worker/index.ts';

export interface OpenStore {
  readonly store: OperationStore & OperationView;
  /** The same data after its process died, or null where nothing outlives the process. */
  reopen(): Promise<OperationStore & OperationView> | null;
}

const call = { topic: 'a:do', operationId: 'op1', attempt: 1, at: 5, result: 'ok' };
const revoked = { ...UNSEEN, revoked: true };

export function operationsContract(name: string, open: () => Promise<OpenStore>): void {
  describe(`operations in ${name}`, () => {
    it('show an operation that nobody has seen as unseen', async () => {
      const { store } = await open();
      const seen = await store.change('op1', (operation) => ({ next: null, call: null, result: operation }));
      expect(seen).toEqual(UNSEEN);
      expect(await store.operations()).toEqual([]);
    });

    it('store a change and its call as one', async () => {
      const { store } = await open();
      expect(await store.change('op1', () => ({ next: revoked, call, result: 'done' }))).toBe('done');
      expect(await store.operations()).toEqual([{ operationId: 'op1', operation: revoked }]);
      expect(await store.calls()).toEqual([call]);
      expect(await store.change('op1', (operation) => ({ next: null, call: null, result: operation }))).toEqual(
        revoked,
      );
    });

    it('store nothing of a change that throws, and everything of its neighbours', async () => {
      const { store } = await open();
      const log = { ...call, operationId: 'op0' };
      const changes = [
        store.change('op0', () => ({ next: revoked, call: log, result: 'first' })),
        store.change('op1', () => {
          throw new Error('no decision');
        }),
        store.change('op2', () => ({ next: revoked, call: null, result: 'third' })),
      ];
      expect((await Promise.allSettled(changes)).map(({ status }) => status)).toEqual([
        'fulfilled',
        'rejected',
        'fulfilled',
      ]);
      expect((await store.operations()).map(({ operationId }) => operationId)).toEqual(['op0', 'op2']);
      expect(await store.calls()).toEqual([log]);
    });

    it('show each of many changes at once what the one before it stored', async () => {
      const { store } = await open();
      const counts = Array.from({ length: 50 }, () =>
        store.change('op1', (operation) => {
          const count = Number(operation.record?.count ?? 0) + 1;
          return { next: { ...operation, record: { count } }, call: null, result: count };
        }),
      );
      expect((await Promise.all(counts)).toSorted((a, b) => a - b)).toEqual(
        Array.from({ length: 50 }, (_, i) => i + 1),
      );
    });

    it('keep calls in the order in which they came', async () => {
      const { store } = await open();
      for (const attempt of [1, 2, 3]) await store.log({ ...call, attempt });
      expect((await store.calls()).map(({ attempt }) => attempt)).toEqual([1, 2, 3]);
    });

    it('take any text as an operation id', async () => {
      const { store } = await open();
      for (const id of ['__proto__', "a'b", 'ä', 'constructor']) {
        await store.change(id, () => ({
          next: { ...revoked, undos: { [id]: UNSEEN.forward } },
          call: null,
          result: null,
        }));
        const seen = await store.change(id, (operation) => ({ next: null, call: null, result: operation }));
        expect(Object.keys(seen.undos)).toEqual([id]);
      }
    });

    it('outlive the process where the store is a file', async () => {
      const opened = await open();
      await opened.store.change('op1', () => ({ next: revoked, call, result: null }));
      const again = await opened.reopen();
      if (again === null) return;
      expect(await again.operations()).toEqual([{ operationId: 'op1', operation: revoked }]);
      await again.log({ ...call, attempt: 2 });
      expect((await again.calls()).map(({ attempt }) => attempt)).toEqual([1, 2]);
    });
  });
}
