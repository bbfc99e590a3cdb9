import { describe, expect, it } from 'vitest';
import { readFault } from '../../lib/contract/local.ts';
import { openFaultBook } from '../../lib/local/faults.ts';
import { sqliteFile } from '../worker/sqlite-file.ts';

const fail = readFault({ target: 'tenant:create', mode: 'fail', times: 2 });
const hang = readFault({ target: 'tenant:create', mode: 'hang' });
const crash = readFault({ target: 'dispatch', mode: 'crash', at_call: 3 });

describe('the fault book', () => {
  it('fires what is armed for a target, in the order of arming, as often as asked for', async () => {
    const book = await openFaultBook(sqliteFile().write);
    for (const request of [fail, crash, hang]) await book.add(request);
    const modes = [];
    for (let i = 0; i < 4; i += 1) modes.push((await book.take('tenant:create'))?.mode);
    expect(modes).toEqual(['fail', 'fail', 'hang', undefined]);
    expect(book.list().map(({ mode, fired }) => [mode, fired])).toEqual([
      ['fail', 2],
      ['crash', 0],
      ['hang', 1],
    ]);
  });

  it('gives no firing to two who ask at the same time', async () => {
    const book = await openFaultBook(sqliteFile().write);
    await book.add(fail);
    const taken = await Promise.all(Array.from({ length: 5 }, () => book.take('tenant:create')));
    expect(taken.filter((fault) => fault !== undefined)).toHaveLength(2);
  });

  it('can be looked at without firing', async () => {
    const book = await openFaultBook(sqliteFile().write);
    expect(book.armed('dispatch')).toBeUndefined();
    await book.add(crash);
    expect([book.armed('dispatch'), book.armed('dispatch')]).toEqual(Array(2).fill({ ...crash, fired: 0 }));
    await book.take('dispatch');
    expect(book.armed('dispatch')).toBeUndefined();
  });

  it('neither forgets nor repeats a firing when its process dies', async () => {
    const file = sqliteFile();
    const book = await openFaultBook(file.write);
    await book.add(fail);
    await book.take('tenant:create');
    const again = await openFaultBook(file.reopen().write);
    expect(again.list()).toEqual([{ ...fail, fired: 1 }]);
    await again.take('tenant:create');
    await again.add(crash);
    expect(await again.take('tenant:create')).toBeUndefined();
    expect(again.list()).toEqual([
      { ...fail, fired: 2 },
      { ...crash, fired: 0 },
    ]);
  });

  it('is empty for good once cleared', async () => {
    const file = sqliteFile();
    const book = await openFaultBook(file.write);
    await book.add(fail);
    await book.clear();
    expect(book.list()).toEqual([]);
    await book.add(hang);
    expect((await openFaultBook(file.reopen().write)).list()).toEqual([{ ...hang, fired: 0 }]);
  });

  it('asks the file nothing while nothing is armed', async () => {
    const { write } = sqliteFile();
    let writes = 0;
    const book = await openFaultBook((work) => {
      writes += 1;
      return write(work);
    });
    const before = writes;
    expect(await book.take('tenant:create')).toBeUndefined();
    expect(writes).toBe(before);
  });
});
