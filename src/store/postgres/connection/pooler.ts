/**
 * Detects what is behind an address: a pooler between it and its server, and whether the server has
 * advisory locks.
 *
 * A pooler may give each transaction another session. Session state then needs the address of the server
 * itself (`?listen=`), and prepared statements can't be used, unless the pooler supports them.
 */
import { randomBytes, randomInt } from "node:crypto";
import { StoreRefused } from "../../errors.ts";
import { quotedText } from "../../sql/fragment.ts";
import type { PostgresAddress } from "./address.ts";
import { PostgresConnection } from "./connection.ts";
import { isMissingFunction } from "./failures.ts";
import { pause } from "../../../support/machine.ts";

const bare = { pipelines: false, statementMs: 0, isBare: true } as const;
/** After this time without a result, another transaction has the session, in milliseconds. */
const answerMs = 1_000;

/**
 * Detects the properties of an address, and returns it with them.
 * @throws StoreRefused if it needs `?listen=`; the error of the driver or the server
 */
export async function inspectAddress(address: PostgresAddress): Promise<PostgresAddress> {
  const connection = await PostgresConnection.open(address, bare);
  try {
    const isPooled = address.listen !== undefined;
    if (
      isPooled ||
      (await sessionOf(connection)) === connection.describedSession ||
      (await isAlways(connection, address))
    )
      return {
        ...address,
        hasAdvisoryLocks: await hasAdvisoryLocks(address),
        ...(isPooled && { keepsNames: await keepsNames(connection) }),
      };
  } finally {
    await connection.close();
  }
  throw new StoreRefused(
    `${address.shown} leads to a pooler that gives each transaction another session (PgBouncer in transaction mode), but Ninefold needs a session for its locks and notifications.`,
    "Add ?listen=host:port to the address, which leads to the server itself: locks and notifications use it, everything else uses the pooler.",
  );
}

/**
 * Whether a session stays with its connection. A second query must find the same session. So must a
 * third, while another client has a transaction open, to which the pooler could have given the
 * session.
 */
async function isAlways(connection: PostgresConnection, address: PostgresAddress): Promise<boolean> {
  const before = await sessionOf(connection);
  if ((await sessionOf(connection)) !== before) return false;
  const secondConnection = await PostgresConnection.open(address, bare);
  try {
    await secondConnection.begin("");
    const secondSession = await sessionOf(secondConnection);
    const now = await Promise.race([sessionOf(connection), pause(answerMs)]);
    return secondSession !== before && now === before;
  } finally {
    await secondConnection.close();
  }
}

/** Whether an advisory lock of one session excludes another session. */
async function hasAdvisoryLocks(address: PostgresAddress): Promise<boolean> {
  const key = randomInt(2 ** 47);
  const sessions: PostgresConnection[] = [];
  try {
    for (const isFirst of [true, false]) {
      const session = await PostgresConnection.open(address, { ...bare, needsSession: true });
      sessions.push(session);
      const [row] = await session.go(`SELECT ${isFirst}, pg_try_advisory_lock(${key})`);
      if (row?.[1] !== isFirst) return false;
    }
    return true;
  } catch (error) {
    if (!isMissingFunction(error)) throw error;
    return false;
  } finally {
    for (const session of sessions) await session.close();
  }
}

async function sessionOf(connection: PostgresConnection): Promise<unknown> {
  const [row] = await connection.go("SELECT pg_backend_pid()");
  return row?.[0];
}

/** Whether the pooler maps names of prepared statements to its own names. */
async function keepsNames(connection: PostgresConnection): Promise<boolean> {
  const name = `ninefold_${randomBytes(8).toString("hex")}`;
  await connection.begin("");
  await connection.executeAs({ statement: { sql: "SELECT 1" }, values: [], kind: "all" }, name);
  const asGiven = await connection.go(
    `SELECT 1 FROM pg_prepared_statements WHERE name = ${quotedText(name)}`,
  );
  if (asGiven.length > 0) await connection.go(`DEALLOCATE ${name}`);
  await connection.end("COMMIT");
  return asGiven.length === 0;
}
