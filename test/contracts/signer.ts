/** What every keeper of the signing key promises. */
import { expect, it } from 'vitest';
import type { Signer } from '../../lib/ports.ts';

/** @param open made anew each time, on the same key */
export function signerContract(open: () => Promise<Signer>): void {
  it('signs with 32 bytes, the same for the same text, whoever asks', async () => {
    const [one, other] = [await open(), await open()];
    const mac = await one.sign('text');
    expect(mac.byteLength).toBe(32);
    expect(Buffer.from(await other.sign('text'))).toEqual(Buffer.from(mac));
    expect(Buffer.from(await one.sign('texts'))).not.toEqual(Buffer.from(mac));
  });

  it('knows its own signature, and no other', async () => {
    const signer = await open();
    const mac = await signer.sign('text');
    expect(await signer.verify('text', mac)).toBe(true);
    expect(await signer.verify('other', mac)).toBe(false);
    const wrong = [mac.slice(0, 31), new Uint8Array(0), new Uint8Array(32), Buffer.concat([mac, mac]), flipped(mac)];
    for (const one of wrong) expect(await signer.verify('text', one)).toBe(false);
  });
}

function flipped(mac: Uint8Array): Uint8Array {
  return mac.map((byte, at) => (at === 31 ? byte ^ 1 : byte));
}
