/**
 * Conflict order: if a record violates several keys, every store reports the same one: the
 * identifier first, then the table's first key.
 */
import assert from "node:assert/strict";
import { Conflict, type Store } from "../../src/store/store.ts";
import type { Value } from "../../src/expressions/value.ts";
import { field, model, resource } from "../../src/store/test-model.ts";
import { onEachStore } from "./each-store.ts";

const unique = { rules: [{ rule: "unique" as const }] };
const box = model([
  resource("Box", [
    field("size", "integer", unique),
    field("name", "string", unique),
    field("note", "string"),
  ]),
]);

async function blamed(store: Store, fields: Readonly<Record<string, Value>>): Promise<readonly string[]> {
  const error: unknown = await store
    .write(async (transaction) => transaction.insert("Box", fields))
    .catch((reason: unknown) => reason);
  assert.ok(error instanceof Conflict);
  return error.fields;
}

onEachStore("the first of several violated keys is reported", async (open) => {
  const store = await open(box);
  await store.write(async (transaction) =>
    transaction.insert("Box", { id: "a", size: 1, name: "x", note: null }),
  );
  assert.deepEqual(await blamed(store, { id: "a", size: 1, name: "x", note: null }), ["id"]);
  assert.deepEqual(await blamed(store, { id: "b", size: 1, name: "x", note: null }), ["size"]);
  assert.deepEqual(await blamed(store, { id: "b", size: 2, name: "x", note: null }), ["name"]);
});
