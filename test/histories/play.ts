/**
 * Plays one seed: clients send concurrent requests to instances of the service, database connections break, instances
 * die and new ones replace them. The result is a history, which `check.ts` judges.
 */
import { setTimeout as pause } from "node:timers/promises";
import { freshSchema } from "../postgres/server.ts";
import { createDraw, type Draw, seedOf } from "../simulation/draw.ts";
import type { Done, History, LogLine } from "./check.ts";
import { type Answer, type Instance, instanceApart, instanceHere } from "./instances.ts";
import { type Operation, requestOf, type State } from "./spec.ts";

export interface Options {
  readonly instances: number;
  readonly clients: number;
  /** The number of operations of each client. */
  readonly operations: number;
  readonly faults: boolean;
  /** Whether the first instance starts before the others. */
  readonly isFirstAlone?: boolean;
  /** Whether instances are separate processes, which are killed. */
  readonly apart: boolean;
  /** The time that a client waits for a response, in milliseconds; it grows with each try. */
  readonly patienceMs?: number;
  /** The schema, if it isn't on the run's own server. */
  readonly ground?: Ground;
  /** Replaces the usual faults, and ends by itself. */
  readonly breaking?: (stage: Stage) => Promise<void>;
  /** Called before the clients start, and after they have finished. */
  readonly onStarted?: (stage: Stage) => Promise<void>;
  readonly onOver?: (stage: Stage) => Promise<void>;
}

type Row = Readonly<Record<string, unknown>>;

/** A schema for one history. */
export interface Ground {
  readonly url: string;
  query(text: string, values?: readonly unknown[]): Promise<{ readonly rows: readonly Row[] }>;
  drop(): Promise<void>;
}

export const usual: Options = { instances: 3, clients: 8, operations: 25, faults: true, apart: false };

/** Pauses between faults, in milliseconds. */
const betweenFaults = { least: 5, most: 120 };
/** How often a client without a response retries under the same key before it continues. */
const triesMax = 12;
const readers = 2;

export interface Played extends History {
  /** The count of each fault. */
  readonly faults: Readonly<Record<string, number>>;
}

export async function play(seed: number, options: Options = usual): Promise<Played> {
  const ground = options.ground ?? (await groundOfRun());
  const made: Instance[] = [];
  const begin = async () => {
    const instance = await (options.apart ? instanceApart(ground.url) : instanceHere(ground.url));
    made.push(instance);
    return instance;
  };
  try {
    const instances = await startedTogether(options, begin);
    const stage: Stage = {
      seed,
      options,
      instances,
      ground,
      begin,
      moment: 0,
      isOver: false,
      done: [],
      faults: {},
    };
    await options.onStarted?.(stage);
    const breaking = options.faults ? (options.breaking ?? breakThings)(stage) : Promise.resolve();
    const following = Array.from({ length: readers }, (_, at) =>
      follow(stage, createDraw(seedOf(seed, "reader", at))),
    );
    await Promise.all(Array.from({ length: options.clients }, (_, at) => beClient(stage, at)));
    stage.isOver = true;
    await breaking;
    const followed = await Promise.all(following);
    await options.onOver?.(stage);
    // Requests without a response may still be in progress.
    await Promise.all(stage.instances.map((instance) => instance.close()));
    await noOthers(ground);
    return {
      done: stage.done,
      followed,
      faults: stage.faults,
      log: await logOf(ground),
      end: await endOf(ground),
    };
  } finally {
    await Promise.all(made.map((instance) => instance.die().catch(() => {})));
    await noOthers(ground);
    await ground.drop();
  }
}

async function startedTogether(
  { instances, isFirstAlone }: Options,
  begin: () => Promise<Instance>,
): Promise<Instance[]> {
  const first = isFirstAlone ? [await begin()] : [];
  const others = Array.from({ length: instances - first.length }, begin);
  return [...first, ...(await Promise.all(others))];
}

