/** The example service `tenant`. */
import { tenant } from '../../lib/participants/tenant.ts';
import { participant } from '../parts/participant.ts';

export const handler = participant(tenant);
