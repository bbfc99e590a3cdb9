/** The example service `research`. */
import { research } from '../../lib/participants/research.ts';
import { participant } from '../parts/participant.ts';

export const handler = participant(research);
