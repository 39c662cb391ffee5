/**
 * Tables of the state that instances share besides records (`../../shared.ts`).
 *
 * They are unlogged, so that writing to them waits for no disk. After a crash of the server they
 * are empty: rates start again, and holders register again.
 */
import { codePoints } from "../statements/forms.ts";
import { announcement } from "./announcement.ts";

const text = `text ${codePoints}`;

/** Statements that every start runs. They create the tables that don't exist. */
export const sharedTables: readonly string[] = [
  // The row also has the request and the granted amount, because the statement returns them from it
  // (`rates.ts`).
  `CREATE UNLOGGED TABLE IF NOT EXISTS ninefold_rates (
    key ${text} PRIMARY KEY, is_window boolean NOT NULL, unit float8 NOT NULL, room float8 NOT NULL, cost float8 NOT NULL, asked float8 NOT NULL,
    at float8 NOT NULL, used float8 NOT NULL, granted float8 NOT NULL, was_at float8 NOT NULL, was_used float8 NOT NULL, seen float8 NOT NULL
  )`,
  `CREATE UNLOGGED TABLE IF NOT EXISTS ninefold_instances (id ${text} PRIMARY KEY, until float8 NOT NULL)`,
  `CREATE UNLOGGED TABLE IF NOT EXISTS ninefold_places (
    key ${text} PRIMARY KEY, taken jsonb NOT NULL, holder ${text} NOT NULL, most bigint NOT NULL, held bigint NOT NULL, asked bigint NOT NULL,
    granted bigint NOT NULL
  )`,
  `CREATE UNLOGGED TABLE IF NOT EXISTS ninefold_keys_under_way (key ${text} PRIMARY KEY, asked ${text} NOT NULL, holder ${text} NOT NULL)`,
  // Existing columns are checked first. Otherwise, each start would wait for all writers.
  `DO $$ BEGIN
    IF NOT EXISTS (SELECT 1 FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = 'ninefold_deliveries'
      AND column_name = 'fence') THEN
      ALTER TABLE ninefold_deliveries ADD COLUMN lease_until bigint, ADD COLUMN fence bigint NOT NULL DEFAULT 0;
      CREATE INDEX "ninefold_deliveries by lease" ON ninefold_deliveries (lease_until) WHERE lease_until IS NOT NULL;
    END IF;
  END $$`,
  `DO $$ BEGIN
    IF NOT EXISTS (SELECT 1 FROM information_schema.columns WHERE table_schema = current_schema() AND table_name = 'ninefold_deliveries'
      AND column_name = 'revision') THEN
      ALTER TABLE ninefold_deliveries ADD COLUMN revision bigint;
    END IF;
  END $$`,
  ...announcement,
];

/** The current time in milliseconds since 1970, and not that of the transaction's start. */
export const clockMs = "(extract(epoch FROM clock_timestamp())::float8 * 1000)";
