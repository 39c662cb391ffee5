/**
 * Local target: runs scenarios without a socket. It has the service in this process, a fresh store
 * (in memory by default), and a movable clock.
 */
import type { RecordValue, Value } from "../expressions/value.ts";
import { createGivenRecords } from "../engine/given.ts";
import { createRequest, type ResponseBody } from "../engine/http/message.ts";
import type { HandlerModule } from "../engine/handler-module.ts";
import { createMovableClock, type Log, type MovableClock, silentLog } from "../engine/ports.ts";
import { lowestCost } from "../engine/secrets/secrets.ts";
import { createService, type Service } from "../engine/service.ts";
import type { ServiceOptions } from "../engine/assembly/options.ts";
import { meaningOf } from "../model/meaning.ts";
import type { Model } from "../model/model.ts";
import { openStore } from "../store/index.ts";
import type { Json } from "../support/json.ts";
import { Fault } from "../support/invariant.ts";
import { memoizeBy } from "../support/memoize-by.ts";
import { newDecoder } from "../support/new-decoder.ts";
import { createRandomPool } from "../support/random-pool.ts";
import type { ScenarioTarget } from "../verify/run-scenario.ts";
import { machine } from "../support/machine.ts";

/** Scenarios start at a fixed time, so that their output is the same every day. */
export const scenariosStartMs = Date.parse("2026-11-20T12:00:00.000Z");
/** The address under which the service names itself. */
export const localOrigin = "http://localhost";

export interface LocalTarget extends Required<ScenarioTarget> {
  readonly service: Service;
  /** The time of the target's clock, in milliseconds since 1970. */
  nowMs(): number;
  /** All records of a resource that are not deleted, in the order of their creation. */
  recordsOf(resource: string): Promise<readonly RecordValue[]>;
  close(): Promise<void>;
}

/**
 * Where errors are printed that no response shows: the terminal, or the client that started the
 * run.
 */
export interface ErrorOutput {
  printError(text: string): void;
}

export interface LocalOptions
  extends Pick<ServiceOptions, "onAnswered" | "observer" | "planLate" | "webhooksOver"> {
  /** Replaces the default log, which reports only errors of handlers. */
  readonly log?: Log;
  /** The path of an empty store; by default the store is in memory. */
  readonly path?: string;
  /**
   * The initial time of its clock, in milliseconds since 1970; by default that of all scenarios.
   */
  readonly startMs?: number;
}

/**
 * The target gets few requests, so by default each endpoint is planned with its first request.
 * @param options observers of its requests and of the document's rules
 */
export async function createLocalTarget(
  model: Model,
  complaints: ErrorOutput,
  handlers?: HandlerModule,
  { path = ":memory:", planLate = true, startMs = scenariosStartMs, log, ...observers }: LocalOptions = {},
): Promise<LocalTarget> {
  const clock = createMovableClock(startMs);
  const store = await openStore(model, meaningOf(model), {
    path,
    onWarning: (message) => complaints.printError(`ninefold: ${message}\n`),
  });
  const service = await createService(model, {
    store,
    ports: {
      clock,
      log: log ?? (handlers ? logOfHandlers(complaints) : silentLog),
      randomBytes: createRandomPool(),
      passwordCost: lowestCost,
    },
    origin: () => localOrigin,
    planLate,
    ...(handlers ? { handlers } : {}),
    ...observers,
  });
  const names = new Map();
  const allOf = memoizeBy((resource: { readonly name: string }) =>
    store.prepareRecords({ resource: resource.name, where: [], order: [], includesDeleted: false }),
  );
  return {
    service,
    origin: localOrigin,
    nowMs: () => clock.now(),
    async recordsOf(name) {
      const resource = model.resources.find((candidate) => candidate.name === name);
      if (!resource || resource.identifier.kind === "none" || resource.gap) return [];
      return store.session.records(allOf(resource), service.internals.newFrame(clock.now()));
    },
    async send({ body: sent, ...request }, isEnough) {
      const leaving = new AbortController();
      const answering = service.fetch(
        createRequest({ ...request, signal: leaving.signal, ...(sent === undefined ? {} : { body: sent }) }),
      );
      const { status, headers, body } = await advanceWhileHeld(service, clock, Promise.resolve(answering));
      try {
        return { status, headers, body: await readBody(body, isEnough) };
      } finally {
        leaving.abort();
      }
    },
    async given(step) {
      const [made] = await createGivenRecords(service, [step], { names });
      return plain(made?.identifier ?? null);
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
      await service.close();
      await store.close();
    },
  };
}

/**
 * The maximum number of clock advances without progress. Work that is due again at once would
 * otherwise repeat forever.
 */
const standingMax = 1_000;

/**
 * Advances time for a held response (`Waits`). When its condition was checked and nothing else
 * runs, the clock moves to the next due time. If nothing is due, only the response, or another held
 * one, is awaited.
 * @throws Fault if the clock can't get past a time
 */
export async function advanceWhileHeld<T>(
  { internals }: Pick<Service, "internals">,
  clock: MovableClock,
  answering: Promise<T>,
): Promise<T> {
  const { waits } = internals.shared;
  let isAnswered = false;
  const note = () => {
    isAnswered = true;
  };
  const answered = answering.then(note, note);
  const aTurn = () => new Promise<void>((resolve) => setImmediate(resolve));
  let unchangedTurns = 0;
  for (;;) {
    let forget = () => {};
    const nextWait = new Promise<void>((resolve) => (forget = waits.onHeld(resolve)));
    if (waits.held === 0 || clock.earliest() === null) await Promise.race([answered, nextWait]);
    forget();
    if (isAnswered) return answering;
    // A service that was just started determines the next due time here.
    await internals.timers.runAllDue();
    await aTurn();
    const next = clock.earliest();
    if (waits.held === 0 || next === null) continue;
    const moveMs = Math.max(0, next - clock.now());
    unchangedTurns = moveMs === 0 ? unchangedTurns + 1 : 0;
    if (unchangedTurns > standingMax)
      throw new Fault("the clock can't advance: the same time is due again and again");
    clock.moveBy(moveMs);
  }
}

/**
 * How long a scenario waits for an event, in milliseconds. Only a failing scenario waits so long.
 */
const silenceMs = 10_000;

/**
 * Reads a complete body. A stream is read until enough has arrived, it ends, or no more arrives.
 */
export async function readBody(
  body: ResponseBody,
  isEnough: (text: string) => boolean = () => false,
): Promise<string> {
  if (typeof body === "string") return body;
  if (body instanceof Uint8Array) return newDecoder().decode(body);
  const pieces = body[Symbol.asyncIterator]();
  const decoder = newDecoder();
  let text = "";
  while (!isEnough(text)) {
    let takeBack: (() => void) | undefined;
    const silence = new Promise<undefined>((resolve) => {
      takeBack = machine.after(silenceMs, () => resolve(undefined));
    });
    const next = await Promise.race([pieces.next(), silence]);
    takeBack?.();
    if (!next || next.done) break;
    text += typeof next.value === "string" ? next.value : decoder.decode(next.value, { stream: true });
  }
  void pieces.return?.();
  return text;
}

function plain(value: Value): Json {
  return JSON.parse(JSON.stringify(value)) as Json;
}

/** Prints errors of the author's own code. Responses show everything else. */
function logOfHandlers(complaints: ErrorOutput): Log {
  return {
    ...silentLog,
    error({ handler, function: name, line, error }, message) {
      const which = handler ?? name;
      if (which === undefined) return;
      complaints.printError(`    ${message} (${String(which)}, line ${String(line)}): ${String(error)}\n`);
    },
  };
}