async function groundOfRun(): Promise<Ground> {
  const schema = await freshSchema();
  const client = await schema.connect();
  const query = (text: string, values: readonly unknown[] = []) => client.query(text, [...values]);
  return { url: schema.url, query, drop: () => schema.drop() };
}

export interface Stage {
  readonly seed: number;
  readonly options: Options;
  readonly instances: Instance[];
  readonly ground: Ground;
  begin(): Promise<Instance>;
  /** A counter of starts and ends of operations. */
  moment: number;
  isOver: boolean;
  readonly done: Done[];
  readonly faults: Record<string, number>;
}

// ── Clients ─────────────────────────────────────────────────────────────────────────────────────

async function beClient(stage: Stage, client: number): Promise<void> {
  const { seed, options, done } = stage;
  const draw = createDraw(seedOf(seed, "client", client));
  for (let at = 0; at < options.operations; at += 1) {
    const op = `${client}.${at}`;
    const operation = drawOperation(draw, client * 1000 + at);
    const began = nextMoment(stage);
    const answer = await requested(stage, draw, operation, op);
    const ended = nextMoment(stage);
    const { twins = [], status = 0, body } = answer ?? {};
    done.push({ op, operation, client, began, twins, ...(answer && { answer: { ended, status, body } }) });
    if (draw.happens(20)) await pause(draw.below(10));
  }
}

function nextMoment(stage: Stage): number {
  stage.moment += 1;
  return stage.moment;
}

/** @param number unique among all operations */
function drawOperation(draw: Draw, number: number): Operation {
  const cell = draw.oneOf(["c1", "c2"]);
  const [from, to] = draw.happens(50) ? ["a1", "a2"] : ["a2", "a1"];
  switch (draw.below(12)) {
    case 0:
    case 1:
      return { does: "append", id: cell, item: number };
    case 2:
      return { does: "write", id: cell, value: number };
    case 3:
      return { does: "read cell", id: cell };
    case 4:
    case 5:
      return { does: "leave", id: draw.oneOf(["d1", "d2"]) };
    case 6:
      return { does: "come", id: draw.oneOf(["d1", "d2"]) };
    case 7:
      return { does: "take", id: from as string, amount: draw.oneOf([-2, 1, 3]) };
    case 8:
      return { does: "pay", id: from as string, to: to as string, amount: 1 + draw.below(3) };
    case 9:
      return { does: "make ticket", name: draw.oneOf(["blue", "red", "green"]) };
    case 10:
      return { does: "release", number: 1 + draw.below(9) };
    default:
      return { does: "read", what: draw.oneOf(["cells", "doctors", "accounts", "tickets"]) };
  }
}

/**
 * Retries until there is a response, occasionally on two instances at once; undefined if no
 * instance responds.
 */
async function requested(
  stage: Stage,
  draw: Draw,
  operation: Operation,
  op: string,
): Promise<(Answer & Pick<Done, "twins">) | undefined> {
  const { method, path, body } = requestOf(operation, op);
  const request = { method, path, key: op, body };
  const sendRequest = () => draw.oneOf(stage.instances).request(request);
  for (let tries = 0; tries < triesMax; tries += 1) {
    const answers = await Promise.all(draw.happens(15) ? [sendRequest(), sendRequest()] : [sendRequest()]);
    const known = answers.filter((answer) => answer !== undefined && answer.status !== 503) as Answer[];
    // A rejection isn't stored under the key: the same request may be rejected by one instance and
    // succeed on another whose response is lost.
    const done = known.find(({ status }) => status < 300);
    const best = done ?? (known.length === answers.length ? known[0] : undefined);
    if (best)
      return { ...best, twins: known.filter(({ status }) => status < 300).map((answer) => answer.body) };
    // Some clients continue without a response.
    if (draw.happens(20)) return undefined;
    await pause((stage.options.patienceMs ?? 5) * tries);
  }
  return undefined;
}

// ── Readers of the log ──────────────────────────────────────────────────────────────────────────

