/**
 * Migration locks: which instance may serve a schema, and which may change it.
 *
 * They are advisory session locks, which the server releases when their holder disconnects. Serving
 * instances share `serving`. An instance with an incompatible change takes `superseding`, which
 * signals the others to stop, and starts when it has `serving` exclusively.
 */
import { randomInt } from "node:crypto";
import { StoreRefused } from "../../errors.ts";
import { advisoryLockKey, type PostgresAddress } from "../connection/address.ts";
import type { MigrationSession } from "./session.ts";
import { machine, pause } from "../../../support/machine.ts";

/** The time limit for instances of the old document to stop, in milliseconds. */
const stopMs = 60_000;
const lookEveryMs = [50, 250] as const;

/** Acquires the migration lock. Waits while another instance holds it. */
export async function acquireMigrationLock(
  session: MigrationSession,
  { schema }: PostgresAddress,
  onWaiting: () => void,
): Promise<void> {
  const key = advisoryLockKey(schema, "migration");
  for (let isFirst = true; ; isFirst = false) {
    const [row] = await session.go(`SELECT pg_try_advisory_lock(${key})`);
    if (row?.[0] === true) return;
    if (isFirst) onWaiting();
    await pause(randomInt(...lookEveryMs));
  }
}

/** The server's process IDs of the sessions through which instances hold `serving`. */
export async function servingProcesses(
  session: Pick<MigrationSession, "go">,
  { schema }: PostgresAddress,
): Promise<readonly number[]> {
  const key = BigInt.asUintN(64, advisoryLockKey(schema, "serving"));
  const rows = await session.go<readonly [pid: number]>(
    `SELECT pid FROM pg_locks WHERE locktype = 'advisory' AND granted AND objsubid = 1 AND pid <> pg_backend_pid()
      AND classid = ${key >> 32n} AND objid = ${key & 0xffffffffn}
      AND database = (SELECT oid FROM pg_database WHERE datname = current_database())`,
  );
  return rows.map(([pid]) => pid);
}

/**
 * Runs the work while no instance serves.
 * @throws StoreRefused if an instance doesn't stop in time
 */
export async function withoutServingInstances<T>(
  session: MigrationSession,
  address: PostgresAddress,
  work: () => Promise<T>,
): Promise<T> {
  const [serving, superseding] = ["serving", "superseding"].map((name) =>
    advisoryLockKey(address.schema, name),
  );
  const channel = channelOf(address);
  // Instances that miss the notification poll every second.
  const notify = () => session.go(`SELECT pg_notify('${channel}', '')`).catch(() => {});
  await session.go(`SELECT pg_advisory_lock(${superseding})`);
  try {
    await notify();
    await allStopped(session, address);
    try {
      return await work();
    } finally {
      await session.go(`SELECT pg_advisory_unlock(${serving})`).catch(() => {});
    }
  } finally {
    await session.go(`SELECT pg_advisory_unlock(${superseding})`).catch(() => {});
    await notify();
  }
}

async function allStopped(session: MigrationSession, address: PostgresAddress): Promise<void> {
  const key = advisoryLockKey(address.schema, "serving");
  for (const until = machine.elapsed() + stopMs; ; ) {
    const [row] = await session.go(`SELECT pg_try_advisory_lock(${key})`);
    if (row?.[0] === true) return;
    if (machine.elapsed() > until) {
      const pids = await servingProcesses(session, address);
      throw new StoreRefused(
        `Instances of the previous document still serve ${address.shown} and didn't stop within ${stopMs / 1000} s (pg_stat_activity: pid ${pids.join(", ")}). Nothing was changed.`,
        "Stop them, and start again.",
      );
    }
    await pause(randomInt(...lookEveryMs));
  }
}

/** The channel for notifications between instances. */
export function channelOf({ schema }: PostgresAddress): string {
  return `ninefold_${advisoryLockKey(schema, "channel").toString(36)}`;
}
