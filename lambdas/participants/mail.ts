/** The example service `mail`. */
import { mail } from '../../lib/participants/mail.ts';
import { participant } from '../parts/participant.ts';

export const handler = participant(mail);
