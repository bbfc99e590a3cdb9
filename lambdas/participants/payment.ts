/** The example service `payment`. */
import { payment } from '../../lib/participants/payment.ts';
import { participant } from '../parts/participant.ts';

export const handler = participant(payment);
