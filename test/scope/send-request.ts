/**
 * Place runner: runs one document of `places.ts` or `post-filter.ts`, and returns which names have
 * a value in its place.
 */
import type { Diagnostic } from "../../src/diagnostics/diagnostic.ts";
import { compile, createRequest, createService, openStore, type Service } from "../../src/index.ts";
import {
  type Clock,
  createMovableClock,
  type MovableClock,
  silentLog,
  systemClock,
} from "../../src/engine/ports.ts";
import { meaningOf } from "../../src/model/meaning.ts";
import type { Model } from "../../src/model/model.ts";
import { createRandomPool } from "../../src/support/random-pool.ts";
import { driveConcurrently } from "./post-filter-drive.ts";
import { pathsOf } from "./model-paths.ts";
import { documentWith, everything, key, type Ground, type Place } from "./places.ts";

export interface Seen {
  /** Names that `check` rejects there. */
  readonly refused: readonly string[];
  readonly there: readonly string[];
  /** Names that `check` accepts, and that are null in the running service. */
  readonly absent: readonly string[];
  /** Whether the place was evaluated. Otherwise the test proves nothing. */
  readonly reached: boolean;
  /** The paths of the place in the model. */
  readonly paths: ReadonlySet<string>;
}

/** A running service, for the code that triggers its places. */
export interface Running {
  readonly service: Service;
  readonly clock: MovableClock;
  readonly model: Model;
  send(
    method: string,
    target: string,
    sent?: object,
    headers?: Readonly<Record<string, string>>,
    signal?: AbortSignal,
  ): Promise<Answered>;
  /** Starts to record what the place sees. */
  watch(): void;
}

export interface Answered {
  readonly status: number;
  readonly body: unknown;
}

const startMs = Date.parse("2026-11-20T12:00:00.000Z");

export async function sendRequest(
  place: Place,
  names: readonly string[],
  ground: Ground = everything,
): Promise<Seen> {
  const known = knownAt(ground, place, names);
  const { model, diagnostics } = compile(documentWith(ground, place, known), { file: "everything.md" });
  const [mistake] = diagnostics.filter((diagnostic) => diagnostic.severity === "error");
  if (!model || mistake) throw new Error(`${place.name}: ${mistake?.message}`);
  const there = new Set<string>();
  let reached = false;
  let isWatched = false;
  const movable = createMovableClock(startMs);
  const clock: Clock = ground === everything ? systemClock : movable;
  const store = await openStore(model, meaningOf(model), { path: ":memory:" });
  const service = await createService(model, {
    store,
    ports: { clock, log: silentLog, randomBytes: createRandomPool() },
    origin: () => "http://localhost",
    planLate: true,
    allowPrivateWebhooks: true,
    webhooksOver: { request: async () => ({ status: 200, headers: {}, body: Buffer.from("taken") }) },
    mailer: { send: async () => 250, close() {} },
    handlers: {
      functions: {
        reached: () => {
          reached ||= isWatched;
          return true;
        },
        own: (text: unknown) => text as string,
        narrow: () => null,
        // A null argument gives null without a call.
        named: (_value: unknown, name: string) => {
          if (isWatched) there.add(name);
          return true;
        },
      },
    },
  });
  const running: Running = {
    service,
    model,
    clock: movable,
    watch: () => {
      isWatched = true;
    },
    async send(method, target, sent, more = {}, signal) {
      const headers = Object.entries({ "Content-Type": "application/json", "X-Note": "note", ...more });
      const body = sent === undefined ? "" : JSON.stringify(sent);
      const request = createRequest({ method, target, headers, body, ...(signal ? { signal } : {}) });
      return service.fetch(request);
    },
  };
  try {
    await (ground === everything ? driveEverything(running, place) : driveConcurrently(running, place));
  } finally {
    await service.close();
    await store.close();
  }
  return {
    refused: names.filter((name) => !known.includes(name)),
    there: [...there],
    absent: known.filter((name) => !there.has(name)),
    reached,
    paths: pathsOf(model, "reached"),
  };
}

async function driveEverything({ send, watch }: Running, place: Place): Promise<void> {
  await send("POST", "/keys", { label: "card", secret: key, user: 1 });
  const who = { "X-Key": key };
  if (place.by === "create") watch();
  const made = await send("POST", "/shops/a/things?q=q", { title: "first", extra: "e" }, who);
  const { id = "none" } = JSON.parse(String(made.body) || "{}") as { id?: string };
  watch();
  const thingPath = `/shops/a/things/${id}`;
  const sent = { title: "second", extra: "e" };
  if (place.by === "update")
    await send("PATCH", `${thingPath}?q=q`, sent, { ...who, "Idempotency-Key": "k" });
  if (place.by === "upsert") await send("PUT", `${thingPath}?q=q`, sent, who);
  if (place.by === "delete") await send("DELETE", `${thingPath}?q=q`, undefined, who);
  if (place.by === "list") await send("GET", "/shops/a/things?q=q", undefined, who);
  if (place.by === "transition") await send("POST", `${thingPath}/go?q=q`, sent, who);
  if (place.by === "refused") await send("POST", `${thingPath}/refuse?q=q`, sent, who);
}

/** Returns the names without a mistake. The position of each mistake selects its name. */
function knownAt(ground: Ground, place: Place, names: readonly string[]): readonly string[] {
  const text = documentWith(ground, place, names);
  const wrong = mistakesIn(text);
  const known = names.filter((name) => !wrong.some((diagnostic) => standsIn(text, name, diagnostic)));
  return withoutMistakes(ground, place, known);
}

/**
 * Returns the expressions without mistakes. Bisection locates a mistake of the whole expression.
 */
function withoutMistakes(ground: Ground, place: Place, names: readonly string[]): readonly string[] {
  if (names.length === 0 || mistakesIn(documentWith(ground, place, names)).length === 0) return names;
  if (names.length === 1) return [];
  const middle = Math.ceil(names.length / 2);
  return [names.slice(0, middle), names.slice(middle)].flatMap((half) =>
    withoutMistakes(ground, place, half),
  );
}

function mistakesIn(text: string): readonly Diagnostic[] {
  return compile(text, { file: "everything.md" }).diagnostics.filter(
    (diagnostic) => diagnostic.severity === "error",
  );
}

function standsIn(text: string, name: string, { position }: Diagnostic): boolean {
  const at = text.indexOf(`named(${name}, `) + "named(".length;
  return position.start.offset >= at && position.start.offset <= at + name.length;
}
