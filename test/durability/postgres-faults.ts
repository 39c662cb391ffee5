/**
 * Faults of a PostgreSQL and of instances of a service on it, under load, round by round. They
 * include kill -9 of an instance, of a server process and of the postmaster, and a suspended
 * instance (SIGSTOP). Connections break in the middle of a COMMIT. A server is lost for good and
 * its standby takes over, with synchronous replication. The servers are the command's own, and
 * durable.
 *
 * Each round is a history of two instances (`test/histories`). What clients saw must equal some
 * serial order, so nothing acknowledged is lost, nothing is done partially or twice, and the log is
 * complete. Each event must reach a webhook, under one id. No instance is started anew but those
 * that were killed, and each takes changes again before its round is over.
 *
 *   node test/durability/postgres-faults.ts --rounds 60 [--seed 1] [--fault standby] [--still 30]
 *
 * Needs PostgreSQL's own binaries under /usr/lib/postgresql, and root or a user who may run them.
 */
import { randomBytes } from "node:crypto";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as pause } from "node:timers/promises";
import { parseArgs } from "node:util";
import { anomalyOf } from "../histories/check.ts";
import type { Instance } from "../histories/instances.ts";
import { type Ground, noOthers, play, type Stage } from "../histories/play.ts";
import { storyOf } from "../histories/story.ts";
import { OwnServers } from "../postgres/own-servers.ts";
import { createDraw, type Draw, seedOf } from "../simulation/draw.ts";

const { values } = parseArgs({
  options: {
    rounds: { type: "string", default: "14" },
    seed: { type: "string", default: "1" },
    fault: { type: "string", default: "" },
    still: { type: "string", default: "30" },
    operations: { type: "string", default: "60" },
  },
});
const stillMs = Number(values.still) * 1000;
/** The time in which changes are accepted again and all events have arrived. */
const recoveredMs = 120_000;

interface Setting {
  readonly stage: Stage;
  readonly servers: OwnServers;
  readonly draw: Draw;
}

type Fault = (evaluation: Setting) => Promise<void>;

const faults: Readonly<Record<string, Fault>> = {
  "kill -9 of an instance": async ({ stage, draw }) => {
    const at = draw.below(stage.instances.length);
    await (stage.instances[at] as Instance).die();
    stage.instances[at] = await stage.begin();
  },
  "kill -9 of a server process": async ({ stage, servers, draw }) => {
    const ports = draw.oneOf(stage.instances).proxy.ports();
    const [found] = await servers.request("SELECT pid FROM pg_stat_activity WHERE client_port = $1", [
      draw.oneOf(ports),
    ]);
    if (found) process.kill(Number(found["pid"]), "SIGKILL");
  },
  "kill -9 of the postmaster": ({ servers, draw }) => servers.killPostmaster(draw.below(2000)),
  "an instance that stands still": async ({ stage, draw }) => {
    const { pid } = draw.oneOf(stage.instances);
    process.kill(pid as number, "SIGSTOP");
    await pause(stillMs);
    process.kill(pid as number, "SIGCONT");
  },
  "resets before and behind COMMIT": async ({ stage, draw }) => {
    for (let times = 0; times < 8; times += 1) {
      draw.oneOf(stage.instances).proxy.cutAtCommit(draw.oneOf(["unsent", "untold"]));
      await pause(draw.below(200));
    }
  },
  "a standby takes the server's place": async ({ stage, servers }) => {
    const mended = await servers.failOver();
    for (const { proxy } of stage.instances) proxy.turnTo(servers.url);
    await mended();
  },
};

const chosen = Object.keys(faults).filter((name) => name.includes(values.fault));
const servers = await OwnServers.start();
const sums: Record<string, number> = {};
const add = (name: string, count = 1) => {
  sums[name] = (sums[name] ?? 0) + count;
};
let failed = 0;
const first = Number(values.seed);
for (let seed = first; seed < first + Number(values.rounds) && failed < 3; seed += 1) {
  const name = chosen[(seed - first) % chosen.length] as string;
  const trouble = await round(seed, name).catch((error: unknown) => String((error as Error).stack));
  console.log(`round ${seed}, ${name}: ${trouble ?? "well"}`);
  if (trouble !== undefined) failed += 1;
}
await servers.end();
console.log(`${values.rounds} rounds, ${failed} failed`);
console.log(JSON.stringify(sums));
process.exit(failed > 0 ? 1 : 0);

