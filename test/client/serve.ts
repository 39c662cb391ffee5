/** A document served at a socket, with a clock that moves, for its client. */
import { mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { loadHandlers } from "../../src/cli/load-handlers.ts";
import { openModelStore, openService } from "../../src/cli/open-service.ts";
import { advanceWhileHeld } from "../../src/scenarios/local-target.ts";
import { createGivenRecords } from "../../src/engine/given.ts";
import type { ServiceHandler } from "../../src/engine/http/message.ts";
import { createHttpServer } from "../../src/engine/http/server.ts";
import { createMovableClock, type MovableClock, silentLog } from "../../src/engine/ports.ts";
import type { Service } from "../../src/engine/service.ts";
import type { Model } from "../../src/model/model.ts";
import { readGivenItems } from "../../src/model/reading/read-given.ts";
import type { Json } from "../../src/support/json.ts";
import type { ScenarioTarget } from "../../src/verify/run-scenario.ts";
import { quiet } from "../contracts/serve-document.ts";

/** What scenarios need of a target, but the requests. */
export interface Served extends Omit<Required<ScenarioTarget>, "send"> {
  readonly url: string;
  readonly service: Service;
  readonly clock: MovableClock;
  /** `Given` items, as in a document. */
  make(items: string): Promise<readonly string[]>;
  close(): Promise<void>;
}

export interface ServeOptions {
  /** The document's path, for its handlers. */
  readonly path?: string;
  /** Stands between the socket and the service. */
  readonly before?: (serve: ServiceHandler) => ServiceHandler;
}

export async function serveModel(
  model: Model,
  { path, before = (serve) => serve }: ServeOptions = {},
): Promise<Served> {
  const folder = await mkdtemp(join(tmpdir(), "ninefold-served-"));
  const clock = createMovableClock(Date.parse("2026-11-20T12:00:00.000Z"));
  const store = await openModelStore(model, join(folder, "store.db"), quiet);
  const handlers = path === undefined ? undefined : await loadHandlers(path, model, quiet);
  const service = await openService(
    model,
    store,
    { clock, log: silentLog },
    { origin: () => "http://localhost", allowPrivateWebhooks: true, ...(handlers ? { handlers } : {}) },
  );
  const serve = before((request) =>
    advanceWhileHeld(service, clock, Promise.resolve(service.fetch(request))),
  );
  const http = createHttpServer(serve, { refuse: (refusal) => service.refuse(refusal) });
  const { port } = await http.listen(0, "127.0.0.1");
  const names = new Map();
  return {
    url: `http://127.0.0.1:${port}`,
    origin: "http://localhost",
    service,
    clock,
    async given(step) {
      const [made] = await createGivenRecords(service, [step], { names });
      return JSON.parse(JSON.stringify(made?.identifier ?? null)) as Json;
    },
    async make(items) {
      const { steps, diagnostics } = readGivenItems(model, "given.md", items, new Map());
      if (diagnostics.length > 0)
        throw new Error(diagnostics.map((diagnostic) => diagnostic.message).join("\n"));
      return (await createGivenRecords(service, steps, { names })).map((created) =>
        String(created.identifier),
      );
    },
    async wait(milliseconds) {
      clock.moveBy(milliseconds);
      await service.internals.timers.runAllDue();
    },
    async events() {
      await service.internals.timers.runAllDue();
      const rows = await store.session.system.events();
      return rows.map((row) => ({ type: row.type, payload: JSON.parse(row.payload) as Json }));
    },
    async close() {
      await http.close(1000);
      await service.close();
      await store.close();
      await rm(folder, { recursive: true, force: true });
    },
  };
}
