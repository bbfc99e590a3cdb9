/**
 * Every number that bounds the system, in one place, with the relations between them asserted in
 * `limits.test.ts`. Infrastructure reads the same numbers. Durations are milliseconds, sizes are bytes.
 */
const SECOND = 1_000;
const MINUTE = 60 * SECOND;
const HOUR = 60 * MINUTE;
const DAY = 24 * HOUR;
const KIB = 1_024;
const MIB = 1_024 * KIB;

export const LIMITS = {
  /** Definitions. A job's control item carries every step, so their number is bounded. */
  stepsPerJob: 200,
  stepTimeoutMsDefault: 10 * SECOND,
  /** A synchronous call must end, with its margins, inside one run of the dispatch function. */
  stepTimeoutMsMax: 90 * SECOND,
  jobDeadlineMsDefault: DAY,
  jobDeadlineMsMax: 365 * DAY,
  undoDeadlineMsDefault: DAY,
  maxRetriesDefault: 20,
  /** An answer `accepted` promises a result later; a day is the job's own default deadline. */
  waitMsDefault: DAY,
  /** Queries ask, they do not act: a handful settles a slow participant, more would only hide a lost one. */
  queriesPerOperation: 5,

  /** Children. Their numbers are kept as bits, so ten thousand of them are 1.7 KB of their parent's item. */
  childrenMax: 10_000,
  /** Made, or told to stop, before their parent notes how far it is: what a crash costs is found to be there already. */
  childrenChunk: 500,
  childrenConcurrencyDefault: 20,
  /** A workflow that has children that have children: deeper ones are hard to follow and no process was seen to need them. */
  childDepthMax: 4,
  /** Shown with their codes on the parent itself; the step's output names all. */
  failedChildrenInline: 100,
  /** What must remain before a driver begins a chunk: single puts of it, at the pace of a throttled table. */
  choreMarginMs: 15 * SECOND,
  /** Beyond this, looking more often would only cost: what a parent is told comes by itself. */
  childrenLookMsMax: HOUR,

  /** Driving. */
  dispatchTimeoutMs: 120 * SECOND,
  /** What a driver needs after a call's timeout to write down the result before its lease ends. */
  leaseMarginMs: 5 * SECOND,
  /** What must remain beyond a call's timeout before a driver starts it. */
  callMarginMs: 2 * SECOND,
  /** Shorter waits stay in the driver: a parked job costs two writes and a timer. */
  parkThresholdMs: 2 * SECOND,
  /** How long a result waits for its siblings, so that a stage is folded in one write. */
  foldWindowMs: 200,
  /** A hint on its way; past this the watchdog takes the job up. */
  hintGraceMs: MINUTE,
  /** Embedded hints never leave the process, so their loss shows sooner. */
  hintGraceMsEmbedded: 5 * SECOND,
  /** Losers of a conditional write re-read and re-decide this often. */
  applyAttemptsMax: 10,
  reviewReminderMs: DAY,
  /** Work that is due and waits for longer waits because of an outage: two looks of the watchdog, and the hint it sends. */
  outageMsMin: 3 * MINUTE,
  /**
   * How far a machine's clock may be off, either way. Clocks of Lambda are kept to milliseconds; five minutes is what
   * Kerberos and AWS's own request signatures put up with, so whatever is off by more fails in other places first.
   */
  clockSkewMsMax: 5 * MINUTE,

  /** Embedded, a dependency that says nothing else has this many calls at once: a hung one leaves most drivers to others. */
  callsAtOnceEmbedded: 64,
  callsAtOnceMax: 10_000,
  callsPerSecondMax: 100_000,

  /** Pauses. Fewer failures than this stop no release: one bad job tells nothing about the others. */
  releaseFailuresMin: 5,
  /** Of the jobs released so far: what failed for every fifth is not over. */
  releaseFailureRateMax: 0.2,
  /** After this everybody has heard of a release, and indexes have caught up: what is parked still was parked before. */
  releaseHeardMs: 10 * SECOND,
  /** Faster than this a release is none: the drivers are the limit. */
  releasePerSecondMax: 1_000,
  /** How long a pause that is over is still shown, and what came too late for its release still looked for. */
  pauseRememberedMs: DAY,

  /** The watchdog's index. Buckets let a short job touch the index twice, not at every step. */
  bucketMs: 5 * MINUTE,
  activeShards: 16,
  /** Partitions of a gate's parked jobs: one takes a thousand parks a second, and each costs a query at each look. */
  parkedShards: 4,
  /** Hints of one run, over all shards: more would only queue up behind the drivers. */
  sweepBatchMax: 1_000,
  sweepPage: 100,

  /** Dependencies. A breaker opens when this many calls failed within the window, and asks again after the cooldown. */
  breakerFailures: 5,
  breakerWindowMs: MINUTE,
  breakerCooldownMs: 30 * SECOND,
  /** Who was elected to find out runs no longer than this: then another one is. */
  breakerProbeLeaseMs: 2 * MINUTE + 30 * SECOND,
  /** How old what a container knows of dependencies may be. */
  gatesFreshMs: SECOND,
  /** Bad checks in a row until a dependency counts as offline, good ones until it is healthy again. */
  healthFailures: 3,
  healthSuccesses: 2,
  healthIntervalMs: MINUTE,
  healthTimeoutMs: 5 * SECOND,
  /** Three checks missed: what was known is too old. */
  healthStaleMs: 3 * MINUTE + 30 * SECOND,
  /** Parked jobs that a dependency gets back a second: enough to empty 10,000 in minutes, not a spike to fall over. */
  releasePerSecond: 50,
  /** How far ahead one look gives out slots: to the next look, and a little for when that is late. */
  releaseHorizonMs: MINUTE + 15 * SECOND,
  releaseHorizonMsEmbedded: 2 * SECOND,

  /** Storage. */
  historyInline: 20,
  historyChunk: 32,
  publishBatch: 16,
  errorLogInline: 20,
  valueInlineBytesMax: 256,
  valuesInlineBytesMax: 512,
  valueItemBytesMax: 300 * KIB,
  controlItemBytesMax: 200 * KIB,
  inputBytesMax: 5 * MIB,
  /** What came in may be answered; a Lambda's own answer ends at 6 MB. What is larger belongs in a store of its owner's. */
  outputBytesMax: 5 * MIB,
  /** The body of a call as it travels, as text inside an envelope: what an invoke takes, less its headers. */
  callBytesMax: 6 * MIB - 64 * KIB,
  /** Sentences for people, kept with the job: twenty of them in its log weigh some kilobytes. */
  errorMessageCharactersMax: 500,
  eventDetailBytesMax: 240 * KIB,
  queueMessageBytesMax: 240 * KIB,
  /** Both ways: what a function can hand on at once, with room for the envelope around it. */
  httpBodyBytesMax: 2.5 * MIB,
  jobRetentionMs: 90 * DAY,
  deadLetterQueueRetentionMs: 14 * DAY,
  messageMaxReceives: 5,
  queueDelayMsMax: 900 * SECOND,

  /** Schedules. */
  scheduleExpressionCharactersMax: 200,
  scheduleRateMsMax: 366 * DAY,
  /** Beside the record of the last ticks it stays in one item, as a job does. */
  scheduleInputBytesMax: 128 * KIB,
  scheduleTicksKept: 20,
  /** A workflow that is this far behind never catches up. */
  scheduleQueueMax: 50,
  /** How often it is looked whether what a queued tick waits for has ended: as often as the watchdog runs. */
  scheduleQueueLookMs: MINUTE,
  /** Scheduler fires within a minute and the watchdog looks each minute; what both were late for was missed. */
  tickGraceMs: 5 * MINUTE,
  backfillTicksDefault: 1,
  backfillTicksMax: 100,
  backfillMsDefault: DAY,
  backfillMsMax: 31 * DAY,
  /** Schedules of one look: each is at least a read and two writes. */
  ticksSweepMax: 200,

  /** Doors. */
  keylessWindowMs: 5 * MINUTE,
  idempotencyKeyCharactersMax: 200,
  correlationIdCharactersMax: 200,
  /** Each is an entry and an event: more of them move nobody. */
  approvalRemindersMax: 100,
  /** A signal is kept until its step is reached: a word, or where to find more. */
  signalBytesMax: 256 * KIB,
  preferWaitSecondsMax: 25,
  reasonCharactersMax: 500,
  evidenceBytesMax: 2 * KIB,
  listLimitDefault: 25,
  listLimitMax: 100,
  /** Documents on a page of jobs: with a hundred jobs around them they stay below the 6 MB that a Lambda can answer. */
  listValueBytesMax: 3 * MIB,
  batchSubmitMax: 100,
  /** Jobs that one request to migrate looks at: a few milliseconds each, within the time a request has. */
  migrateJobsMax: 500,
  /** Jobs that a topology is drawn from: three pages of a list, enough to see every edge that is in use. */
  topologyJobsMax: 300,
} as const;
