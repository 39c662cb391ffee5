/**
 * Where scenarios run without a socket: the service in this process, a fresh store, in memory if
 * none is named, and a clock that moves.
 */
import type { RecordValue, Value } from "../expressions/value.ts";
import { makeGiven } from "../engine/given.ts";
import { createRequest, type ResponseBody } from "../engine/http/message.ts";
import type { HandlerModule } from "../engine/handler-module.ts";
import { createMovableClock, type Log, type MovableClock, silentLog } from "../engine/ports.ts";
import { createService, type Service } from "../engine/service.ts";
import type { ServiceOptions } from "../engine/assembly/options.ts";
import { meaningOf } from "../model/meaning.ts";
import type { Model } from "../model/model.ts";
import { openStore } from "../store/index.ts";
import type { Json } from "../support/json.ts";
import { Fault } from "../support/invariant.ts";
import { memoizeBy } from "../support/memoize-by.ts";
import { createRandomPool } from "../support/random-pool.ts";
import type { ScenarioTarget } from "../verify/run-scenario.ts";
import { machine } from "../support/machine.ts";

/** Scenarios start on this day, so that what they print is the same tomorrow. */
export const scenariosStartMs = Date.parse("2026-11-20T12:00:00.000Z");
const origin = "http://localhost";

export interface LocalTarget extends Required<ScenarioTarget> {
  readonly service: Service;
  /** The time of its clock, in milliseconds since 1970. */
  nowMs(): number;
  /** All records of a resource that are not deleted, in the order in which they were made. */
  recordsOf(resource: string): Promise<readonly RecordValue[]>;
  close(): Promise<void>;
}

/**
 * Where errors besides the answers are printed: the terminal, or the client that started the run.
 */
export interface Complaints {
  printError(text: string): void;
}

export interface LocalOptions
  extends Pick<ServiceOptions, "onAnswered" | "observer" | "planLate" | "webhooksOver"> {
  /** Replaces the log that reports errors of handlers alone. */
  readonly log?: Log;
  /** A store that is empty; without one it is in memory. */
  readonly path?: string;
  /**
   * The time at which its clock starts, in milliseconds since 1970; by default the day of all
   * scenarios.
   */
  readonly startMs?: number;
}

/**
 * The target gets few requests, so by default an endpoint is planned with its first one.
 * @param options observers of its requests and of the document's rules
 */
export async function createLocalTarget(
  model: Model,
  complaints: Complaints,
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
    },
    origin: () => origin,
    planLate,
    ...(handlers ? { handlers } : {}),
    ...observers,
  });
  const names = new Map();
  const allOf = memoizeBy((resource: { readonly name: string }) =>
    store.prepareRecords({ resource: resource.name, where: [], order: [], deletedToo: false }),
  );
  return {
    service,
    origin,
    nowMs: () => clock.now(),
    async recordsOf(name) {
      const resource = model.resources.find((candidate) => candidate.name === name);
      if (!resource || resource.identifier.kind === "none" || resource.gap) return [];
      return store.session.records(allOf(resource), service.internals.newFrame(clock.now()));
    },
    async send(request, isEnough) {
      const leaving = new AbortController();
      const answering = service.fetch(
        createRequest({
          ...request,
          headers: request.headers,
          signal: leaving.signal,
          ...(request.body === undefined ? {} : { body: request.body }),
        }),
      );
      const { status, headers, body } = await passTime(service, clock, Promise.resolve(answering));
      try {
        return { status, headers, body: await readBody(body, isEnough) };
      } finally {
        leaving.abort();
      }
    },
    async given(step) {
      const [made] = await makeGiven(service, [step], { names });
      return plain(made?.identifier ?? null);
    },
    async wait(milliseconds) {
      clock.moveBy(milliseconds);
      await service.internals.timers.settleAll();
    },
    async events() {
      await service.internals.timers.settleAll();
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
 * How often the clock may advance without moving: work that is due again at once would repeat for
 * ever.
 */
const standingMax = 1_000;

/**
 * A held response (`Waits`) waits for time to pass. Once its condition was checked and nothing else
 * is running, the clock moves to the next due time. If nothing is due at any time, only the answer
 * itself, or another held one, is awaited.
 * @throws Fault if the clock can't get past a time
 */
export async function passTime<T>(
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
  let standing = 0;
  for (;;) {
    let forget = () => {};
    const held = new Promise<void>((resolve) => (forget = waits.onHeld(resolve)));
    if (waits.held === 0 || clock.earliest() === null) await Promise.race([answered, held]);
    forget();
    if (isAnswered) return answering;
    // A service that was started just now learns here what is due next.
    await internals.timers.settleAll();
    await aTurn();
    const next = clock.earliest();
    if (waits.held === 0 || next === null) continue;
    const moveMs = Math.max(0, next - clock.now());
    standing = moveMs === 0 ? standing + 1 : 0;
    if (standing > standingMax)
      throw new Fault("the clock can't get past a time that is due again and again");
    clock.moveBy(moveMs);
  }
}

/**
 * How long a scenario waits for an event that doesn't come, in milliseconds: only one that fails
 * waits so long.
 */
const silenceMs = 10_000;

/** A body in full, or a stream until enough of it has come, it ends, or nothing more comes. */
export async function readBody(
  body: ResponseBody,
  isEnough: (text: string) => boolean = () => false,
): Promise<string> {
  if (typeof body === "string") return body;
  if (body instanceof Uint8Array) return new TextDecoder().decode(body);
  const pieces = body[Symbol.asyncIterator]();
  const decoder = new TextDecoder();
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

/**
 * Errors of the author's own code are printed for the author; everything else shows in the answers.
 */
function logOfHandlers(complaints: Complaints): Log {
  return {
    ...silentLog,
    error({ handler, function: name, line, error }, message) {
      const which = handler ?? name;
      if (which === undefined) return;
      complaints.printError(`    ${message} (${String(which)}, line ${String(line)}): ${String(error)}\n`);
    },
  };
}
