/** The doors, to the byte: one below, at, and over each limit, in text whose letters take more than one byte. */
import { describe, expect, it } from 'vitest';
import { LIMITS } from '../../lib/core/limits.ts';
import { house } from './support.ts';

const MOST = LIMITS.inputBytesMax;

/** A text of exactly so many bytes, around a filling of two-byte letters. */
function filled(bytes: number, [before, after]: readonly [string, string]): string {
  const room = bytes - Buffer.byteLength(before) - Buffer.byteLength(after);
  const text = before + 'ü'.repeat(Math.floor(room / 2)) + (room % 2 === 1 ? 'x' : '') + after;
  expect(Buffer.byteLength(text)).toBe(bytes);
  return text;
}

/** A body whose length nobody announced. */
function streamed(text: string): ReadableStream {
  return new Blob([text]).stream();
}

const INPUT = ['{"question":"', '"}'] as const;
const ITEM = ['[{"idempotency_key":"k","input":{"question":"', '"}}]'] as const;

describe.each([
  ['announced', (text: string) => text],
  ['streamed', streamed],
] as const)('a body, %s', (_how, sent) => {
  it.each([
    [-1, 202],
    [0, 202],
    [1, 413],
  ])('of an input of %i bytes beside the limit is answered %i', async (beside, status) => {
    const { ask } = house();
    const told = await ask('/workflows/research/jobs', { method: 'POST', raw: sent(filled(MOST + beside, INPUT)) });
    expect(told.status).toBe(status);
    if (status === 413) expect(told.body.code).toBe('ORCH_PAYLOAD_TOO_LARGE');
  });

  it.each([
    [-1, 200],
    [0, 200],
    [1, 413],
  ])('of a batch of %i bytes beside the limit is answered %i', async (beside, status) => {
    const { ask } = house();
    const told = await ask('/workflows/research/jobs:batch', {
      method: 'POST',
      raw: sent(filled(MOST + beside, ITEM)),
    });
    expect(told.status).toBe(status);
  });
});

describe('what people write', () => {
  const act = async (body: object): Promise<number> => {
    const { ask } = house();
    const made = await ask('/workflows/research/jobs', { method: 'POST', body: { question: 'why?' } });
    return (await ask(`/jobs/${made.body.job_id}/resolve`, { method: 'POST', body })).status;
  };
  const said = { step: 'miner', resolution: 'applied', reason: 'because' };

  it.each([
    [-1, 409],
    [0, 409],
    [1, 400],
  ])('a reason of %i characters beside the limit is answered %i', async (beside, status) => {
    expect(await act({ ...said, reason: 'ü'.repeat(LIMITS.reasonCharactersMax + beside) })).toBe(status);
  });

  it.each([
    [-1, 409],
    [0, 409],
    [1, 400],
  ])('evidence of %i bytes beside the limit is answered %i', async (beside, status) => {
    expect(await act({ ...said, evidence: filled(LIMITS.evidenceBytesMax + beside, ['', '']) })).toBe(status);
  });
});
