/** Vendors that name a price, the same one whenever they are asked for the same; some do not deal with everybody. */
import { createHash } from 'node:crypto';
import { EXAMPLE_TOPICS } from '../contract/examples.ts';
import { Refusal, readOnly, service } from '../worker/index.ts';

export const vendor = service('vendor', {
  'vendor:quote': readOnly(EXAMPLE_TOPICS['vendor:quote'], ({ input }) => {
    if (input.vendor.startsWith('bad')) {
      const detail = `${input.vendor} does not quote for ${input.product}; ask another vendor`;
      throw new Refusal('validation-error', { code: 'DQ_NO_QUOTE', detail });
    }
    return { vendor: input.vendor, price: priceOf(input.vendor, input.product) };
  }),
  'quote:select': readOnly(EXAMPLE_TOPICS['quote:select'], ({ input }) => {
    const [first, ...others] = input.quotes;
    if (first === undefined) throw new Refusal('validation-error', { detail: 'there is no quote to choose from' });
    // Of equal prices the one that came first: who asked decides the order.
    return { best: others.reduce((best, quote) => (quote.price < best.price ? quote : best), first) };
  }),
});

/** Between 10.00 and 99.99. */
function priceOf(name: string, product: string): number {
  const drawn = createHash('sha256').update(`${name} ${product}`).digest().readUInt32BE(0);
  return (1_000 + (drawn % 9_000)) / 100;
}
