/**
 * An order is fulfilled: goods reserved, money authorised, parcel sent on its way. A lost answer must neither charge
 * twice nor ship twice, so payment and fulfilment are asked before anything is repeated.
 */
import * as z from 'zod';
import { EXAMPLE_TOPICS } from '../contract/examples.ts';
import { step, workflow } from '../definition/index.ts';

const input = z.strictObject({
  order_id: z.string().min(1),
  sku: z.string().min(1),
  quantity: z.int().positive(),
  /** In the currency's own unit; how fine it may be is the payment service's rule. */
  amount: z.number().nonnegative(),
  /** Where it goes is judged by fulfilment, an empty one included. */
  address: z.string(),
});

export const order = workflow('order', 1)
  .input(input)
  .stage(
    step('reservation', {
      topic: 'inventory:reserve',
      undo: 'inventory:release',
      query: 'inventory:find',
      input: ({ input }) => ({ order_id: input.order_id, sku: input.sku, quantity: input.quantity }),
      output: EXAMPLE_TOPICS['inventory:reserve'].output,
    }),
  )
  .stage(
    step('payment', {
      topic: 'payment:authorise',
      undo: 'payment:cancel',
      query: 'payment:find',
      onUnknown: 'query',
      input: ({ input }) => ({ order_id: input.order_id, amount: input.amount }),
      output: EXAMPLE_TOPICS['payment:authorise'].output,
    }),
  )
  .stage(
    step('fulfilment', {
      topic: 'fulfilment:create',
      undo: 'fulfilment:cancel',
      query: 'fulfilment:find',
      onUnknown: 'query',
      input: ({ input, outputs }) => ({
        order_id: input.order_id,
        address: input.address,
        reservation_id: outputs.reservation.reservation_id,
        payment_id: outputs.payment.payment_id,
      }),
      output: EXAMPLE_TOPICS['fulfilment:create'].output,
    }),
  )
  // The parcel is stopped before the money goes back, and the goods are free only when nobody is to get them.
  .recovery('fulfilment', 'payment', 'reservation')
  .output(({ outputs }) => ({
    reservation_id: outputs.reservation.reservation_id,
    payment_id: outputs.payment.payment_id,
    fulfilment_id: outputs.fulfilment.fulfilment_id,
  }));
