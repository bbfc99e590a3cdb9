/**
 * The tables, as a list of migrations: entry n brings a file from version n to n + 1 (kept in `user_version`).
 * Released entries never change. What is searched by has a column; everything else is in the document.
 */
export const MIGRATIONS: readonly string[] = [
  `
  -- Rows lie in order of creation, so the jobs at work share pages; ids, which are spread, are in an index of their own.
  CREATE TABLE jobs (
    job_id TEXT NOT NULL PRIMARY KEY,
    revision INTEGER NOT NULL,
    bucket INTEGER,
    shard INTEGER NOT NULL,
    next_action_at INTEGER,
    caller_id TEXT NOT NULL,
    created_at INTEGER NOT NULL,
    workflow_type TEXT NOT NULL,
    state TEXT NOT NULL,
    correlation_id TEXT NOT NULL,
    expires_at INTEGER,
    document TEXT NOT NULL
  ) STRICT;
  CREATE INDEX jobs_active ON jobs (shard, bucket, job_id) WHERE bucket IS NOT NULL;
  CREATE INDEX jobs_by_caller ON jobs (caller_id, created_at, job_id);
  CREATE INDEX jobs_by_time ON jobs (created_at, job_id);
  -- Most jobs correlate with themselves only; this index is spread like their ids, so each of them would cost a page.
  CREATE INDEX jobs_by_correlation ON jobs (correlation_id, created_at, job_id) WHERE correlation_id <> job_id;
  CREATE INDEX jobs_expiring ON jobs (expires_at) WHERE expires_at IS NOT NULL;

  CREATE TABLE history_chunks (
    job_id TEXT NOT NULL,
    chunk INTEGER NOT NULL,
    entries TEXT NOT NULL,
    PRIMARY KEY (job_id, chunk)
  ) STRICT;

  CREATE TABLE job_values (
    job_id TEXT NOT NULL,
    hash TEXT NOT NULL,
    stored_at INTEGER NOT NULL,
    content TEXT NOT NULL,
    PRIMARY KEY (job_id, hash)
  ) STRICT;
  CREATE INDEX job_values_by_time ON job_values (stored_at);

  CREATE TABLE claims (
    intent TEXT NOT NULL PRIMARY KEY,
    started_at INTEGER NOT NULL
  ) STRICT, WITHOUT ROWID;

  CREATE TABLE dead_letters (
    dead_letter_id TEXT NOT NULL PRIMARY KEY,
    job_id TEXT NOT NULL,
    caller_id TEXT NOT NULL,
    workflow_type TEXT NOT NULL,
    reason TEXT NOT NULL,
    status TEXT NOT NULL,
    quarantined_at INTEGER NOT NULL,
    seq INTEGER NOT NULL,
    body TEXT NOT NULL,
    settlement TEXT
  ) STRICT;
  CREATE INDEX dead_letters_by_time ON dead_letters (quarantined_at, job_id);
  CREATE INDEX dead_letters_by_job ON dead_letters (job_id);

  CREATE TABLE audit (
    audit_id TEXT NOT NULL PRIMARY KEY,
    at INTEGER NOT NULL,
    actor TEXT NOT NULL,
    job_id TEXT,
    record TEXT NOT NULL
  ) STRICT;
  CREATE INDEX audit_by_time ON audit (at, audit_id);
  CREATE INDEX audit_by_job ON audit (job_id, at, audit_id);

  CREATE TABLE messages (
    message_id INTEGER PRIMARY KEY AUTOINCREMENT,
    queue TEXT NOT NULL,
    visible_at INTEGER NOT NULL,
    receives INTEGER NOT NULL DEFAULT 0,
    body TEXT NOT NULL
  ) STRICT;
  CREATE INDEX messages_visible ON messages (queue, visible_at);
  CREATE TABLE dead_messages (
    message_id INTEGER PRIMARY KEY,
    queue TEXT NOT NULL,
    died_at INTEGER NOT NULL,
    body TEXT NOT NULL
  ) STRICT;

  CREATE TABLE timers (
    name TEXT NOT NULL PRIMARY KEY,
    at INTEGER NOT NULL,
    queue TEXT NOT NULL,
    message TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX timers_due ON timers (at);

  CREATE TABLE events (
    position INTEGER PRIMARY KEY,
    event_id TEXT NOT NULL UNIQUE,
    detail_type TEXT NOT NULL,
    time INTEGER NOT NULL,
    detail TEXT NOT NULL
  ) STRICT;
  `,
  `
  -- Only jobs that wait for a gate are in the index.
  ALTER TABLE jobs ADD COLUMN parked_on TEXT;
  CREATE INDEX jobs_parked ON jobs (parked_on, created_at, job_id) WHERE parked_on IS NOT NULL;
  `,
  `
  CREATE TABLE schedules (
    name TEXT NOT NULL PRIMARY KEY,
    revision INTEGER NOT NULL,
    look_at INTEGER,
    removed_at INTEGER,
    document TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  CREATE INDEX schedules_due ON schedules (look_at) WHERE look_at IS NOT NULL;
  `,
  `
  -- Keys made for this file: what they signed is checked with them after every restart.
  CREATE TABLE keys (
    name TEXT NOT NULL PRIMARY KEY,
    bytes BLOB NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  `
  CREATE TABLE dependencies (
    dependency_id TEXT NOT NULL PRIMARY KEY,
    revision INTEGER NOT NULL,
    document TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
  `
  CREATE TABLE pauses (
    pause_id TEXT NOT NULL PRIMARY KEY,
    revision INTEGER NOT NULL,
    document TEXT NOT NULL
  ) STRICT, WITHOUT ROWID;
  `,
];
