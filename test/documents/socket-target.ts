/**
 * Scenario target over a socket, on a store in a file, as clients use a service. The service is
 * restarted between every two requests, so that no state can live only in its memory.
 */
import { mkdtemp, rm } from "node:fs/promises";
import { request as httpRequest } from "node:http";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { openModelStore, openService } from "../../src/cli/open-service.ts";
import { advanceWhileHeld, readBody } from "../../src/scenarios/local-target.ts";
import type { Terminal } from "../../src/cli/terminal.ts";
import type { HandlerModule } from "../../src/engine/handler-module.ts";
import { createGivenRecords } from "../../src/engine/given.ts";
import { createHttpServer } from "../../src/engine/http/server.ts";
import { createMovableClock, silentLog } from "../../src/engine/ports.ts";
import type { Service } from "../../src/engine/service.ts";
import type { Model } from "../../src/model/model.ts";
import type { Json } from "../../src/support/json.ts";
import type { ScenarioTarget } from "../../src/verify/run-scenario.ts";
import type { SentRequest, ReceivedResponse } from "../../src/verify/scenario-failure.ts";

export interface SocketTarget extends ScenarioTarget {
  close(): Promise<void>;
}

/** The public address stays the same while the port changes with every start. */
const origin = "http://localhost:4545";
const startMs = Date.parse("2026-11-20T12:00:00.000Z");
/**
 * All endpoints are planned at the first start, as `serve` does; later starts plan endpoints on
 * demand.
 */
const planned = new WeakSet<Model>();

export async function createSocketTarget(
  model: Model,
  terminal: Terminal,
  handlers?: HandlerModule,
): Promise<SocketTarget> {
  const folder = await mkdtemp(join(tmpdir(), "ninefold-documents-"));
  const clock = createMovableClock(startMs);
  const names = new Map();

  const started = async <T>(work: (service: Service) => Promise<T>): Promise<T> => {
    const store = await openModelStore(model, join(folder, "store.db"), terminal);
    const options = { origin: () => origin, planLate: planned.has(model), ...(handlers ? { handlers } : {}) };
    planned.add(model);
    const service = await openService(model, store, { clock, log: silentLog }, options);
    try {
      return await work(service);
    } finally {
      await service.close();
      await store.close();
    }
  };

  return {
    origin,
    send: (request, isEnough) =>
      started(async (service) => {
        const http = createHttpServer((request) => service.fetch(request), {
          refuse: (refusal) => service.refuse(refusal),
        });
        const { port } = await http.listen(0, "127.0.0.1");
        try {
          return await advanceWhileHeld(service, clock, sendTo(port, request, isEnough));
        } finally {
          await http.close(1000);
        }
      }),
    given: (step) =>
      started(async (service) => {
        const [made] = await createGivenRecords(service, [step], { names });
        return JSON.parse(JSON.stringify(made?.identifier ?? null)) as Json;
      }),
    wait: async (milliseconds) => clock.moveBy(milliseconds),
    events: () =>
      started(async (service) => {
        await service.internals.timers.runAllDue();
        const rows = await service.internals.context.store.session.system.events();
        return rows.map((row) => ({ type: row.type, payload: JSON.parse(row.payload) as Json }));
      }),
    close: () => rm(folder, { recursive: true, force: true }),
  };
}

function sendTo(
  port: number,
  { method, target, headers, body }: SentRequest,
  isEnough: ((body: string) => boolean) | undefined,
): Promise<ReceivedResponse> {
  return new Promise((resolve, reject) => {
    const lines = headers.flat();
    const hasHost = headers.some(([name]) => name.toLowerCase() === "host");
    const length = body === undefined ? [] : ["Content-Length", String(Buffer.byteLength(body))];
    const sent = httpRequest(
      {
        port,
        host: "127.0.0.1",
        method,
        path: target,
        agent: false,
        setHost: false,
        headers: [...(hasHost ? [] : ["Host", "localhost:4545"]), ...lines, ...length] as never,
      },
      (response) => {
        const raw = response.rawHeaders;
        readBody(response, isEnough)
          .then((text) => {
            response.destroy();
            resolve({
              status: response.statusCode ?? 0,
              headers: Array.from({ length: raw.length / 2 }, (_, at) => [
                raw[2 * at] as string,
                raw[2 * at + 1] as string,
              ]),
              body: text,
            });
          })
          .catch(reject);
      },
    );
    sent.on("error", reject);
    sent.end(body);
  });
}
