CREATE TABLE events (
  seq            INTEGER PRIMARY KEY,
  time           TEXT    NOT NULL,
  type           TEXT    NOT NULL,
  subject        TEXT    NOT NULL,
  schema_version INTEGER NOT NULL,
  dedup_key      TEXT    NOT NULL UNIQUE,
  payload        TEXT    NOT NULL,
  prev_hash      TEXT    NOT NULL,
  hash           TEXT    NOT NULL
) STRICT;
CREATE INDEX events_by_subject ON events (subject, seq);
CREATE TABLE clock (
  one       INTEGER PRIMARY KEY CHECK (one = 1),
  boot_id   TEXT    NOT NULL,
  offset_ms INTEGER NOT NULL
) STRICT;
CREATE TABLE positions (
  consumer     TEXT    PRIMARY KEY,
  registration INTEGER NOT NULL,
  acked        INTEGER NOT NULL,
  moved_ms     INTEGER NOT NULL
) STRICT;
CREATE TABLE artifacts (
  digest TEXT PRIMARY KEY,
  body   BLOB NOT NULL
) STRICT;
CREATE TABLE log (
  one    INTEGER PRIMARY KEY CHECK (one = 1),
  id     TEXT    NOT NULL,
  pruned INTEGER NOT NULL,
  hash   TEXT    NOT NULL,
  state  TEXT    NOT NULL
) STRICT;
CREATE TABLE pruned_keys (
  dedup_key TEXT    PRIMARY KEY,
  seq       INTEGER NOT NULL,
  type      TEXT    NOT NULL,
  subject   TEXT    NOT NULL,
  payload   TEXT    NOT NULL
) STRICT;
CREATE INDEX events_by_type ON events (type, seq);
CREATE TABLE sentinels (
  name     TEXT    PRIMARY KEY,
  until_ms INTEGER NOT NULL,
  every_ms INTEGER NOT NULL,
  boot     TEXT    NOT NULL
) STRICT;
CREATE TRIGGER events_are_never_updated BEFORE UPDATE ON events
  BEGIN SELECT raise(ABORT, 'events are append-only'); END;
CREATE TRIGGER events_are_never_deleted BEFORE DELETE ON events
  WHEN NOT EXISTS (SELECT 1 FROM log WHERE pruned >= OLD.seq)
  BEGIN SELECT raise(ABORT, 'events are append-only'); END;
CREATE TRIGGER log_begins_later_only BEFORE UPDATE ON log
  WHEN NEW.pruned < OLD.pruned OR NEW.id <> OLD.id
  BEGIN SELECT raise(ABORT, 'a log keeps its name, and never begins earlier'); END;
