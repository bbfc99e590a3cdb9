/**
 * What is written down of a run: rules that were broken, what was called how often, which faults happened, and, when
 * asked for, a line for everything, in order.
 */
import type { EpochMs } from '../../core/ids.ts';
import type { CallName, CallSite, Fault } from './faults.ts';
import type { FunctionName, Invocation } from './invocation.ts';

export interface FiredFault {
  readonly site: CallSite;
  readonly fault: Fault;
}

export interface RunRecord {
  readonly broken: string[];
  readonly fired: FiredFault[];
  readonly lines: string[];
  /** Calls of the whole run in order; kept when a trace is asked for. */
  readonly sites: CallSite[];
  calls: number;
  readonly callsPerJob: Map<string, number>;
  called(by: Invocation, name: CallName, about: string | null): CallSite;
  happened(site: CallSite, fault: Fault): void;
  say(line: () => string): void;
  breaks(rule: string): void;
}

export interface RecordOptions {
  readonly now: () => EpochMs;
  readonly start: EpochMs;
  readonly traced: boolean;
}

export function runRecord({ now, start, traced }: RecordOptions): RunRecord {
  const record: RunRecord = {
    broken: [],
    fired: [],
    lines: [],
    sites: [],
    calls: 0,
    callsPerJob: new Map(),
    called: (by, name, about) => {
      const site = { ordinal: record.calls, name, by: by.name };
      record.calls += 1;
      const jobId = by.jobId ?? about ?? '';
      record.callsPerJob.set(jobId, (record.callsPerJob.get(jobId) ?? 0) + 1);
      if (traced) record.sites.push(site);
      record.say(
        () => `#${site.ordinal} ${nameOf(by.name, by.id)} ${name}${about === null ? '' : ` ${shortened(about)}`}`,
      );
      return site;
    },
    happened: (site, fault) => {
      record.fired.push({ site, fault });
      record.say(() => `#${site.ordinal} !! ${fault.mode}${fault.size > 0 ? ` ${fault.size}` : ''}`);
    },
    say: (line) => {
      if (traced) record.lines.push(`${((now() - start) / 1_000).toFixed(3).padStart(11)}s ${line()}`);
    },
    breaks: (rule) => {
      record.broken.push(rule);
      record.say(() => `BROKEN ${rule}`);
    },
  };
  return record;
}

export function nameOf(name: FunctionName, id: number): string {
  return `${name}/${id}`;
}

/** Derived ids differ early: five characters tell the jobs of one run apart. */
export function shortened(text: string): string {
  return text.replace(/j[a-z2-7]{26}/g, (id) => id.slice(0, 6));
}
