/** Handler service: a service in memory with a handler module, for tests. */
import assert from "node:assert/strict";
import { after } from "node:test";
import { compile } from "../../src/compile.ts";
import { meaningOf } from "../../src/model/meaning.ts";
import { openStore } from "../../src/store/index.ts";
import type { HandlerModule } from "../../src/engine/handler-module.ts";
import { createRequest } from "../../src/engine/http/message.ts";
import { createMovableClock } from "../../src/engine/ports.ts";
import { createService } from "../../src/engine/service.ts";

/**
 * Opens a service, which is closed when the running test ends.
 * @param module undefined if the document has no module
 */
export async function serviceOf(module: HandlerModule | undefined, text: string) {
  const { model, diagnostics } = compile(text, { file: "orders.md" });
  assert.deepEqual(
    diagnostics
      .filter((diagnostic) => diagnostic.kind === "mistake")
      .map((diagnostic) => `${diagnostic.position.start.line} ${diagnostic.message}`),
    [],
  );
  assert.ok(model);
  const store = await openStore(model, meaningOf(model), { path: ":memory:" });
  const warned: { readonly fields: Readonly<Record<string, unknown>>; readonly message: string }[] = [];
  const logged: { readonly fields: Readonly<Record<string, unknown>>; readonly message: string }[] = [];
  const log = {
    info() {},
    warn: (fields: Readonly<Record<string, unknown>>, message: string) =>
      void warned.push({ fields, message }),
    error: (fields: Readonly<Record<string, unknown>>, message: string) =>
      void logged.push({ fields, message }),
  };
  const clock = createMovableClock(Date.parse("2026-11-20T12:00:00.000Z"));
  const service = await createService(model, {
    store,
    ports: {
      clock,
      log,
      randomBytes: (count) => crypto.getRandomValues(new Uint8Array(count)),
    },
    origin: () => "http://localhost",
    ...(module ? { handlers: module } : {}),
  });
  after(async () => {
    await service.close();
    await store.close();
  });
  const send = async (
    method: string,
    target: string,
    body?: unknown,
    headers: Record<string, string> = {},
  ) => {
    const answer = await service.fetch(
      createRequest({
        method,
        target,
        headers: Object.entries({ "content-type": "application/json", ...headers }),
        ...(body === undefined ? {} : { body: JSON.stringify(body) }),
      }),
    );
    const text = String(answer.body);
    return { status: answer.status, headers: answer.headers, json: text === "" ? null : JSON.parse(text) };
  };
  return { send, logged, warned, clock, store };
}
