/** Numbers of the event log: an aborted writer leaves no gap, whichever transaction is older. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { openStore } from "../../src/store/index.ts";
import { meaningOf } from "../../src/model/meaning.ts";
import { field, model, resource } from "../../src/store/test-model.ts";
import { freshSchema } from "./server.ts";

const notes = model([resource("Note", [field("text", "string")])]);
const append = (id: string) =>
  `SELECT ninefold_append(NULL, ARRAY['${id}'], ARRAY['made'], ARRAY['2026-11-20T10:00:00.000Z'], ARRAY['Note'], ARRAY[1],
    ARRAY[''], ARRAY['{}'], ARRAY[NULL])::int AS number`;

for (const which of ["older", "newer"] as const)
  test(`the number of an aborted writer is used again by ${which === "older" ? "an older" : "a newer"} transaction`, async (t) => {
    const schema = await freshSchema();
    const store = await openStore(notes, meaningOf(notes), { path: schema.url });
    t.after(async () => {
      await store.close();
      await schema.drop();
    });
    const [writer, aborted] = [await schema.connect(), await schema.connect()];
    const begin = "BEGIN ISOLATION LEVEL SERIALIZABLE; SELECT pg_current_xact_id()";
    if (which === "older") await writer.query(begin);
    await aborted.query(begin);
    assert.equal((await aborted.query(append("aborted"))).rows[0].number, 1);
    await aborted.query("ROLLBACK");
    if (which === "newer") await writer.query(begin);
    assert.equal((await writer.query(append("stored"))).rows[0].number, 1);
    await writer.query("COMMIT");
    assert.deepEqual(await store.session.system.logSpan(), { first: 1, last: 1 });
  });
