/**
 * Online part of a stored change: writes the next tables while instances of the old document read
 * and write. Triggers note the rows that they change, and these are written again.
 *
 * Then the instances stop only for the last changes and the swap. A killed process leaves the
 * triggers and tables, which the next start removes.
 */
import type { MigrationPlan } from "../../migrations/plan/migration-plan.ts";
import { refuseBroken, reporting } from "../../migrations/run/apply-steps.ts";
import { createChangeWork } from "../../migrations/run/change-work.ts";
import {
  type ChangedRows,
  type PreparableRewrite,
  preparableRewrite,
  type PreparedRewrite,
  prepareTables,
  rewriteSomeRows,
} from "../../migrations/run/prepare-rewrite.ts";
import { run } from "../../migrations/run/steps.ts";
import { changeAndReport, rowsOf, type Steps, statement } from "../../rows/steps.ts";
import { quoted, quotedText as text } from "../../sql/fragment.ts";
import { tableIdentifier } from "../statements/names.ts";
import { postgresMigrationDialect as words } from "./dialect.ts";
import type { MigrationInputs } from "./offline.ts";
import { withLockTimeout } from "./online.ts";

/** The log of changed rows, and the function of its triggers. */
const log = "ninefold_changed_rows";
const trigger = "ninefold_note_row";

/** The maximum number of changed rows that are written again at once. */
const rowsMax = 500;
/** The maximum number of times before the instances stop, if they change rows faster. */
const roundsMax = 200;

/**
 * Writes the next tables of the plan's first rewrite. Undefined if they can't be written while
 * others change records.
 * @throws StoreMismatch if records can't be converted; no instance has stopped then
 */
export async function prepareOnline(
  plan: MigrationPlan,
  changing: MigrationInputs,
): Promise<PreparedRewrite | undefined> {
  const preparable = preparableRewrite(plan, changing);
  if (!preparable) return undefined;
  const { session } = changing;
  await withLockTimeout(beginStatements(preparable, changing), changing);
  try {
    return await filled(preparable, changing);
  } catch (error) {
    if (session.connection.isThere) await removeLeftovers(changing).catch(() => {});
    throw error;
  }
}

async function filled(
  { changed, change }: PreparableRewrite,
  { session, address, watch }: MigrationInputs,
): Promise<PreparedRewrite> {
  const { onRecords } = watch;
  const onRead = change && onRecords ? await session.run(reporting(change, words, onRecords)) : undefined;
  const work = createChangeWork(changed, words, onRead);
  const prepared: PreparedRewrite = { change, now: work.now, takeChangedRows, end };
  const broken = await session.transaction("", () => session.run(prepareTables(work)));
  refuseBroken(broken, change, address.shown);
  const again = createChangeWork(changed, words, undefined, work.now);
  for (let round = 1; round <= roundsMax; round += 1) {
    const { rows, broken: wrong } = await session.transaction("", () =>
      session.run(rewriteSomeRows(prepared, again)),
    );
    refuseBroken(wrong, change, address.shown);
    if (rows < rowsMax) break;
  }
  return prepared;
}

function beginStatements(
  { changed }: PreparableRewrite,
  { address }: Pick<MigrationInputs, "address">,
): readonly string[] {
  const [logTable, noting] = [log, trigger].map((name) => `${quoted(address.schema)}.${name}`);
  return [
    `CREATE TABLE ${logTable} (resource ${words.text} NOT NULL, row bigint NOT NULL)`,
    // Instances may connect as another user, who has no right to the log.
    `CREATE FUNCTION ${noting}() RETURNS trigger LANGUAGE plpgsql SECURITY DEFINER SET search_path = pg_catalog AS $$
      BEGIN
        INSERT INTO ${logTable} VALUES (TG_ARGV[0], CASE WHEN TG_OP = 'DELETE' THEN OLD."#row" ELSE NEW."#row" END);
        RETURN NULL;
      END $$`,
    ...changed.changes.map(
      ({ before }) =>
        `CREATE TRIGGER ${trigger} AFTER INSERT OR UPDATE OR DELETE ON ${tableIdentifier(before.name)}
          FOR EACH ROW EXECUTE FUNCTION ${noting}(${text(before.name)})`,
    ),
  ];
}

const takeRows = statement<readonly [resource: string, row: number]>(
  `DELETE FROM ${log} WHERE ctid = ANY (ARRAY(SELECT ctid FROM ${log} LIMIT ${rowsMax})) RETURNING resource, row`,
);

function* takeChangedRows(): Steps<ChangedRows> {
  const rows = yield* rowsOf(changeAndReport(takeRows, []));
  const byResource = Map.groupBy(rows, ([resource]) => resource);
  return new Map(
    [...byResource].map(([resource, own]) => [resource, [...new Set(own.map(([, row]) => row))]]),
  );
}

/** The triggers went with the old tables. */
function* end(): Steps<void> {
  yield* run(dropTrigger);
  yield* run(`DROP TABLE ${log}`);
}

const dropTrigger = `DROP FUNCTION IF EXISTS ${trigger}() CASCADE`;

/**
 * Removes what an unfinished preparation has left, without blocking others for long.
 * @throws StoreRefused
 */
export async function removeLeftovers(changing: Pick<MigrationInputs, "session" | "address">): Promise<void> {
  const { session } = changing;
  const [found] = await session.go(`SELECT to_regclass(${text(log)}) IS NOT NULL`);
  if (found?.[0] !== true) return;
  const next = await session.go<readonly [name: string]>(
    "SELECT relname FROM pg_class WHERE relnamespace = current_schema()::regnamespace AND relkind = 'r' AND starts_with(relname, '#next ')",
  );
  const drops = next.map(([name]) => `DROP TABLE ${quoted(name)}`);
  await withLockTimeout([dropTrigger, ...drops, `DROP TABLE ${log}`], changing);
}