/** Reads the log from its last event on, on any live instance, until the history is finished. */
async function follow(stage: Stage, draw: Draw): Promise<readonly LogLine[]> {
  const lines: LogLine[] = [];
  for (let isLast = false; !isLast; ) {
    isLast = stage.isOver;
    const events = await draw
      .oneOf(stage.instances)
      .eventsAfter?.(lines.at(-1)?.sequence ?? 0, 20)
      .catch(() => []);
    lines.push(...(events ?? []).map(lineOf));
    await pause(2);
  }
  return lines;
}

function lineOf({ sequence, payload }: { readonly sequence?: unknown; readonly payload?: unknown }): LogLine {
  return { sequence: Number(sequence), payload: JSON.parse(String(payload)) as LogLine["payload"] };
}

async function logOf(ground: Ground): Promise<readonly LogLine[]> {
  const { rows } = await ground.query(
    `SELECT sequence::int, payload::text FROM ninefold_events ORDER BY sequence`,
  );
  return rows.map(lineOf);
}

async function endOf(ground: Ground): Promise<State> {
  const rows = async (text: string) => (await ground.query(text)).rows;
  return {
    cells: await rows(`SELECT id, value::int, items, op FROM "Cell" ORDER BY id`),
    doctors: await rows(`SELECT id, duty, op FROM "Doctor" ORDER BY id`),
    accounts: await rows(`SELECT id, balance::int, op FROM "Account" ORDER BY id`),
    tickets: await rows(`SELECT number::int, name, op FROM "Ticket" ORDER BY number`),
  };
}

// ── Faults ──────────────────────────────────────────────────────────────────────────────────────

type Fault = (stage: Stage, draw: Draw) => void | Promise<void>;

const faults: Readonly<Record<string, Fault>> = {
  "the way is cut": (stage, draw) => draw.oneOf(stage.instances).proxy.cut(),
  "cut before a COMMIT": (stage, draw) => draw.oneOf(stage.instances).proxy.cutAtCommit("unsent"),
  "cut behind a COMMIT": (stage, draw) => draw.oneOf(stage.instances).proxy.cutAtCommit("untold"),
  "the server ends a connection": async (stage, draw) => {
    const ports = draw.oneOf(stage.instances).proxy.ports();
    if (ports.length === 0) return;
    await stage.ground.query(
      `SELECT pg_terminate_backend(pid) FROM pg_stat_activity WHERE application_name = 'ninefold' AND client_port = $1`,
      [draw.oneOf(ports)],
    );
  },
  "an instance dies": async (stage, draw) => {
    const at = draw.below(stage.instances.length);
    const dying = stage.instances[at] as Instance;
    await dying.die();
    stage.instances[at] = await stage.begin();
  },
};

async function breakThings(stage: Stage): Promise<void> {
  const draw = createDraw(seedOf(stage.seed, "faults"));
  const { least, most } = betweenFaults;
  while (!stage.isOver) {
    await pause(least + draw.below(most - least));
    const name = draw.oneOf(Object.keys(faults));
    // A killed instance needs long to restart.
    if (name === "an instance dies" && !draw.happens(40)) continue;
    stage.faults[name] = (stage.faults[name] ?? 0) + 1;
    await faults[name]?.(stage, draw);
  }
}

/**
 * Waits until the server has closed the sessions of broken connections, which may be in the middle
 * of a statement.
 */
export async function noOthers(ground: Ground): Promise<void> {
  const { rows } = await ground.query("SELECT current_schema() AS name");
  const otherLocks = `SELECT 1 FROM pg_locks JOIN pg_class c ON c.oid = relation JOIN pg_namespace n ON n.oid = c.relnamespace
    WHERE n.nspname = $1 AND pid <> pg_backend_pid() AND mode <> 'AccessShareLock'`;
  while ((await ground.query(otherLocks, [rows[0]?.["name"]])).rows.length > 0) await pause(10);
}
