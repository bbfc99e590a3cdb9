/**
 * Runs a dependency that is down for ten minutes under a thousand orders, on a virtual clock, says what came of it, and
 * draws it: `node scripts/outage/main.ts` writes docs/outage.svg.
 */
import { writeFileSync } from 'node:fs';
import { LIMITS } from '../../lib/core/limits.ts';
import { type OutageRun, runOutage } from './run.ts';

const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const RATE = 10;
const DOWN = { from: 2 * MINUTE, for: 10 * MINUTE };
const OPTIONS = {
  jobs: 1_000,
  submitMs: 11 * MINUTE,
  downFromMs: DOWN.from,
  downForMs: DOWN.for,
  withinMs: 60 * MINUTE,
  releasePerSecond: RATE,
} as const;

const WIDTH = 860;
const HEIGHT = 420;
const LEFT = 56;
const RIGHT = 20;
const BAND = { top: 40, height: 150, gap: 50 };

const outage = await runOutage(OPTIONS);
const facts = factsOf(outage);
console.log(JSON.stringify(facts, null, 2));
writeFileSync(new URL('../../docs/outage.svg', import.meta.url), svg(outage));

function factsOf({ calls, jobs, parked, events, endedAt }: OutageRun) {
  const down = calls.filter(({ answered }) => !answered);
  const openedAt = events[0]?.at ?? 0;
  const spent = jobs.reduce((sum, { retryCount }) => sum + retryCount, 0);
  return {
    jobs: jobs.length,
    completed: jobs.filter(({ state }) => state === 'COMPLETED').length,
    dead_letters: jobs.filter(({ state }) => state === 'DEAD_LETTERED').length,
    retries_spent: spent,
    calls_while_down: down.length,
    probes_after_opening: down.filter(({ at }) => at > openedAt + LIMITS.gatesFreshMs + SECOND).length,
    most_parked: Math.max(...parked.map((one) => one.jobs)),
    most_calls_a_second: Math.max(...perSecond(calls.filter(({ at }) => at > DOWN.from + DOWN.for)).map(({ n }) => n)),
    release_per_second: RATE,
    closed_after_recovery_s: Math.round(((events.at(-1)?.at ?? 0) - DOWN.from - DOWN.for) / SECOND),
    all_done_after_recovery_s: Math.round((endedAt - DOWN.from - DOWN.for) / SECOND),
  };
}

function perSecond(calls: OutageRun['calls']): { at: number; n: number }[] {
  const found = new Map<number, number>();
  for (const { at } of calls) {
    const second = Math.floor(at / SECOND);
    found.set(second, (found.get(second) ?? 0) + 1);
  }
  return [...found].map(([second, n]) => ({ at: second * SECOND, n }));
}

function svg({ calls, parked, endedAt }: OutageRun): string {
  const x = (at: number): number => LEFT + (at / endedAt) * (WIDTH - LEFT - RIGHT);
  const callBand = band(0, Math.max(RATE, ...perSecond(calls).map(({ n }) => n)));
  const parkedBand = band(1, Math.max(1, ...parked.map(({ jobs }) => jobs)));
  const bars = (answered: boolean, colour: string): string =>
    perSecond(calls.filter((call) => call.answered === answered))
      .map(({ at, n }) =>
        rect(x(at), callBand.y(n), Math.max(1, x(SECOND) - x(0)), callBand.y(0) - callBand.y(n), colour),
      )
      .join('');
  const line = parked.map(({ at, jobs }) => `${x(at).toFixed(1)},${parkedBand.y(jobs).toFixed(1)}`).join(' ');
  const minutes = Array.from({ length: Math.floor(endedAt / MINUTE) + 1 }, (_, minute) => minute);
  return [
    `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 ${WIDTH} ${HEIGHT}" font-family="sans-serif" font-size="12">`,
    `<title>Calls to a dependency that is down for ten minutes, and what waits for it</title>`,
    `<rect width="${WIDTH}" height="${HEIGHT}" fill="#ffffff"/>`,
    rect(x(DOWN.from), BAND.top, x(DOWN.from + DOWN.for) - x(DOWN.from), HEIGHT - BAND.top - 30, '#f3e3e3'),
    label(x(DOWN.from) + 6, BAND.top + 14, 'the dependency is down'),
    label(LEFT, BAND.top - 12, 'calls a second: answered (blue), failed (red); dashed: the release rate'),
    bars(true, '#3b6ea5'),
    bars(false, '#c0392b'),
    `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${callBand.y(RATE)}" y2="${callBand.y(RATE)}" stroke="#555" stroke-dasharray="4 3"/>`,
    label(LEFT, parkedBand.y(0) - BAND.height - 12, 'jobs that wait for it'),
    `<polyline points="${line}" fill="none" stroke="#8a5a00" stroke-width="2"/>`,
    ...[callBand, parkedBand].flatMap((one) => [
      `<line x1="${LEFT}" x2="${WIDTH - RIGHT}" y1="${one.y(0)}" y2="${one.y(0)}" stroke="#333"/>`,
      label(6, one.y(0), '0'),
      label(6, one.y(one.max) + 10, String(one.max)),
    ]),
    ...minutes.map((minute) => label(x(minute * MINUTE) - 3, HEIGHT - 8, String(minute))),
    label(WIDTH - 60, HEIGHT - 22, 'minutes'),
    '</svg>',
    '',
  ].join('\n');
}

function band(index: number, max: number) {
  const bottom = BAND.top + BAND.height + index * (BAND.height + BAND.gap);
  return { max, y: (value: number): number => bottom - (value / max) * BAND.height };
}

function rect(x: number, y: number, width: number, height: number, fill: string): string {
  return `<rect x="${x.toFixed(1)}" y="${y.toFixed(1)}" width="${width.toFixed(1)}" height="${height.toFixed(1)}" fill="${fill}"/>`;
}

function label(x: number, y: number, text: string): string {
  return `<text x="${x.toFixed(1)}" y="${y.toFixed(1)}" fill="#333">${text}</text>`;
}
