/**
 * Every port in memory, on one virtual clock and one seed: what simulation and tests run the real operations on.
 * Nothing here waits for real time, so a run is decided by its seed and by what its test does.
 */
import type { EpochMs } from '../../core/ids.ts';
import type { Participants, Ports } from '../../ports.ts';
import { hmacSigner, KEY_BYTES } from '../hmac-signer.ts';
import { jobChanges } from '../job-changes.ts';
import { type VirtualClock, virtualClock } from './clock.ts';
import { memoryDependencies } from './dependencies.ts';
import { queueFamily } from './family.ts';
import { seededIds, seededRandom } from './ids.ts';
import { memoryJobs } from './jobs.ts';
import { memoryPauses } from './pauses.ts';
import { type MemoryQueue, memoryQueue, memoryTimers } from './queue.ts';
import {
  type RecordingBus,
  type RecordingLog,
  recordingBus,
  recordingLog,
  recordingParticipants,
} from './recorders.ts';
import { memoryAudit, memoryClaims, memoryDeadLetters, memoryValues } from './records.ts';
import { memorySchedules, noWakeups } from './schedules.ts';

export interface MemoryOptions {
  readonly seed?: number;
  readonly start?: EpochMs;
  readonly participants?: Participants;
  readonly ownerPrefix?: string;
}

export interface MemoryPorts extends Ports {
  readonly clock: VirtualClock;
  readonly queue: MemoryQueue;
  readonly bus: RecordingBus;
  readonly log: RecordingLog;
}

/** Any fixed time does; this one makes dates in failing tests recognisable. */
const START: EpochMs = Date.UTC(2030, 0, 1);

export function memoryPorts(options: MemoryOptions = {}): MemoryPorts {
  const clock = virtualClock(options.start ?? START);
  const changes = jobChanges(clock);
  const queue = memoryQueue(clock);
  return {
    jobs: memoryJobs(changes.notify),
    values: memoryValues(),
    claims: memoryClaims(),
    dependencies: memoryDependencies(),
    deadLetters: memoryDeadLetters(),
    audit: memoryAudit(),
    pauses: memoryPauses(),
    schedules: memorySchedules(),
    wakeups: noWakeups(),
    queue,
    family: queueFamily(queue),
    timers: memoryTimers(clock, queue),
    bus: recordingBus(),
    participants: options.participants ?? recordingParticipants(),
    signer: hmacSigner(Buffer.alloc(KEY_BYTES, options.seed ?? 1)),
    changes,
    clock,
    ids: seededIds(seededRandom(options.seed ?? 1), options.ownerPrefix),
    log: recordingLog(),
  };
}
