/**
 * Every single fault of a story: each outside call of its faultless run, with each mode that means something there. And,
 * on demand, each pair of them.
 */
import {
  type CallSite,
  type Fault,
  type FaultMode,
  modesAt,
  noFaults,
  theseFaults,
  usualSize,
} from '../../lib/testing/simulation/faults.ts';
import type { Story } from './stories.ts';
import { type Telling, tell } from './telling.ts';

export interface Single {
  readonly site: CallSite;
  readonly mode: FaultMode;
  /** How many calls the story takes without faults. */
  readonly callsBefore: number;
}

export interface Failure {
  readonly story: string;
  readonly faults: readonly Single[];
  readonly broken: readonly string[];
}

export async function singlesOf(story: Story): Promise<Single[]> {
  const clean = await tell(story, noFaults, true);
  if (clean.record.broken.length > 0) throw new Error(`${story.name}: ${clean.record.broken.join('; ')}`);
  if (clean.state !== story.ends[0]) throw new Error(`${story.name} ends ${clean.state} by itself`);
  return clean.record.sites.flatMap((site) =>
    modesAt(site.name).map((mode) => ({ site, mode, callsBefore: clean.record.calls })),
  );
}

export async function tryFaults(story: Story, singles: readonly Single[], traced = false): Promise<Telling> {
  const faults = singles.map(({ site, mode }): [number, Fault] => [site.ordinal, { mode, size: usualSize(mode) }]);
  return tell(story, theseFaults(new Map(faults)), traced);
}

/** What breaks a rule, or does not happen: a fault that was planned and did not fire proves nothing. */
export async function failureOf(story: Story, singles: readonly Single[]): Promise<Failure | null> {
  const { record } = await tryFaults(story, singles);
  const [first] = singles;
  const fired = first === undefined || record.fired.some(({ site }) => site.ordinal === first.site.ordinal);
  const broken = [
    ...record.broken,
    ...(fired ? [] : ['the fault did not happen']),
    ...(record.calls > callsMax(singles) ? [`I14 took ${record.calls} calls`] : []),
  ];
  return broken.length === 0 ? null : { story: story.name, faults: singles, broken };
}

/** A fault costs another run of a function or two, never the whole story several times over. */
function callsMax(singles: readonly Single[]): number {
  return 2 * (singles[0]?.callsBefore ?? 0) + 40 * singles.length;
}

export function describeFailure({ story, faults, broken }: Failure): string {
  const places = faults.map(({ site, mode }) => `${mode} at call ${site.ordinal}, ${site.by} ${site.name}`);
  return `${story}: ${places.join(' and ')}: ${broken.join('; ')}`;
}
