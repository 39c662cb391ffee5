/** Server settings: what a store requires of a server, and what its operator should know. */
import { StoreMismatch, StoreRefused } from "../../errors.ts";
import type { PostgresAddress } from "./address.ts";
import type { PostgresConnection } from "./connection.ts";
import { tlsRefusal } from "./tls.ts";
import { invariant } from "../../../support/invariant.ts";

const versionMin = 14;
/**
 * The server routine that rejects a connection to a database. Error messages can't be matched,
 * because they are in the server's language.
 */
const acceptsWrites = "CheckMyDatabase";

/**
 * Checks the server's settings, and returns warnings.
 * @throws StoreRefused
 */
export async function reportedSettings(
  connection: PostgresConnection,
  { shown }: PostgresAddress,
): Promise<readonly string[]> {
  const [row] = await connection.go<
    readonly [version: number, encoding: string, fsync: string, pages: string, commit: string]
  >(
    `SELECT current_setting('server_version_num')::int / 10000, current_setting('server_encoding'), current_setting('fsync'),
      current_setting('full_page_writes'), current_setting('synchronous_commit')`,
  );
  invariant(row, "a server says how it is set");
  const [version, encoding, fsync, pages, commit] = row;
  if (version < versionMin)
    throw new StoreRefused(
      `${shown} runs PostgreSQL ${version}; ${versionMin} or newer is needed.`,
      "Use a newer server.",
    );
  if (encoding !== "UTF8")
    throw new StoreRefused(
      `The database of ${shown} has the encoding ${encoding}, which can't hold every text; UTF8 is needed.`,
      "Create a database with ENCODING 'UTF8' TEMPLATE template0.",
    );
  const off = [fsync === "off" && "fsync", pages === "off" && "full_page_writes"].filter(Boolean);
  const warnings = off.map(
    (name) =>
      `${shown} runs with ${name} = off: after a crash of its machine, acknowledged changes may be lost.`,
  );
  if (commit === "off")
    warnings.push(
      `${shown} runs with synchronous_commit = off: acknowledged changes shortly before a crash may be lost.`,
    );
  return warnings;
}

/** The refusal if the user may not use the schema. */
export function schemaRefusal({ shown, schema }: PostgresAddress, cause?: Error): StoreRefused {
  return new StoreRefused(
    `The user of ${shown} may not use the schema ${schema}.`,
    "Name the owner of the schema in the address, or make this user its owner (ALTER SCHEMA … OWNER TO …, and so its tables).",
    cause,
  );
}

/** Converts an error on opening a store to a refusal with a reason and a hint. */
export function refusalOf(error: unknown, address: PostgresAddress): unknown {
  const { shown, schema } = address;
  if (error instanceof StoreRefused || error instanceof StoreMismatch || !(error instanceof Error))
    return error;
  const ofTls = tlsRefusal(error, shown);
  if (ofTls) return ofTls;
  const { code, routine } = error as { code?: unknown; routine?: unknown };
  switch (code) {
    case "ECONNREFUSED":
    case "ENOTFOUND":
    case "EAI_AGAIN":
    case "ETIMEDOUT":
    case "ECONNRESET":
    case "ENOENT":
      return new StoreRefused(
        `No PostgreSQL answers at ${shown} (${code}).`,
        "Start it, or correct the address.",
        error,
      );
    case "25006":
      return new StoreRefused(
        `${shown} is read-only: it is a standby, or default_transaction_read_only is set.`,
        "Name the primary server, or change the setting.",
        error,
      );
    case "28P01":
    case "28000":
      return new StoreRefused(
        `${shown} rejects this user: ${error.message}.`,
        "Correct the user and the password in the address, or in PGUSER and PGPASSWORD.",
        error,
      );
    case "3D000":
      return new StoreRefused(
        `There is no such database at ${shown}.`,
        "Create it (createdb), or name another one.",
        error,
      );
    case "3F000":
      // Without `USAGE`, the schema isn't on the search path, so none is selected for a new table.
      return schemaRefusal(address, error);
    case "42501":
      return new StoreRefused(
        `The user of ${shown} lacks a privilege: ${error.message}.`,
        routine === acceptsWrites
          ? "Grant it access to the database (GRANT CONNECT ON DATABASE …)."
          : `Grant it the creation of schemas (GRANT CREATE ON DATABASE …), or create the schema ${schema} and make this user the owner of it and its objects.`,
        error,
      );
    default:
      return typeof code === "string" || /timeout|terminated/i.test(error.message)
        ? new StoreRefused(`${shown} can't be opened: ${error.message}.`, "See the server's own log.", error)
        : error;
  }
}
