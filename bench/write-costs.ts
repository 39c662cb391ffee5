/**
 * Costs of a create, measured on this machine: the processor times of an instance, the database and
 * the load generator, and how many creates a group has.
 */
import type pg from "pg";
import { drive } from "./load.ts";
import { nextRequest } from "./requests.ts";
import { databaseMs, freePort, type Server, startNinefold } from "./servers.ts";

const clients = 48;

/** Times in seconds for each create. */
export interface MeasuredWrites {
  readonly instance: number;
  readonly database: number;
  /** Processor time of the load generator. */
  readonly client: number;
  /** Creates in a group. */
  readonly group: number;
  /** Creates per second, with one instance and with two. */
  readonly perSecond: readonly [one: number, two: number];
  /** The cores that instances, database and load generator used in both. */
  readonly coresUsed: readonly [one: number, two: number];
}

/**
 * Creates records with one instance, and then with two. The costs are those with one.
 * @param store the address of an empty schema for the instances
 */
export async function measureWrites(admin: pg.Client, store: URL, seconds: number): Promise<MeasuredWrites> {
  const { rows } = await admin.query(
    "SELECT split_part(pg_read_file('postmaster.pid'), E'\\n', 1)::int AS pid",
  );
  const servers: Server[] = [];
  const load = async (durationMs: number) => {
    const run = (server: Server) =>
      drive({
        port: server.port,
        connections: clients / servers.length,
        durationMs,
        next: nextRequest("create", server, { fresh: [], known: [] }),
      });
    const results = await Promise.all(servers.map(run));
    if (results.some(({ failures }) => Object.keys(failures).length > 0)) throw new Error("refused creates");
    return results.reduce((sum, { perSecond }) => sum + perSecond, 0);
  };
  const times = () => {
    const { user, system } = process.cpuUsage();
    const instances = servers.reduce((sum, server) => sum + (server.cpuMs() ?? Number.NaN), 0);
    return [instances, databaseMs(rows[0].pid), (user + system) / 1_000] as const;
  };
  const measured = async () => {
    servers.push(await startNinefold(await freePort(), store.href));
    await load(1_000);
    const former = times();
    const perSecond = await load(1_000 * seconds);
    const used = times().map((time, at) => (time - (former[at] as number)) / 1_000);
    return { perSecond, used, coresUsed: used.reduce((sum, time) => sum + time) / seconds };
  };
  try {
    const alone = await measured();
    const [instance = 0, database = 0, client = 0] = alone.used.map(
      (time) => time / seconds / alone.perSecond,
    );
    const group = await groupSize(admin, store);
    const pair = await measured();
    const perSecond = [alone.perSecond, pair.perSecond] as const;
    const coresUsed = [alone.coresUsed, pair.coresUsed] as const;
    return { instance, database, client, group, perSecond, coresUsed };
  } finally {
    for (const server of servers) await server.stop();
  }
}

/** Creates in a group: each has stored one event, in the transaction of its group. */
async function groupSize(admin: pg.Client, store: URL): Promise<number> {
  const { rows } = await admin.query(
    `SELECT count(*)::float8 / count(DISTINCT xmin::text) AS size FROM ${store.searchParams.get("schema")}.ninefold_events`,
  );
  return rows[0].size;
}
