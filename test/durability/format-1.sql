-- A store of format 1, as the Ninefold before commit 9938ab0 made it of old-notes.md: `sqlite3 store.db .dump`, and the file's header.
PRAGMA foreign_keys=OFF;
BEGIN TRANSACTION;
CREATE TABLE ninefold_meta (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO ninefold_meta VALUES('document','Old Notes');
INSERT INTO ninefold_meta VALUES('tables','{"tables":[{"name":"Note","columns":[{"name":"id","storage":"integer","type":"integer","form":"integer","anyCase":false,"required":true},{"name":"text","storage":"text","type":"string","form":"text","anyCase":false,"required":true},{"name":"status","storage":"text","type":"state","form":"text","anyCase":false,"required":true,"values":["open","closed"],"fill":"open"}],"identifier":["id"],"uniques":[{"columns":["id"],"identifier":true}],"indexes":[],"marked":false}],"references":[]}');
CREATE TABLE ninefold_settings (name TEXT PRIMARY KEY, value TEXT NOT NULL) STRICT, WITHOUT ROWID;
INSERT INTO ninefold_settings VALUES('own key','kdIArQRaB3F4lFbIZJepzQhC82LnxywRPIY9AJ9iWmE');
INSERT INTO ninefold_settings VALUES('timers Note','{"rules":[{"transition":"close","end":0,"from":["open"],"afterMs":86400000}]}');
CREATE TABLE ninefold_sequences (
    name TEXT NOT NULL, within TEXT NOT NULL, value INTEGER NOT NULL, PRIMARY KEY (name, within)
  ) STRICT, WITHOUT ROWID;
INSERT INTO ninefold_sequences VALUES('Note.id','',2);
CREATE TABLE ninefold_events (
    sequence INTEGER PRIMARY KEY AUTOINCREMENT, id TEXT NOT NULL, type TEXT NOT NULL, time TEXT NOT NULL,
    resource TEXT NOT NULL, row INTEGER NOT NULL, subject TEXT NOT NULL, payload TEXT NOT NULL
  ) STRICT;
INSERT INTO ninefold_events VALUES(1,'evt_b61e0e3d5cb77f788e70335887bd8897','note.created','2026-11-21T14:12:45.373Z','Note',1,'1','{"id":1,"text":"one","status":"open"}');
INSERT INTO ninefold_events VALUES(2,'evt_59dd88908bddc6f7f770090f18042a67','note.created','2026-11-21T14:12:45.401Z','Note',2,'2','{"id":2,"text":"two","status":"open"}');
CREATE TABLE ninefold_timers (
    resource TEXT NOT NULL, row INTEGER NOT NULL, transition TEXT NOT NULL, "end" INTEGER NOT NULL,
    due_at INTEGER NOT NULL, failures INTEGER NOT NULL DEFAULT 0,
    held INTEGER NOT NULL DEFAULT 0, PRIMARY KEY (resource, row, transition, "end")
  ) STRICT, WITHOUT ROWID;
INSERT INTO ninefold_timers VALUES('Note',1,'close',0,1795356765373,0,0);
INSERT INTO ninefold_timers VALUES('Note',2,'close',0,1795356765401,0,0);
CREATE TABLE ninefold_idempotency (
    scope TEXT NOT NULL, key TEXT NOT NULL, method TEXT NOT NULL, path TEXT NOT NULL, body_hash TEXT NOT NULL,
    status INTEGER NOT NULL, headers TEXT NOT NULL, body TEXT NOT NULL, until INTEGER NOT NULL, PRIMARY KEY (scope, key)
  ) STRICT;
INSERT INTO ninefold_idempotency VALUES('address 127.0.0.1','k1','POST','/notes','WhbFFim1F1qfqpNMFyuDb_JVPKit8YyMU6jMuuXxbnc',201,'[["Content-Type","application/json"]]','{"id":1,"text":"one","status":"open"}',1795356765382);
CREATE TABLE IF NOT EXISTS "Note" (
  "#row" INTEGER PRIMARY KEY AUTOINCREMENT,
  "id" INTEGER,
  "text" TEXT,
  "status" TEXT,
  "#revision" INTEGER NOT NULL DEFAULT 1
) STRICT;
INSERT INTO Note VALUES(1,1,'one','open',1);
INSERT INTO Note VALUES(2,2,'two','open',1);
DELETE FROM sqlite_sequence;
INSERT INTO sqlite_sequence VALUES('Note',2);
INSERT INTO sqlite_sequence VALUES('ninefold_events',2);
CREATE INDEX "ninefold_timers by due_at" ON ninefold_timers (due_at) WHERE held = 0;
CREATE INDEX "ninefold_idempotency by until" ON ninefold_idempotency (until);
CREATE UNIQUE INDEX "Note unique id" ON "Note" ("id");
COMMIT;
PRAGMA application_id = 963013732;
PRAGMA user_version = 1;
