/**
 * Operations for tests: serves a document in this process, with its operations address on a free
 * port.
 */
import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { readFileSync } from "node:fs";
import { basename } from "node:path";
import { listenForOperations, type OperationsAddress } from "../../src/cli/operations/operations-address.ts";
import { compile } from "../../src/compile.ts";
import { createGivenRecords } from "../../src/engine/given.ts";
import { createHttpServer } from "../../src/engine/http/server.ts";
import { RequestJournal } from "../../src/engine/observability/request-journal.ts";
import { silentLog, systemClock } from "../../src/engine/ports.ts";
import { createService, type Service } from "../../src/engine/service.ts";
import { meaningOf } from "../../src/model/meaning.ts";
import { readGivenItems } from "../../src/model/reading/read-given.ts";
import type { AdminContext } from "../../src/admin/context.ts";
import { openStore } from "../../src/store/index.ts";
import { createRandomPool } from "../../src/support/random-pool.ts";
import { pathOf } from "../repository/repository.ts";
import { send } from "../sandbox/start-sandbox.ts";
import { adminOfService } from "../../src/admin/create-context.ts";

export interface Operations {
  readonly door: OperationsAddress;
  readonly service: Service;
  readonly operated: AdminContext;
  /** The URL of the service itself. */
  readonly serviceUrl: string;
  operate(method: string, path: string, body?: unknown): ReturnType<typeof send>;
  stop(): Promise<void>;
}

/** Opens the address on a free port, with its own token. */
export function openForTest(): Promise<OperationsAddress> {
  const token = randomBytes(32).toString("base64url");
  return listenForOperations({ host: "127.0.0.1", port: 0, isFlexible: false }, { token }, silentLog);
}

export function withToken({ token }: Pick<OperationsAddress, "token">) {
  return { Authorization: `Bearer ${token}` };
}

/** @param seed a Markdown file with `Given` items */
export async function startOperations(path: string, seed?: string): Promise<Operations> {
  const text = readFileSync(pathOf(path), "utf8");
  const { model, diagnostics } = compile(text, { file: basename(path) });
  assert.ok(model, path);
  const store = await openStore(model, meaningOf(model), { path: ":memory:" });
  const requests = new RequestJournal(model);
  let serviceUrl = "";
  const origin = () => serviceUrl;
  const door = await openForTest();
  const service = await createService(model, {
    store,
    origin,
    receiverAt: () => door.url,
    ports: { clock: systemClock, log: silentLog, randomBytes: createRandomPool() },
    onAnswered: (reported) => requests.note(reported),
  });
  const steps =
    seed === undefined ? [] : readGivenItems(model, seed, readFileSync(pathOf(seed), "utf8")).steps;
  await createGivenRecords(service, steps);
  const http = createHttpServer((request) => service.fetch(request), {
    refuse: (refusal) => service.refuse(refusal),
  });
  serviceUrl = `http://127.0.0.1:${(await http.listen(0, "127.0.0.1")).port}`;
  const operated = adminOfService(service, requests, {
    document: { file: basename(path), text, diagnostics },
    seed: steps,
    origin,
    log: silentLog,
    ninefold: "0.0.0",
  });
  await door.open(operated);
  return {
    door,
    service,
    operated,
    serviceUrl,
    operate: (method, target, body) => send(method, door.url + target, { body, headers: withToken(door) }),
    async stop() {
      operated.hub.close();
      await Promise.all([door.close(0), http.close(0)]);
      await service.close();
      await store.close();
    },
  };
}
