/**
 * What the types promise: later stages see earlier outputs, a neighbour is not visible, wrong fields do not compile.
 * Most of this is checked by tsc: an `@ts-expect-error` that meets no error breaks the build.
 */
import { describe, expect, expectTypeOf, it } from 'vitest';
import { z } from 'zod';
import {
  type InputOf,
  none,
  type OutputOf,
  type OutputsOf,
  step,
  type TypeOf,
  workflow,
} from '../../lib/definition/index.ts';
import type { examples } from '../../lib/workflows/examples.ts';
import type { signup } from '../../lib/workflows/signup.ts';

const input = z.strictObject({ city: z.string(), nights: z.number().default(1) });
const hotel = z.object({ booking_id: z.string(), price: z.number() });
const start = workflow('trip', 1).input(input);
const booked = start.stage(
  step('hotel', {
    topic: 'hotel:book',
    undo: 'hotel:cancel',
    input: ({ input }) => ({ city: input.city }),
    output: hotel,
  }),
);

describe('what a mapper sees', () => {
  it('the input as the schema reads it, defaults filled in', () => {
    start.stage(
      step('hotel', {
        topic: 'hotel:book',
        undo: 'hotel:cancel',
        input: ({ input }) => {
          expectTypeOf(input).toEqualTypeOf<{ city: string; nights: number }>();
          return {};
        },
        output: hotel,
      }),
    );
  });

  it('the outputs of every earlier stage', () => {
    booked
      .stage(
        step('car', {
          topic: 'car:book',
          undo: 'car:cancel',
          input: () => ({}),
          output: z.object({ plate: z.string() }),
        }),
        step('pass', {
          topic: 'pass:buy',
          undo: 'pass:refund',
          input: () => ({}),
          output: z.object({ days: z.number() }),
        }),
      )
      .stage(
        step('letter', {
          topic: 'letter:send',
          irreversible: true,
          input: ({ outputs }) => {
            expectTypeOf(outputs.hotel).toEqualTypeOf<{ booking_id: string; price: number }>();
            expectTypeOf(outputs.car.plate).toBeString();
            expectTypeOf(outputs.pass.days).toBeNumber();
            return { hotel: outputs.hotel.booking_id, plate: outputs.car.plate };
          },
          output: z.object({}),
        }),
      );
  });

  it('not a field that no output has, not a step that does not exist, not the step itself', () => {
    booked.stage(
      step('car', {
        topic: 'car:book',
        undo: 'car:cancel',
        input: ({ input, outputs }) => ({
          // @ts-expect-error the input has no country
          country: input.country,
          // @ts-expect-error the hotel answers booking_id
          hotel: outputs.hotel.bookingId,
          // @ts-expect-error there is no such step
          flight: outputs.flight,
          // @ts-expect-error its own output does not exist yet
          own: outputs.car,
        }),
        output: z.object({ plate: z.string() }),
      }),
    );
  });

  it('not a step of the same stage, nor of a later one', () => {
    booked.stage(
      step('car', {
        topic: 'car:book',
        undo: 'car:cancel',
        input: () => ({}),
        output: z.object({ plate: z.string() }),
      }),
      step('pass', {
        topic: 'pass:buy',
        undo: 'pass:refund',
        // @ts-expect-error car runs at the same time
        input: ({ outputs }) => ({ plate: outputs.car.plate }),
        output: z.object({}),
      }),
    );
  });

  it('what is sent must be JSON', () => {
    booked.stage(
      step('car', {
        topic: 'car:book',
        undo: 'car:cancel',
        // @ts-expect-error a Date is not JSON
        input: () => ({ at: new Date(0) }),
        output: z.object({}),
      }),
    );
  });
});

describe('what an undo sees', () => {
  it('what the step was sent, and what it answered or null', () => {
    start.stage(
      step('hotel', {
        topic: 'hotel:book',
        input: ({ input }) => ({ where: input.city }),
        output: hotel,
        undo: {
          topics: ['hotel:cancel', 'hotel:refund'],
          choose: (output) => {
            expectTypeOf(output).toEqualTypeOf<{ booking_id: string; price: number } | null>();
            return output === null ? 'hotel:cancel' : 'hotel:refund';
          },
          input: ({ input, output }) => {
            expectTypeOf(input.where).toBeString();
            // @ts-expect-error the answer may never have come
            return { id: output.booking_id };
          },
        },
      }),
    );
  });
});

describe('what a step declares', () => {
  const rest = { topic: 'hotel:book', input: () => ({}), output: hotel } as const;

  it('is one of three kinds', () => {
    step('a', { ...rest, undo: none('nothing stays') });
    step('a', { ...rest, readOnly: true });
    step('a', { ...rest, irreversible: true });
    // @ts-expect-error neither undo, nor readOnly, nor irreversible
    step('a', { ...rest });
    // @ts-expect-error what only reads has nothing to undo
    step('a', { ...rest, readOnly: true, undo: 'hotel:cancel' });
    // @ts-expect-error what cannot be undone has no undo
    step('a', { ...rest, irreversible: true, undo: 'hotel:cancel' });
    // @ts-expect-error what cannot be undone is not settled by undoing it
    step('a', { ...rest, irreversible: true, onUnknown: 'compensate' });
    // @ts-expect-error what only reads is never unknown
    step('a', { ...rest, readOnly: true, onUnknown: 'retry' });
  });

  it('durations with their unit', () => {
    step('a', { ...rest, readOnly: true, timeout: '1.5 min' });
    // @ts-expect-error a bare number says no unit
    step('a', { ...rest, readOnly: true, timeout: 90 });
    // @ts-expect-error not a unit
    step('a', { ...rest, readOnly: true, timeout: '10 sec' });
  });
});

describe('what the workflow says', () => {
  it('recovery takes names of its steps only', () => {
    booked.recovery('hotel');
    // @ts-expect-error there is no such step
    booked.recovery('flight');
  });

  it('a client gets the types of input, outputs and output', () => {
    type Signup = typeof signup;
    expectTypeOf<InputOf<Signup>>().toEqualTypeOf<{ company: string; email: string; plan: string }>();
    expectTypeOf<OutputOf<Signup>>().toEqualTypeOf<{ tenant_id: string; account_id: string; user_id: string }>();
    expectTypeOf<OutputsOf<Signup>['billing']>().toEqualTypeOf<{ account_id: string }>();
    const trip = booked.output(({ input, outputs }) => ({ nights: input.nights, id: outputs.hotel.booking_id }));
    expectTypeOf<InputOf<typeof trip>>().toEqualTypeOf<{ city: string; nights?: number | undefined }>();
    expectTypeOf<OutputOf<typeof trip>>().toEqualTypeOf<{ nights: number; id: string }>();
    expect(Object.keys(trip.outputs)).toEqual(['hotel']);
  });

  it('a client finds each workflow of a registry by the name of its type', () => {
    type Known = (typeof examples.workflows)[number];
    expectTypeOf<TypeOf<Known>>().toEqualTypeOf<'onboarding' | 'order' | 'research' | 'signup'>();
    expectTypeOf<typeof signup>().toExtend<Known>();
  });
});
