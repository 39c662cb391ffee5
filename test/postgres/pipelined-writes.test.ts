/**
 * Pipelined writes: repeatable writes send their changes without awaiting results, and store the
 * same as writes that await each one.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import type { Frame } from "../../src/expressions/value.ts";
import { openStore } from "../../src/store/index.ts";
import { Conflict, type Store } from "../../src/store/store.ts";
import { statementOf } from "../../src/store/test-files.ts";
import { meaningOf } from "../../src/model/meaning.ts";
import { field, model, resource } from "../../src/store/test-model.ts";
import { freshSchema, type Schema } from "./server.ts";

const frame = {} as Frame;
const notes = model([resource("Note", [field("text", "string", { rules: [{ rule: "unique" }] })])]);
const repeatable = { repeatable: true };
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

const texts = () =>
  store.session.value(statementOf(`SELECT string_agg("text", ' ' ORDER BY id) FROM "Note"`), frame);

test("concurrent writes create, change, schedule and delete records", async () => {
  const write = (id: string) =>
    store.write(async (transaction) => {
      const made = await transaction.insert("Note", { id, text: id });
      const changed = await transaction.update("Note", made, { text: `${id}!` });
      await transaction.system.setTimer(
        { resource: "Note", row: made["#row"], transition: "end", end: 0 },
        5,
      );
      await transaction.insert("Note", { id: `${id} gone`, text: `${id} gone` });
      return changed;
    }, repeatable);
  const made = await Promise.all(["a", "b", "c"].map(write));
  assert.deepEqual(
    made.map((record) => record["#revision"]),
    [2, 2, 2],
  );
  assert.equal(await texts(), "a! a gone b! b gone c! c gone");
  const due = await store.session.system.dueTimers(5, 10);
  assert.deepEqual(due.map(({ row }) => row).toSorted(), made.map((record) => record["#row"]).toSorted());
  const [first] = made;
  assert.ok(first);
  await store.write(async (transaction) => {
    await transaction.system.clearTimers("Note", first["#row"]);
    await transaction.delete("Note", first);
  }, repeatable);
  assert.equal(await texts(), "a gone b! b gone c! c gone");
  assert.equal((await store.session.system.dueTimers(5, 10)).length, 2);
});

test("nested savepoints are rolled back, and later records get the next numbers", async () => {
  const rows = await store.write(async (transaction) => {
    const record = await transaction.insert("Note", { id: "1", text: "one" });
    await transaction.part(async () => {
      await transaction.insert("Note", { id: "2", text: "two" });
      await assert.rejects(
        transaction.part(async () => {
          await transaction.insert("Note", { id: "3", text: "three" });
          await transaction.insert("Note", { id: "4", text: "one" });
        }),
        Conflict,
      );
      await transaction.insert("Note", { id: "5", text: "five" });
    });
    const last = await transaction.insert("Note", { id: "6", text: "six" });
    return [record["#row"], last["#row"]];
  }, repeatable);
  assert.match(String(await texts()), /^one two five six /);
  assert.ok((rows[1] as number) > (rows[0] as number));
});

test("a rejected promise is reported once, and the work is not repeated for it", async () => {
  const done: string[] = [];
  const event = (row: number, subject: string) => ({
    id: `evt_${subject}`,
    type: "note.made",
    time: "2026-11-20T10:00:00.000Z",
    resource: "Note",
    row,
    subject,
    payload: "{}",
  });
  const write = (id: string) =>
    store.write(async (transaction) => {
      done.push(id);
      const made = await transaction.insert("Note", { id, text: id });
      await transaction.system.appendEvents([event(made["#row"], id)]);
    }, repeatable);
  for (const id of ["t1", "t2", "t3"]) await write(id);
  assert.deepEqual(done, ["t1", "t2", "t3"]);
  const reported = statementOf(`SELECT string_agg(subject, ' ' ORDER BY sequence) FROM ninefold_events`);
  assert.equal(await store.session.value(reported, frame), "t1 t2 t3");
});
