/**
 * Twin service: serves a twin of a published service on loopback for the service's own client
 * library. It serves `examples/twins/<name>.md` on a store in memory, with a clock that tests move.
 * The client gets the address by its own option and is otherwise unchanged.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { fileURLToPath } from "node:url";
import { loadHandlers } from "../../src/cli/load-handlers.ts";
import { openModelStore, openService } from "../../src/cli/open-service.ts";
import { compile } from "../../src/compile.ts";
import { createGivenRecords } from "../../src/engine/given.ts";
import { createHttpServer } from "../../src/engine/http/server.ts";
import { createMovableClock, type MovableClock } from "../../src/engine/ports.ts";
import type { ServiceRequest, ServiceResponse } from "../../src/engine/http/message.ts";
import { readGivenItems } from "../../src/model/reading/read-given.ts";
import type { Recorded } from "../exports/documents.ts";
import { problemsOf } from "../exports/problems-of.ts";
import { strictTerminal as terminal } from "../terminal.ts";

export interface Twin {
  readonly origin: string;
  readonly port: number;
  readonly clock: MovableClock;
  /**
   * The requests that it received, in order, such as `GET /v1/customers?limit=2`. They show how a
   * client works.
   */
  readonly requested: string[];
  /**
   * Moves the clock. When it returns, due transitions have run, and their deliveries have arrived
   * or failed.
   */
  pass(milliseconds: number): Promise<void>;
  close(): Promise<void>;
}

export const startedAt = new Date("2026-11-20T12:00:00Z");

/** @param given the initial records, as in a `Given` item: `Account with key = "k"` */
export async function serveTwin(name: string, given: readonly string[]): Promise<Twin> {
  const path = fileURLToPath(new URL(`../../examples/twins/${name}.md`, import.meta.url));
  return serveText(name, path, readFileSync(path, "utf8"), given);
}

/** Serves a twin whose document is no file: its text, and the path of its handler module. */
export async function serveText(
  name: string,
  path: string,
  text: string,
  given: readonly string[],
): Promise<Twin> {
  const { model, diagnostics } = compile(text, { file: `${name}.md` });
  const mistakes = diagnostics.filter(
    (diagnostic) => diagnostic.kind === "mistake" && diagnostic.severity !== "note",
  );
  assert.deepEqual(
    mistakes.map((mistake) => `${mistake.position.start.line}: ${mistake.message}`),
    [],
  );
  assert.ok(model);
  const handlers = await loadHandlers(path, model, terminal);
  const store = await openModelStore(model, ":memory:", terminal);
  const clock = createMovableClock(startedAt.getTime());
  const complaints: string[] = [];
  const printError = (fields: object, message: string) =>
    void complaints.push(`${name}: ${message} ${JSON.stringify(fields)}`);
  // The duration of a handler depends on the machine, so its warning is ignored. `handlers.test.ts`
  // tests it.
  const warn = (fields: object, message: string) =>
    message.includes("held the write lock") ? undefined : printError(fields, message);
  const log = { info() {}, warn, error: printError };
  let origin = "";
  const service = await openService(
    model,
    store,
    { clock, log },
    { origin: () => origin, allowPrivateWebhooks: true, ...(handlers ? { handlers } : {}) },
  );
  const items = readGivenItems(model, "given", given.map((record) => `- Given: \`${record}\``).join("\n"));
  assert.deepEqual(
    items.diagnostics.map((diagnostic) => diagnostic.message),
    [],
  );
  await createGivenRecords(service, items.steps);
  service.deliveries.start();
  const requested: string[] = [];
  const exchanges: Recorded[] = [];
  const http = createHttpServer(
    async (request) => {
      requested.push(`${request.method} ${request.target}`);
      const response = await service.fetch(request);
      const exchange = await recorded(name, request, response);
      if (exchange) exchanges.push(exchange);
      return response;
    },
    { refuse: (refusal) => service.refuse(refusal) },
  );
  const { port } = await http.listen(0, "127.0.0.1");
  origin = `http://127.0.0.1:${port}`;
  return {
    origin,
    port,
    clock,
    requested,
    async pass(milliseconds) {
      clock.moveBy(milliseconds);
      await service.internals.timers.runAllDue();
      await service.deliveries.idle();
    },
    async close() {
      await http.close(1000);
      await service.close();
      await store.close();
      assert.deepEqual(complaints, []);
      // The messages that a published library sends and accepts must match the exported OpenAPI. If
      // errors have a 2xx status, the status does not show which requests were rejected.
      if (model.errors.rows.every((row) => row.status === undefined || row.status >= 400))
        assert.deepEqual(problemsOf(model, { exchanges, events: [] }), []);
    },
  };
}

/**
 * Records the exchanged messages for the validator. The end of a stream is unknown, and so is the
 * rest of a chunked message.
 */
async function recorded(
  name: string,
  request: ServiceRequest,
  { status, headers, body }: ServiceResponse,
): Promise<Recorded | undefined> {
  if (typeof body !== "string" && !(body instanceof Uint8Array)) return undefined;
  const sent = await request.body(sentMax);
  return {
    scenario: name,
    request: {
      method: request.method,
      target: request.target,
      headers: request.rawHeaders.flatMap((rawHeader, at, all) =>
        at % 2 === 0 ? [[rawHeader, all[at + 1] ?? ""] as const] : [],
      ),
      ...(sent.byteLength === 0 ? {} : { body: new TextDecoder().decode(sent) }),
    },
    response: { status, headers, body: typeof body === "string" ? body : new TextDecoder().decode(body) },
  };
}

/** Longest body that a library sends in these tests, in bytes. */
const sentMax = 16 * 1024 * 1024;
