/** The example service `user`. */
import { user } from '../../lib/participants/user.ts';
import { participant } from '../parts/participant.ts';

export const handler = participant(user);
