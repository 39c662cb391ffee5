/**
 * Migration locks: which instance may serve a schema, and which may change it.
 *
 * The server releases them when their holder disconnects (`connection/session-locks.ts`). Serving
 * instances share `serving`. An instance with an incompatible change takes `superseding`, which
 * signals the others to stop, and starts when it has `serving` exclusively.
 */
import { randomInt } from "node:crypto";
import { StoreRefused } from "../../errors.ts";
import type { PostgresAddress } from "../connection/address.ts";
import { advisoryLockKey, lockHolders } from "../connection/session-locks.ts";
import type { MigrationSession } from "./session.ts";
import { machine, pause } from "../../../support/machine.ts";

/** The time limit for instances of the old document to stop, in milliseconds. */
const stopMs = 60_000;
const lookEveryMs = [50, 250] as const;

/** Acquires the migration lock. Waits while another instance holds it. */
export async function acquireMigrationLock(
  { connection: { locks } }: MigrationSession,
  onWaiting: () => void,
): Promise<void> {
  for (let isFirst = true; !(await locks.take("migration", "exclusive")); isFirst = false) {
    if (isFirst) onWaiting();
    await pause(randomInt(...lookEveryMs));
  }
}

/** The server's process IDs of the sessions through which instances hold `serving`. */
export async function servingProcesses(
  session: Pick<MigrationSession, "go">,
  { schema }: PostgresAddress,
): Promise<readonly number[]> {
  const rows = await session.go<readonly [pid: number]>(lockHolders(schema, "serving"));
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
  const { locks } = session.connection;
  const channel = channelOf(address);
  // Instances that miss the notification poll every second.
  const notify = () => session.go(`SELECT pg_notify('${channel}', '')`).catch(() => {});
  // An instance that polls it has it only for a moment.
  while (!(await locks.take("superseding", "exclusive"))) await pause(randomInt(...lookEveryMs));
  try {
    await notify();
    await allStopped(session, address);
    try {
      return await work();
    } finally {
      await locks.release("serving").catch(() => {});
    }
  } finally {
    await locks.release("superseding").catch(() => {});
    await notify();
  }
}

async function allStopped(session: MigrationSession, address: PostgresAddress): Promise<void> {
  for (
    const until = machine.elapsed() + stopMs;
    !(await session.connection.locks.take("serving", "exclusive"));
  ) {
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
