/**
 * The process into which `shim.c` is loaded.
 *
 *   node writer.ts trace FOLDER CLIENTS TURNS  # works, stops and starts again twice; FOLDER/acks lists what is
 * acknowledged
 *   node writer.ts work FOLDER NAME CLIENTS TURNS  # works once on what is there, until it is killed
 *   node writer.ts inject FOLDER ERROR KINDS BUDGET  # the calls of these kinds fail, one after another, each in a
 * separate start
 *   node writer.ts full FOLDER  # the disk fills while it works, and has room again
 *
 * `full` prints a line of JSON: what was answered meanwhile. `inject` prints a line of JSON: how many calls there
 * are, how many were tried, and the results.
 */
import { closeSync, mkdirSync, openSync, readSync, rmSync, writeSync } from "node:fs";
import { join } from "node:path";
import { type Control, controlBytes, controlOf, readControlFrom } from "./control.ts";
import type { Report } from "../serve-timed.ts";
import { callKinds } from "./trace.ts";
import { type Acknowledged, addTo, client, judgeStore, nothingJudged, openParcels } from "./parcels.ts";

function setControl(values: Partial<Control>): void {
  const bytes = controlOf(values);
  withControl((fd) => writeSync(fd, bytes, 0, bytes.length, 0));
}

function readControl(): Control {
  const bytes = Buffer.alloc(controlBytes);
  withControl((fd) => readSync(fd, bytes, 0, bytes.length, 0));
  return readControlFrom(bytes);
}

function withControl(use: (fd: number) => void): void {
  const fd = openSync(String(process.env["NINEFOLD_DISK_CONTROL"]), "r+");
  try {
    use(fd);
  } finally {
    closeSync(fd);
  }
}

/** @param lives how often the service starts, works and stops */
async function worked(
  folder: string,
  prefix: string,
  clients: number,
  turns: number,
  lives: number,
): Promise<void> {
  const acks = openSync(join(folder, "acks"), "w");
  let at = 0;
  const acknowledge = (write: Acknowledged) => {
    const line = `${JSON.stringify(write)}\n`;
    at += writeSync(acks, Buffer.from(line), 0, Buffer.byteLength(line), at);
  };
  for (let life = 0; life < lives; life += 1) {
    const service = await openParcels(join(folder, "store.db"));
    const names = Array.from({ length: clients }, (_, number) => `${prefix}${life}-${number}`);
    await Promise.all(names.map((name) => client(service, name, turns, acknowledge)));
    await service.close();
  }
  closeSync(acks);
}

/** One process with one failing call, or without failures to count the calls. */
async function life(folder: string, failure: Partial<Control>) {
  rmSync(folder, { recursive: true, force: true });
  mkdirSync(folder, { recursive: true });
  const path = join(folder, "store.db");
  const acknowledged: Acknowledged[] = [];
  let refused = 0;
  let behindSync = 0;
  setControl(failure);
  try {
    const service = await openParcels(path);
    const acknowledge = (acknowledgement: Acknowledged) => {
      acknowledged.push(acknowledgement);
      const { failed, failedKind } = readControl();
      if (failed > 0 && failedKind === callKinds.sync) behindSync += 1;
    };
    const refuse = ({ status }: { readonly status: number }) => {
      refused += 1;
      if (status !== 503 && status !== 500) throw new Error(`the service answered ${status}`);
    };
    await Promise.all(["a", "b"].map((name) => client(service, name, 3, acknowledge, refuse)));
    await service.close().catch(() => undefined);
  } catch (error) {
    // The service doesn't start on a failing disk: no client received an acknowledgement.
    if (acknowledged.length > 0) throw error;
  }
  const { calls, failed } = readControl();
  setControl({});
  return { calls, failed, refused, behindSync, judged: await judgeStore(path, acknowledged) };
}

async function injected(folder: string, error: number, kinds: number, budgetMs: number): Promise<void> {
  const { calls } = await life(folder, { kinds });
  const endsAt = performance.now() + budgetMs;
  const sum = nothingJudged();
  let [tried, met, refused, behindSync] = [0, 0, 0, 0];
  // All calls if time allows; otherwise a spread of them.
  const order = spread(calls);
  for (const call of order) {
    if (performance.now() > endsAt) break;
    const received = await life(folder, { kinds, error, from: call, until: call + 1 });
    tried += 1;
    met += received.failed > 0 ? 1 : 0;
    refused += received.refused;
    behindSync += received.behindSync;
    addTo(sum, received.judged);
  }
  process.stdout.write(`${JSON.stringify({ calls, tried, met, refused, behindSync, ...sum })}\n`);
}

const noSpace = 28;

async function full(folder: string): Promise<void> {
  const path = join(folder, "store.db");
  const service = await openParcels(path);
  const acknowledged: Acknowledged[] = [];
  const acknowledge = (acknowledgement: Acknowledged) => void acknowledged.push(acknowledgement);
  const statuses: Record<string, number> = {};
  const refuse = ({ status, headers }: Report) => {
    const name = `${status}${headers.some(([header]) => header.toLowerCase() === "retry-after") ? " and when to come back" : ""}`;
    statuses[name] = (statuses[name] ?? 0) + 1;
  };
  await client(service, "before", 10, acknowledge, refuse);
  const before = acknowledged.length;
  const known = acknowledged.flatMap((write) => ("made" in write ? [write.made] : []));
  setControl({ error: noSpace, kinds: callKinds.write | callKinds.truncate, from: 1, until: 2 ** 31 - 1 });
  await client(service, "full", 10, acknowledge, refuse);
  const whileFull = acknowledged.length - before;
  let read = 0;
  for (const id of known) if ((await service.send("GET", `/v1/parcels/${id}`)).status === 200) read += 1;
  setControl({});
  await client(service, "after", 10, acknowledge, refuse);
  const after = acknowledged.length - before - whileFull;
  await service.close();
  const judged = await judgeStore(path, acknowledged);
  const received = { before, whileFull, statuses, read, of: known.length, after, ...judged };
  process.stdout.write(`${JSON.stringify(received)}\n`);
}

/** 1 to `count`, in an order whose start is spread over the whole range. */
function spread(count: number): readonly number[] {
  const step = Math.max(1, Math.round(count * 0.381966));
  const stepOf = (a: number, b: number): number => (b === 0 ? a : stepOf(b, a % b));
  let coprime = step;
  while (stepOf(count, coprime) !== 1) coprime += 1;
  return Array.from({ length: count }, (_, at) => ((at * coprime) % count) + 1);
}

if (import.meta.main) {
  const [mode, folder = "", ...rest] = process.argv.slice(2);
  const [first = 0, second = 0, third = 0] = rest.map(Number);
  if (mode === "trace") await worked(folder, "", first, second, 3);
  else if (mode === "work") await worked(folder, `${rest[0]}-`, second, third, 1);
  else if (mode === "full") await full(folder);
  else await injected(folder, first, second, third);
}
