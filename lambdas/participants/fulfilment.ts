/** The example service `fulfilment`. */
import { fulfilment } from '../../lib/participants/fulfilment.ts';
import { participant } from '../parts/participant.ts';

export const handler = participant(fulfilment);
