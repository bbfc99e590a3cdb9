/** The example service `vendor`. */
import { vendor } from '../../lib/participants/vendor.ts';
import { participant } from '../parts/participant.ts';

export const handler = participant(vendor);
