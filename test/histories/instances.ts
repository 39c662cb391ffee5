/**
 * Instances of the service of `bank.md` on one schema, each with its own connection to the database, which breaks on
 * command.
 */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { compile } from "../../src/compile.ts";
import { createRequest } from "../../src/engine/http/message.ts";
import { silentLog, systemClock } from "../../src/engine/ports.ts";
import { createService, type Service } from "../../src/engine/service.ts";
import { meaningOf } from "../../src/model/meaning.ts";
import type { Model } from "../../src/model/model.ts";
import { openStore } from "../../src/store/index.ts";
import type { LoggedEvent } from "../../src/store/store.ts";
import { createRandomPool } from "../../src/support/random-pool.ts";
import { PostgresProxy } from "../postgres/proxy.ts";

const file = join(import.meta.dirname, "bank.md");
const model = compiled();
const meaning = meaningOf(model);

function compiled(): Model {
  const { model: found, diagnostics } = compile(readFileSync(file, "utf8"), { file });
  if (!found) throw new Error(diagnostics.map(({ message }) => message).join("\n"));
  return found;
}

export interface Request {
  readonly method: string;
  readonly path: string;
  readonly key: string;
  readonly body?: unknown;
}

export interface Answer {
  readonly status: number;
  readonly body: unknown;
}

export interface Instance {
  readonly proxy: PostgresProxy;
  /** The process number, if the instance is a process. */
  readonly pid?: number;
  /** Sends a request; undefined if there was no response. */
  request(request: Request): Promise<Answer | undefined>;
  /** The events after a sequence number, if the instance can return them. */
  eventsAfter?(sequence: number, limit: number): Promise<readonly LoggedEvent[]>;
  /** Kills the instance immediately, with its requests in progress. */
  die(): Promise<void>;
  close(): Promise<void>;
}

/** Starts an instance in this process. After its death, its connections lead nowhere. */
export async function instanceHere(url: string): Promise<Instance> {
  const proxy = await PostgresProxy.start(url);
  const store = await openStore(model, meaning, { path: proxy.url });
  const randomBytes = createRandomPool();
  const service = await createService(model, {
    store,
    ports: { clock: systemClock, log: silentLog, randomBytes },
    origin: () => "http://localhost",
  });
  const death = Promise.withResolvers<undefined>();
  const end = async () => {
    await proxy.close();
    await service.close().catch(() => {});
    await store.close().catch(() => {});
  };
  return {
    proxy,
    eventsAfter: async (sequence, limit) => store.session.system.eventsAfter(sequence, limit),
    request: (request) => Promise.race([requestService(service, request), death.promise]),
    async die() {
      death.resolve(undefined);
      void end();
    },
    async close() {
      await service.close();
      await store.close();
      await proxy.close();
    },
  };
}

async function requestService(service: Service, { method, path, key, body }: Request): Promise<Answer> {
  const answer = await service.fetch(
    createRequest({
      method,
      target: path,
      headers: {
        ...(body === undefined ? {} : { "content-type": "application/json" }),
        "idempotency-key": key,
      },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    }),
  );
  return { status: answer.status, body: answer.body === "" ? null : JSON.parse(String(answer.body)) };
}

/** Starts an instance as a separate process. */
export async function instanceApart(url: string): Promise<Instance> {
  const proxy = await PostgresProxy.start(url);
  const bin = join(import.meta.dirname, "../../bin/ninefold");
  const child = spawn(
    process.execPath,
    [
      bin,
      "serve",
      file,
      "--store",
      proxy.url,
      "--port",
      "0",
      "--log",
      "none",
      "--no-operations",
      "--allow-private-webhooks",
      "--ready-json",
    ],
    { stdio: ["ignore", "pipe", "ignore"] },
  );
  const ready = createInterface({ input: child.stdout as NodeJS.ReadableStream });
  const [line] = (await Promise.race([
    once(ready, "line"),
    once(child, "exit").then(([code]) => {
      throw new Error(`the service has not started (exit code ${code})`);
    }),
  ])) as [string];
  const origin = (JSON.parse(line) as { readonly url: string }).url;
  return {
    proxy,
    ...(child.pid !== undefined && { pid: child.pid }),
    request: (request) => requestOver(origin, request),
    die: () => ended(child, "SIGKILL").then(() => proxy.close()),
    close: () => ended(child, "SIGTERM").then(() => proxy.close()),
  };
}

async function ended(child: ChildProcess, signal: NodeJS.Signals): Promise<void> {
  if (child.exitCode !== null || child.signalCode !== null) return;
  const exit = once(child, "exit");
  child.kill(signal);
  await exit;
}

async function requestOver(
  origin: string,
  { method, path, key, body }: Request,
): Promise<Answer | undefined> {
  try {
    const answer = await fetch(`${origin}${path}`, {
      method,
      headers: { "content-type": "application/json", "idempotency-key": key },
      ...(body === undefined ? {} : { body: JSON.stringify(body) }),
    });
    return { status: answer.status, body: await answer.json() };
  } catch {
    return undefined;
  }
}
