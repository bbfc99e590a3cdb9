/**
 * A product is quoted by many vendors at once, and the best of what came back is picked. A vendor that refuses, or that
 * cannot be reached, leaves a gap in the list; only when nobody quotes is there nothing to pick from. The same vendor
 * named twice is asked twice.
 */
import * as z from 'zod';
import { EXAMPLE_TOPICS } from '../contract/examples.ts';
import { fanOut, step, workflow } from '../definition/index.ts';

const input = z.strictObject({
  product: z.string().min(1),
  vendors: z.array(z.string().min(1)).min(1).max(10_000),
});

type Quote = z.output<(typeof EXAMPLE_TOPICS)['vendor:quote']['output']>;

export const quotes = workflow('quotes', 1)
  .input(input)
  .stage(
    fanOut('collect', {
      topic: 'vendor:quote',
      readOnly: true,
      over: ({ input }) => input.vendors,
      input: (vendor, { input }) => ({ product: input.product, vendor }),
      output: EXAMPLE_TOPICS['vendor:quote'].output,
      concurrency: 50,
      policy: { partial: { atLeast: 1 } },
      initial: [] as Quote[],
      merge: (quotes, quote) => [...quotes, quote],
    }),
  )
  .stage(
    step('select', {
      topic: 'quote:select',
      readOnly: true,
      input: ({ input, outputs }) => ({ product: input.product, quotes: outputs.collect.result }),
      output: EXAMPLE_TOPICS['quote:select'].output,
    }),
  )
  .output(({ outputs }) => ({
    best: outputs.select.best,
    quotes: outputs.collect.result,
    failed_children: outputs.collect.failed_children,
  }));
