/** The example service `billing`. */
import { billing } from '../../lib/participants/billing.ts';
import { participant } from '../parts/participant.ts';

export const handler = participant(billing);
