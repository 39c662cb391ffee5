/** Runs one document of `places.ts`, and tells what its place has seen of each name. */
import type { Diagnostic } from "../../src/diagnostics/diagnostic.ts";
import { compile, createRequest, openService } from "../../src/index.ts";
import { documentWith, type Place } from "./places.ts";

export interface Seen {
  /** Names that `check` doesn't know there. */
  readonly refused: readonly string[];
  readonly there: readonly string[];
  /** Known to `check`, and null in the running service. */
  readonly absent: readonly string[];
  /** The place was never asked: then nothing of this tells anything. */
  readonly reached: boolean;
}

const key = "key-of-ada-0001";

export async function ask(place: Place, names: readonly string[]): Promise<Seen> {
  const known = knownAt(place, names);
  const { model, diagnostics } = compile(documentWith(place, known), { file: "everything.md" });
  const [mistake] = diagnostics.filter((one) => one.severity === "error");
  if (!model || mistake) throw new Error(`${place.name}: ${mistake?.message}`);
  const there = new Set<string>();
  let reached = false;
  let isWatched = false;
  const service = await openService(model, {
    store: ":memory:",
    handlers: {
      functions: {
        reached: () => {
          reached ||= isWatched;
          return true;
        },
        own: (text: unknown) => text as string,
        // A null among its arguments gives null without calling it.
        named: (_value: unknown, name: string) => {
          if (isWatched) there.add(name);
          return true;
        },
      },
    },
  });
  const send = async (
    method: string,
    target: string,
    sent?: object,
    more: Readonly<Record<string, string>> = {},
  ) => {
    const headers = Object.entries({ "Content-Type": "application/json", "X-Note": "note", ...more });
    const body = sent === undefined ? "" : JSON.stringify(sent);
    return String((await service.fetch(createRequest({ method, target, headers, body }))).body);
  };
  try {
    await send("POST", "/keys", { label: "card", secret: key, user: 1 });
    const who = { "X-Key": key };
    isWatched = place.by === "create";
    const made = await send("POST", "/shops/a/things?q=q", { title: "first", extra: "e" }, who);
    const { id = "none" } = JSON.parse(made || "{}") as { id?: string };
    isWatched = true;
    const one = `/shops/a/things/${id}`;
    const sent = { title: "second", extra: "e" };
    if (place.by === "update") await send("PATCH", `${one}?q=q`, sent, { ...who, "Idempotency-Key": "k" });
    if (place.by === "upsert") await send("PUT", `${one}?q=q`, sent, who);
    if (place.by === "delete") await send("DELETE", `${one}?q=q`, undefined, who);
    if (place.by === "list") await send("GET", "/shops/a/things?q=q", undefined, who);
    if (place.by === "transition") await send("POST", `${one}/go?q=q`, sent, who);
    if (place.by === "refused") await send("POST", `${one}/refuse?q=q`, sent, who);
  } finally {
    await service.close();
  }
  return {
    refused: names.filter((name) => !known.includes(name)),
    there: [...there],
    absent: known.filter((name) => !there.has(name)),
    reached,
  };
}

/** Those of the names that `check` has nothing against: every mistake stands in one of them. */
function knownAt(place: Place, names: readonly string[]): readonly string[] {
  const text = documentWith(place, names);
  const wrong = mistakesIn(text);
  const known = names.filter((name) => !wrong.some((one) => standsIn(text, name, one)));
  return withoutMistakes(place, known);
}

/** What is told of the whole expression is looked for by halves. */
function withoutMistakes(place: Place, names: readonly string[]): readonly string[] {
  if (names.length === 0 || mistakesIn(documentWith(place, names)).length === 0) return names;
  if (names.length === 1) return [];
  const middle = Math.ceil(names.length / 2);
  return [names.slice(0, middle), names.slice(middle)].flatMap((half) => withoutMistakes(place, half));
}

function mistakesIn(text: string): readonly Diagnostic[] {
  return compile(text, { file: "everything.md" }).diagnostics.filter((one) => one.severity === "error");
}

function standsIn(text: string, name: string, { position }: Diagnostic): boolean {
  const at = text.indexOf(`named(${name}, `) + "named(".length;
  return position.start.offset >= at && position.start.offset <= at + name.length;
}
