/**
 * Before something that cannot be taken back: what it is about is shown, and somebody agrees. Scripts agree beforehand
 * with --yes; where nobody can be asked and nobody has agreed, nothing happens.
 */
import { RefusedHere } from './refusals.ts';
import type { Session } from './session.ts';
import { painter } from './style.ts';

export interface Consent {
  /** Already cleaned, each line ended. */
  readonly preview: string;
  readonly question: string;
  /** To be typed where a slip of the hand would be too easy. */
  readonly word?: string;
}

export async function agreed(session: Session, { preview, question, word }: Consent): Promise<void> {
  const { io, yes } = session;
  if (yes) return;
  io.err.write(preview);
  if (!io.interactive) {
    throw new RefusedHere('this cannot be taken back and nobody is there to be asked: add --yes to agree beforehand');
  }
  const paint = painter(io.err);
  const how = word === undefined ? '[y/N]' : `Type ${word} to go on:`;
  const said = await io.ask(`\n${paint('attention', question)} ${how} `);
  if (said === null) io.err.write('\n');
  const answer = said?.trim() ?? '';
  const agrees = word === undefined ? /^y(es)?$/i.test(answer) : answer === word;
  if (!agrees) throw new RefusedHere('nothing was done');
}
