/** Where scenarios run without a socket: the service in this process, a fresh store in memory, and a clock that moves. */
import type { Value } from "../expressions/value.ts";
import { makeGiven } from "../engine/given.ts";
import { createRequest } from "../engine/http/message.ts";
import type { HandlerModule } from "../engine/handlers/module.ts";
import { createMovableClock, type Log, silentLog } from "../engine/ports.ts";
import type { Service } from "../engine/service.ts";
import type { Model } from "../model/model.ts";
import type { Json } from "../support/json.ts";
import type { ScenarioTarget } from "../verify/run-scenario.ts";
import { openModelStore, openService } from "./open-service.ts";
import type { Terminal } from "./terminal.ts";

/** Scenarios start on this day, so that what they print is the same tomorrow. */
const scenariosStartMs = Date.parse("2026-11-20T12:00:00.000Z");
const origin = "http://localhost";

export interface LocalTarget extends ScenarioTarget {
  readonly service: Service;
  close(): Promise<void>;
}

export async function createLocalTarget(
  model: Model,
  terminal: Terminal,
  handlers?: HandlerModule,
): Promise<LocalTarget> {
  const clock = createMovableClock(scenariosStartMs);
  const store = await openModelStore(model, ":memory:", terminal);
  const log = handlers ? logOfHandlers(terminal) : silentLog;
  const service = await openService(
    model,
    store,
    { clock, log },
    { origin: () => origin, ...(handlers ? { handlers } : {}) },
  );
  const names = new Map();
  return {
    service,
    origin,
    async send(request) {
      const answer = await service.fetch(
        createRequest({
          ...request,
          headers: request.headers,
          ...(request.body === undefined ? {} : { body: request.body }),
        }),
      );
      // A second passes between requests, as it would for people.
      return {
        status: answer.status,
        headers: answer.headers,
        body: typeof answer.body === "string" ? answer.body : "",
      };
    },
    async given(step) {
      const [made] = await makeGiven(service, [step], { names });
      return plain(made?.identifier ?? null);
    },
    async wait(milliseconds) {
      clock.moveBy(milliseconds);
      await service.inside.timers.settleAll(clock.now());
    },
    async events() {
      await service.inside.timers.settleAll(clock.now());
      const rows = await store.session.system.events();
      return rows.map((row) => ({ type: row.type, payload: JSON.parse(row.payload) as Json }));
    },
    async close() {
      await service.close();
      await store.close();
    },
  };
}

function plain(value: Value): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}

/** What goes wrong in the author's own code is told to the author; all else is seen in the answers. */
function logOfHandlers(terminal: Terminal): Log {
  return {
    ...silentLog,
    error({ handler, function: name, line, error }, message) {
      const which = handler ?? name;
      if (which === undefined) return;
      terminal.complain(`    ${message} (${String(which)}, line ${String(line)}): ${String(error)}\n`);
    },
  };
}
