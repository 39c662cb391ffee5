/**
 * Usability of an existing store: this user has the privileges that a start and a service need, and
 * texts have code-point order.
 */
import { StoreRefused } from "../../errors.ts";
import { quotedText as text, tableName } from "../../sql/fragment.ts";
import { jointKeyColumn, type Tables } from "../../tables.ts";
import type { PostgresAddress } from "../connection/address.ts";
import { columnName, shortName } from "../statements/names.ts";
import type { Row } from "../../rows/steps.ts";

/** A session that runs statements without parameters. */
export interface StatementRunner {
  go<R extends Row>(sql: string): Promise<readonly R[]>;
}

/** The maximum number of problems that a message lists. */
const reportedMax = 3;

/** A condition for our own tables. The schema may have others too. */
function ownTables(schema: string): string {
  return `SELECT c.oid, c.relname FROM pg_class c JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = ${text(schema)} AND c.relkind = 'r'
      AND (starts_with(c.relname, 'ninefold_') OR EXISTS (SELECT FROM pg_attribute WHERE attrelid = c.oid AND attname = '#row'))`;
}

/** A query for the privileges that a user lacks, one row each, worded for the message. */
function missingPrivileges(schema: string): string {
  const inSchema = `JOIN pg_namespace n ON n.nspname = ${text(schema)}`;
  return `WITH own AS (${ownTables(schema)})
    SELECT string_agg(needed, ', ') || ' on the schema' FROM unnest(ARRAY['USAGE', 'CREATE']) AS needed ${inSchema}
      WHERE NOT has_schema_privilege(n.oid, needed) HAVING count(*) > 0
    UNION ALL
    SELECT string_agg(needed, ', ') || ' on ' || relname FROM own, unnest(ARRAY['SELECT', 'INSERT', 'UPDATE', 'DELETE']) AS needed
      WHERE NOT has_table_privilege(oid, needed) GROUP BY relname
    UNION ALL
    SELECT string_agg(needed, ', ') || ' on ' || s.relname
      FROM own JOIN pg_depend d ON d.refobjid = own.oid AND d.deptype = 'i' JOIN pg_class s ON s.oid = d.objid AND s.relkind = 'S',
        unnest(ARRAY['USAGE', 'UPDATE']) AS needed
      WHERE NOT has_sequence_privilege(s.oid, needed) GROUP BY s.relname
    UNION ALL
    SELECT DISTINCT 'ownership of the function ' || p.proname FROM pg_proc p ${inSchema} AND p.pronamespace = n.oid
      WHERE starts_with(p.proname, 'ninefold_') AND NOT pg_has_role(p.proowner, 'USAGE')
    UNION ALL
    SELECT 'sight of all rows of ' || relname || ', which row security hides' FROM own WHERE row_security_active(oid)`;
}

/**
 * Checks the privileges of this user.
 * @throws StoreRefused if one is missing
 */
export async function refuseLackingRights(
  session: StatementRunner,
  { schema, shown }: PostgresAddress,
): Promise<void> {
  const missing = (await session.go(missingPrivileges(schema))).map(([what]) => String(what));
  if (missing.length === 0) return;
  throw new StoreRefused(
    `The user of ${shown} lacks privileges: ${listed(missing)}.`,
    `Make it the owner of the schema ${schema} and of its objects, or grant it these privileges.`,
  );
}

/**
 * Checks that every text column has code-point order.
 *
 * A column that another tool has created or changed could have another order, and pages and
 * comparisons depend on it.
 * @throws StoreRefused
 */
export async function refuseOtherOrder(
  session: StatementRunner,
  { schema, shown }: PostgresAddress,
  tables: Tables | undefined,
): Promise<void> {
  const rows = await session.go(
    `SELECT own.relname || '.' || a.attname, l.collname FROM (${ownTables(schema)}) AS own JOIN pg_attribute a ON a.attrelid = own.oid AND NOT a.attisdropped
      JOIN pg_collation l ON l.oid = a.attcollation AND l.oid <> 'pg_catalog."C"'::regcollation
      WHERE a.attnum > 0 ORDER BY own.relname, a.attnum`,
  );
  const known = new Set(tables?.tables.flatMap(columnsOf));
  const unusual = rows
    .map(([place, collation]) => ({ place: String(place), collation: String(collation) }))
    .filter(({ place }) => place.startsWith("ninefold_") || known.has(place))
    .map(({ place, collation }) => `${place} ("${collation}")`);
  if (unusual.length === 0) return;
  throw new StoreRefused(
    `Columns of ${shown} have another collation than "C", which orders texts differently: ${listed(unusual)}.`,
    `ALTER TABLE … ALTER COLUMN … TYPE text COLLATE "C" puts that right.`,
  );
}

function columnsOf({ name, columns }: Tables["tables"][number]): readonly string[] {
  const table = shortName(tableName(name));
  return [...columns.map((column) => column.name), jointKeyColumn].map(
    (column) => `${table}.${columnName(column)}`,
  );
}

function listed(all: readonly string[]): string {
  const reported = all.slice(0, reportedMax).join("; ");
  return all.length > reportedMax ? `${reported}; and ${all.length - reportedMax} more` : reported;
}
