/** A write that the server rejects doesn't affect the other writes of its batch. */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Frame } from "../../src/expressions/value.ts";
import { openStore } from "../../src/store/index.ts";
import type { Store } from "../../src/store/store.ts";
import { statementOf } from "../../src/store/test-files.ts";
import { meaningOf } from "../../src/model/meaning.ts";
import { field, model, resource } from "../../src/store/test-model.ts";
import { freshSchema, type Schema } from "./server.ts";

const frame = {} as Frame;
const notes = model([resource("Note", [field("text", "string")])]);
let schema: Schema;
let store: Store;
before(async () => {
  schema = await freshSchema();
  store = await openStore(notes, meaningOf(notes), { path: schema.url });
});
after(async () => {
  await store.close();
  await schema.drop();
});

for (const repeatable of [false, true])
  test(`a write whose read fails changes nothing, and the others of its batch are stored: ${repeatable ? "all can be done again" : "none can be done again"}`, async () => {
    const insert = (id: string) =>
      store.write(
        async (transaction) => transaction.insert("Note", { id: `${id} ${repeatable}`, text: "a" }),
        {
          repeatable,
        },
      );
    const failing = () =>
      store.write(async (transaction) => transaction.value(statementOf("SELECT 1 / 0"), frame), {
        repeatable,
      });
    const writes = [failing(), insert("1"), failing(), insert("2"), insert("3")];
    const outcomes = await Promise.allSettled(writes);
    assert.deepEqual(
      outcomes.map((outcome) => (outcome.status === "rejected" ? outcome.reason.message : "stored")),
      ["division by zero", "stored", "division by zero", "stored", "stored"],
    );
    const listed = statementOf(
      `SELECT string_agg(id, ', ' ORDER BY id) FROM "Note" WHERE id LIKE '% ${repeatable}'`,
    );
    assert.equal(
      await store.session.value(listed, frame),
      ["1", "2", "3"].map((id) => `${id} ${repeatable}`).join(", "),
    );
  });
