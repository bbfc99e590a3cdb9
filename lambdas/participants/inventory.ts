/** The example service `inventory`. */
import { inventory } from '../../lib/participants/inventory.ts';
import { participant } from '../parts/participant.ts';

export const handler = participant(inventory);