/** Returns the violation; undefined if there is none. */
async function round(seed: number, name: string): Promise<string | undefined> {
  const inbox = await openInbox();
  const ground = await groundOn(servers);
  try {
    const history = await play(seed, {
      ...{ instances: 2, clients: 8, operations: Number(values.operations), patienceMs: 100 },
      ...{ faults: true, apart: true, ground },
      onStarted: async ({ instances }) => {
        await instances[0]?.request({
          method: "POST",
          path: "/hooks",
          key: "hook",
          body: { url: inbox.url },
        });
      },
      breaking: async (stage) => {
        const draw = createDraw(seedOf(seed, "breaking"));
        await pause(100 + draw.below(1500));
        await faults[name]?.({ stage, servers, draw });
      },
      onOver: async ({ instances }) => {
        await noOthers(ground);
        await Promise.all(instances.map((instance) => takesChanges(instance, ground)));
        await arrived(ground, inbox);
      },
    });
    for (const { answer } of history.done) add(answer ? String(answer.status) : "unknown");
    add("events", history.log.length);
    add("delivered", inbox.ids.size);
    add("delivered again", inbox.again);
    add(name);
    const anomaly = anomalyOf(history);
    return anomaly && storyOf(history, anomaly);
  } finally {
    inbox.close();
  }
}

/** A schema on a primary and a standby. */
async function groundOn(servers: OwnServers): Promise<Ground> {
  const schema = `faults_${randomBytes(4).toString("hex")}`;
  const query: Ground["query"] = async (text, requested) => {
    const inSchema = text.replace("current_schema()", `'${schema}'::text`);
    const tables = inSchema.replace(/\b(FROM|FROM ONLY) ("\w+"|ninefold_\w+)/g, `$1 ${schema}.$2`);
    for (const until = Date.now() + recoveredMs; ; await pause(100)) {
      try {
        return { rows: await servers.request(tables, requested) };
      } catch (error) {
        if (Date.now() > until) throw error;
      }
    }
  };
  const url = new URL(servers.url);
  url.searchParams.set("schema", schema);
  const drop = async () => void (await query(`DROP SCHEMA IF EXISTS ${schema} CASCADE`));
  return { url: url.href, query, drop };
}

/** Whether the instance accepts changes again without a restart. */
async function takesChanges(instance: Instance, { query }: Ground): Promise<void> {
  const body = { op: "none" };
  for (const until = Date.now() + recoveredMs; ; await pause(200)) {
    // The request runs as a write, and the rules reject it: the doctor doesn't exist.
    const answer = await instance.request({
      method: "POST",
      path: "/doctors/d9/come",
      key: randomBytes(8).toString("hex"),
      body,
    });
    if (answer?.status === 404) return;
    if (Date.now() > until) {
      const { rows } = await query(
        "SELECT state, wait_event, query FROM pg_stat_activity WHERE application_name = 'ninefold'",
      );
      throw new Error(`an instance takes no changes: ${JSON.stringify(answer)} ${JSON.stringify(rows)}`);
    }
  }
}

// ── The webhook ─────────────────────────────────────────────────────────────────────────────────

interface Inbox {
  readonly url: string;
  /** The identifiers of events; `again` counts the repeated ones. */
  readonly ids: Set<string>;
  again: number;
  close(): void;
}

async function openInbox(): Promise<Inbox> {
  const ids = new Set<string>();
  const server: Server = createServer((requested, answer) => {
    const id = String(requested.headers["x-delivery"]);
    if (ids.has(id)) inbox.again += 1;
    ids.add(id);
    requested.resume();
    answer.end();
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const inbox: Inbox = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}/in`,
    ids,
    again: 0,
    close() {
      server.closeAllConnections();
      server.close();
    },
  };
  return inbox;
}

/** Checks that each event has arrived, and none that isn't in the log. */
async function arrived({ query }: Ground, { ids }: Inbox): Promise<void> {
  for (const until = Date.now() + recoveredMs; ; await pause(200)) {
    const { rows } = await query("SELECT id FROM ninefold_deliveries");
    const sent = rows.map(({ id }) => String(id));
    const { rows: events } = await query("SELECT count(*)::int AS count FROM ninefold_events");
    const isAll = sent.length === events[0]?.["count"] && sent.every((id) => ids.has(id));
    if (isAll && ids.size === sent.length) return;
    if (Date.now() > until)
      throw new Error(
        `${sent.filter((id) => !ids.has(id)).length} of ${sent.length} deliveries of ${events[0]?.["count"]} events never arrived, ${ids.size} arrived`,
      );
  }
}