CREATE TABLE progress (
  one  INTEGER PRIMARY KEY CHECK (one = 1),
  seq  INTEGER NOT NULL,
  hash TEXT    NOT NULL
) STRICT;
CREATE TABLE txns (
  id        TEXT    PRIMARY KEY,
  name      TEXT    NOT NULL,
  state     TEXT    NOT NULL,
  begun_seq INTEGER NOT NULL,
  body      TEXT    NOT NULL
) STRICT;
CREATE INDEX txns_by_name ON txns (name);
CREATE INDEX txns_by_state ON txns (state, begun_seq);
CREATE INDEX txns_by_age ON txns (begun_seq);
CREATE TABLE branches (
  name         TEXT    PRIMARY KEY,
  head         TEXT    NOT NULL,
  durable_head TEXT    NOT NULL,
  prepared_seq INTEGER NOT NULL,
  prepared     TEXT    NOT NULL,
  fence        TEXT    NOT NULL
) STRICT;
CREATE TABLE landed (
  seq      INTEGER PRIMARY KEY,
  branch   TEXT    NOT NULL,
  txn      TEXT    NOT NULL,
  old_head TEXT    NOT NULL,
  new_head TEXT    NOT NULL,
  time     TEXT    NOT NULL,
  who      TEXT    NOT NULL
) STRICT;
CREATE INDEX landed_by_branch ON landed (branch, seq);
CREATE TABLE certificates (
  seq  INTEGER PRIMARY KEY,
  tree TEXT    NOT NULL,
  body TEXT    NOT NULL
) STRICT;
CREATE INDEX certificates_by_tree ON certificates (tree, seq);
CREATE TABLE trust (
  hash  TEXT    PRIMARY KEY,
  actor TEXT    NOT NULL,
  seq   INTEGER NOT NULL
) STRICT;
CREATE TABLE summaries (
  name     TEXT PRIMARY KEY,
  manifest TEXT NOT NULL,
  time     TEXT NOT NULL
) STRICT;
CREATE TABLE tickets (
  number   INTEGER PRIMARY KEY,
  branch   TEXT    NOT NULL,
  txn      TEXT    NOT NULL,
  priority INTEGER NOT NULL,
  owner    TEXT    NOT NULL
) STRICT;
CREATE INDEX tickets_by_branch ON tickets (branch, number);
CREATE TABLE workflows (
  id          TEXT    PRIMARY KEY,
  created_seq INTEGER NOT NULL,
  body        TEXT    NOT NULL
) STRICT;
CREATE TABLE phase_gates (
  workflow TEXT    NOT NULL,
  phase    TEXT    NOT NULL,
  gate     TEXT    NOT NULL,
  seq      INTEGER NOT NULL,
  body     TEXT    NOT NULL,
  PRIMARY KEY (workflow, phase, gate)
) STRICT;
CREATE TABLE verdicts (
  workflow TEXT    NOT NULL,
  phase    TEXT    NOT NULL,
  name     TEXT    NOT NULL,
  seq      INTEGER NOT NULL,
  body     TEXT    NOT NULL,
  PRIMARY KEY (workflow, phase, name)
) STRICT;
CREATE TABLE members (
  txn      TEXT    PRIMARY KEY,
  workflow TEXT    NOT NULL,
  phase    TEXT    NOT NULL,
  seq      INTEGER NOT NULL,
  body     TEXT    NOT NULL
) STRICT;
CREATE INDEX members_by_phase ON members (workflow, phase);
CREATE TABLE compensations (
  txn    TEXT    NOT NULL,
  number INTEGER NOT NULL,
  ended  INTEGER NOT NULL,
  body   TEXT    NOT NULL,
  PRIMARY KEY (txn, number)
) STRICT;
CREATE TABLE leases (
  number   INTEGER PRIMARY KEY,
  id       TEXT    NOT NULL UNIQUE,
  body     TEXT    NOT NULL,
  held     INTEGER NOT NULL,
  owner    TEXT    NOT NULL,
  slot     INTEGER NOT NULL,
  ttl_ms   INTEGER NOT NULL,
  until_ms INTEGER NOT NULL,
  boot     TEXT    NOT NULL,
  fence    INTEGER NOT NULL
) STRICT;
CREATE TABLE usage_items (
  id     TEXT    PRIMARY KEY,
  input  INTEGER NOT NULL,
  output INTEGER NOT NULL,
  cache  INTEGER NOT NULL,
  cost   INTEGER NOT NULL,
  calls  INTEGER NOT NULL,
  wall   INTEGER NOT NULL,
  bytes  INTEGER NOT NULL
) STRICT;
CREATE TABLE usage_totals (
  scope  TEXT    PRIMARY KEY,
  input  INTEGER NOT NULL,
  output INTEGER NOT NULL,
  cache  INTEGER NOT NULL,
  cost   INTEGER NOT NULL,
  calls  INTEGER NOT NULL,
  wall   INTEGER NOT NULL,
  bytes  INTEGER NOT NULL
) STRICT;
CREATE TABLE budgets (
  scope   TEXT    NOT NULL,
  kind    TEXT    NOT NULL,
  most    INTEGER NOT NULL,
  version INTEGER NOT NULL,
  level   INTEGER NOT NULL,
  PRIMARY KEY (scope, kind)
) STRICT;
CREATE TABLE consumers (
  name          TEXT    PRIMARY KEY,
  kind          TEXT    NOT NULL,
  ttl_ms        INTEGER NOT NULL,
  types         TEXT    NOT NULL,
  start         INTEGER NOT NULL,
  registered    INTEGER NOT NULL,
  registered_ms INTEGER NOT NULL,
  stale_at      INTEGER NOT NULL
) STRICT;
CREATE TABLE handlers (
  name        TEXT    PRIMARY KEY,
  event       INTEGER NOT NULL,
  attempt     INTEGER NOT NULL,
  state       TEXT    NOT NULL,
  exit        INTEGER NOT NULL,
  timed_out   INTEGER NOT NULL,
  output      TEXT    NOT NULL,
  retry_at_ms INTEGER NOT NULL
) STRICT;
CREATE TABLE proposals (
  number    INTEGER PRIMARY KEY,
  state     TEXT    NOT NULL,
  body      TEXT    NOT NULL,
  embedding TEXT    NOT NULL
) STRICT;
CREATE TABLE portfolio (
  name TEXT PRIMARY KEY,
  body TEXT NOT NULL
) STRICT;
CREATE TABLE relayed (
  source  TEXT    NOT NULL,
  subject TEXT    NOT NULL,
  seq     INTEGER NOT NULL,
  body    TEXT    NOT NULL,
  PRIMARY KEY (source, subject)
) STRICT;
