/** The example service `notify`. */
import { notify } from '../../lib/participants/notify.ts';
import { participant } from '../parts/participant.ts';

export const handler = participant(notify);
