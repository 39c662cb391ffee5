/**
 * The names that `check` accepts in the places of `selection-places.ts` have a value when the store
 * selects and sorts by them.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compile, createRequest, openService } from "../../src/index.ts";
import { documentWith, type SelectionPlace, selectionPlaces } from "./selection-places.ts";
import { sqliteAlone } from "../sqlite-alone.ts";
import { calls, names, picking } from "./places.ts";

const own = sqliteAlone(
  "calls a function of the module for each record, which PostgreSQL rejects at the start",
);

for (const place of selectionPlaces) {
  test(`${place.name}: names that check accepts have a value`, own, async () => {
    const all = [...names, ...calls, ...picking].filter((name) => !name.includes("random("));
    const known = knownAt(place, all);
    const { model, diagnostics } = compile(documentWith(place, known), { file: "picked.md" });
    assert.deepEqual(
      diagnostics
        .filter((diagnostic) => diagnostic.severity === "error")
        .map((diagnostic) => diagnostic.message),
      [],
    );
    assert.ok(model && known.includes("now") && known.includes("this.shop.town"));
    const functions = { own: (text: unknown) => text as string };
    const service = await openService(model, { store: ":memory:", handlers: { functions } });
    try {
      const send = async (method: string, target: string, sent: object = { title: "second", extra: "e" }) => {
        const headers = Object.entries({
          "Content-Type": "application/json",
          "X-Note": "note",
          "X-Key": "key-of-ada-0001",
        });
        const body = method === "POST" ? JSON.stringify(sent) : "";
        return service.fetch(createRequest({ method, target, headers, body }));
      };
      const key = JSON.stringify({ label: "card", secret: "key-of-ada-0001", user: 1 });
      const headers = [["Content-Type", "application/json"]] as const;
      await service.fetch(createRequest({ method: "POST", target: "/keys", headers, body: key }));
      const seen = await picked(place, known, send);
      assert.deepEqual(
        known.filter((_, at) => !seen.includes(`p${at}`)),
        [],
      );
      assert.ok(!seen.includes("middle"));
    } finally {
      await service.close();
    }
  });
}

type Send = (
  method: string,
  target: string,
  sent?: object,
) => Promise<{ readonly status: number; readonly body: unknown }>;

/**
 * Returns the codes of the records that were selected, or sorted after the non-matching records.
 */
async function picked(
  place: SelectionPlace,
  known: readonly string[],
  send: Send,
): Promise<readonly string[]> {
  if (place.mark === "PATH_WHERE") return pickedOneByOne(place, known, send);
  if (place.mark === "STORED") {
    const refused = await send(place.method, place.target, { code: "new" });
    return refused.status === 429 ? known.map((_, at) => `p${at}`) : [];
  }
  const answer = await send(place.method, place.target);
  assert.ok(answer.status < 300, `${answer.status} ${String(answer.body)}`);
  const reported = place.method === "POST" ? await send("GET", "/seen/a") : answer;
  const codes = JSON.parse(String(reported.body)) as readonly string[];
  return place.mark === "ORDER" ? codes.slice(codes.indexOf("middle") + 1) : codes;
}

async function pickedOneByOne(
  { method, target }: SelectionPlace,
  known: readonly string[],
  send: Send,
): Promise<readonly string[]> {
  const codes: string[] = [];
  for (const code of [...known.map((_, at) => `p${at}`), "middle"]) {
    const { status } = await send(method, `${target.replace("{code}", code)}?q=q`);
    if (status === 200) codes.push(code);
  }
  return codes;
}

/**
 * Returns the names without a mistake. If a mistake concerns the whole expression, bisection finds
 * them.
 */
function knownAt(place: SelectionPlace, requested: readonly string[]): readonly string[] {
  const text = documentWith(place, requested);
  const wrong = compile(text, { file: "picked.md" }).diagnostics.filter(
    (diagnostic) => diagnostic.severity === "error",
  );
  if (wrong.length === 0 || requested.length === 0) return requested;
  const known = requested.filter((name, at) => {
    const start = text.indexOf(`"p${at}" && (`) + `"p${at}" && (`.length;
    return !wrong.some(
      ({ position }) => position.start.offset >= start && position.start.offset <= start + name.length,
    );
  });
  if (known.length < requested.length) return knownAt(place, known);
  if (requested.length === 1) return [];
  const middle = Math.ceil(requested.length / 2);
  return [requested.slice(0, middle), requested.slice(middle)].flatMap((half) => knownAt(place, half));
}
