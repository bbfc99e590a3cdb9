/**
 * What came by a door that cannot be answered, a queue or a bus, as far as it could be read: a message that is no submit
 * still has to be kept under somebody's name.
 */
import type { JobSource, TraceContext } from './job.ts';
import type { Json } from './json.ts';

/** What every message has, whether it could be read or not. */
export interface Delivery {
  readonly source: JobSource;
  /** Stable over redelivery; the idempotency key where the message names none. */
  readonly doorId: string;
  readonly callerId: string;
  readonly correlationId: string | null;
  readonly trace: TraceContext | null;
  /** The message as it came. */
  readonly raw: Json;
}

export type DoorMessage = Delivery &
  (
    | {
        readonly readable: true;
        readonly workflowType: string;
        readonly version: number | null;
        readonly input: Json;
        readonly idempotencyKey: string | null;
      }
    | {
        readonly readable: false;
        readonly workflowType: string | null;
        readonly code: string;
        readonly detail: string;
      }
  );
