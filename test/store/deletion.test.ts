/** Deletion in every store: `on delete`, marked records, erasure. */
import assert from "node:assert/strict";
import { onEachStore } from "./each-store.ts";
import type { Frame, RecordValue, Value } from "../../src/expressions/value.ts";
import type { FieldRule } from "../../src/fields/rule.ts";
import type { FieldType } from "../../src/fields/type.ts";
import { planRecordByRow } from "../../src/engine/records/record-by-row.ts";
import { Conflict, type DeletedRecord, type Store } from "../../src/store/store.ts";
import { statementOf } from "../../src/store/test-files.ts";
import { field, model, resource } from "../../src/store/test-model.ts";

const frame = {} as Frame;
const to = (name: string): FieldType => ({ kind: "reference", resource: name });
const onDelete = (then: "cascade" | "restrict" | "clear"): { rules: FieldRule[] } => ({
  rules: [{ rule: "on delete", then }],
});

async function fill(
  store: Store,
  records: readonly [string, Record<string, Value>][],
): Promise<Map<string, RecordValue>> {
  return store.write(async (transaction) => {
    const made = new Map<string, RecordValue>();
    for (const [name, fields] of records)
      made.set(String(fields["id"]), await transaction.insert(name, fields));
    return made;
  });
}

function remove(
  store: Store,
  resourceName: string,
  record: RecordValue | undefined,
): Promise<readonly DeletedRecord[]> {
  return store.write(async (transaction) => transaction.delete(resourceName, record as RecordValue));
}

const reported = (gone: readonly DeletedRecord[]): string[] =>
  gone.map(
    ({ resource: name, before, deleted }) => `${name} ${before["id"]} ${deleted ? "deleted" : "changed"}`,
  );

onEachStore(
  "cascade deletes and clear empties, in fields and in lists, and all changes are returned",
  async (open) => {
    const store = await open(
      model([
        resource("Shop", []),
        resource("Parcel", [field("shop", to("Shop"), onDelete("cascade"))]),
        resource("Move", [
          field("parcel", to("Parcel"), onDelete("cascade")),
          field("shop", to("Shop"), onDelete("clear")),
        ]),
        resource("Tour", [field("parcels", { kind: "list", of: to("Parcel") }, onDelete("clear"))]),
      ]),
    );
    const made = await fill(store, [
      ["Shop", { id: "s1" }],
      ["Shop", { id: "s2" }],
      ["Parcel", { id: "p1", shop: "s1" }],
      ["Parcel", { id: "p2", shop: "s2" }],
      ["Move", { id: "m1", parcel: "p1", shop: "s2" }],
      ["Move", { id: "m2", parcel: "p2", shop: "s1" }],
      ["Tour", { id: "t1", parcels: ["p1", "p2"] }],
    ]);
    const gone = await remove(store, "Shop", made.get("s1"));
    assert.deepEqual(reported(gone), [
      "Shop s1 deleted",
      "Parcel p1 deleted",
      "Move m1 deleted",
      "Move m2 changed",
      "Tour t1 changed",
    ]);
    assert.deepEqual(gone.at(-1)?.after?.["parcels"], ["p2"]);
    assert.equal(gone.at(-2)?.after?.["#revision"], 2);
    assert.equal(
      await store.session.value(statementOf(`SELECT string_agg(id, ',') FROM "Move"`), frame),
      "m2",
    );
  },
);

onEachStore("restrict is the default, and nothing is changed", async (open) => {
  const store = await open(
    model([
      resource("Shop", []),
      resource("Parcel", [field("shop", to("Shop"), onDelete("cascade"))]),
      resource("Bill", [field("parcel", to("Parcel"))]),
    ]),
  );
  const made = await fill(store, [
    ["Shop", { id: "s1" }],
    ["Parcel", { id: "p1", shop: "s1" }],
    ["Bill", { id: "b1", parcel: "p1" }],
  ]);
  await assert.rejects(remove(store, "Shop", made.get("s1")), (error) => {
    assert.ok(error instanceof Conflict);
    assert.deepEqual([error.kind, error.resource, error.fields], ["in use", "Bill", ["parcel"]]);
    return true;
  });
  assert.equal(await store.session.value(statementOf(`SELECT count(*) FROM "Parcel"`), frame), 1);
});

onEachStore("a referenced record keeps its identifier", async (open) => {
  const store = await open(
    model([resource("Shop", []), resource("Parcel", [field("shop", to("Shop"), onDelete("cascade"))])]),
  );
  const made = await fill(store, [
    ["Shop", { id: "s1" }],
    ["Shop", { id: "s2" }],
    ["Parcel", { id: "p1", shop: "s1" }],
  ]);
  const renamed = (shop: string) =>
    store.write(async (transaction) =>
      transaction.update("Shop", made.get(shop) as RecordValue, { id: `${shop} of then` }),
    );
  await assert.rejects(renamed("s1"), (error) => {
    assert.ok(error instanceof Conflict);
    assert.deepEqual([error.kind, error.resource, error.fields], ["in use", "Parcel", ["shop"]]);
    return true;
  });
  assert.equal((await renamed("s2"))["id"], "s2 of then");
});

onEachStore("a record that is only marked is found by its row as any other", async (open) => {
  const notes = model([resource("Note", [], { deleted: "marked" })]);
  const store = await open(notes);
  const made = await fill(store, [
    ["Note", { id: "n1" }],
    ["Note", { id: "n2" }],
    ["Note", { id: "n3" }],
  ]);
  await remove(store, "Note", made.get("n2"));
  const byRow = planRecordByRow({ store });
  for (const [id, { "#row": row }] of made)
    assert.equal((await byRow("Note", row, store.session, frame))?.["id"], id);
});

onEachStore("references in another letter case are found", async (open) => {
  const nick = field("nick", "string", { role: "identifier", rules: [{ rule: "any case" }] });
  const store = await open(
    model([
      resource("Nick", [nick], { identifier: { kind: "given", field: "nick" } }),
      resource("Letter", [field("to", to("Nick"))]),
      resource("Note", [field("of", to("Nick"), onDelete("clear"))]),
    ]),
  );
  const [ada, bob] = await store.write(async (transaction) => {
    const made = [
      await transaction.insert("Nick", { nick: "Ada" }),
      await transaction.insert("Nick", { nick: "Bob" }),
    ];
    await transaction.insert("Letter", { id: "l1", to: "aDA" });
    await transaction.insert("Note", { id: "n1", of: "BOB" });
    return made;
  });
  await assert.rejects(remove(store, "Nick", ada), Conflict);
  const [gone, cleared] = await remove(store, "Nick", bob);
  assert.deepEqual(
    [gone?.before["nick"], cleared?.before["id"], cleared?.after?.["of"]],
    ["Bob", "n1", null],
  );
});

onEachStore("records that refer to each other and to themselves are deleted together", async (open) => {
  const store = await open(
    model([
      resource("A", [field("b", to("B"), onDelete("cascade")), field("self", to("A"))]),
      resource("B", [field("a", to("A"), onDelete("cascade"))]),
    ]),
  );
  const made = await fill(store, [
    ["A", { id: "a1" }],
    ["B", { id: "b1", a: "a1" }],
  ]);
  const a1 = await store.write(async (transaction) =>
    transaction.update("A", made.get("a1") as RecordValue, { b: "b1", self: "a1" }),
  );
  assert.deepEqual(reported(await remove(store, "A", a1)), ["A a1 deleted", "B b1 deleted"]);
  for (const name of ["A", "B"])
    assert.equal(await store.session.value(statementOf(`SELECT count(*) FROM "${name}"`), frame), 0);
  await assert.rejects(fill(store, [["B", { id: "b2", a: "unknown" }]]), Conflict);
});

onEachStore("references inside values, objects and joint identifiers are found", async (open) => {
  const lines: FieldType = {
    kind: "list",
    of: { kind: "object", parts: [{ name: "item", type: to("Item"), rules: [] }] },
  };
  const store = await open(
    model([
      resource("Item", []),
      resource("Order", [field("lines", lines), field("gift", { kind: "value", resource: "Gift" })]),
      resource("Gift", [field("like", to("Like"), onDelete("clear"))], { identifier: { kind: "none" } }),
      resource("Like", [field("user", "string"), field("item", "string")], {
        identifier: { kind: "joint", fields: ["user", "item"] },
      }),
    ]),
  );
  const made = await fill(store, [
    ["Item", { id: "i1" }],
    ["Item", { id: "i2" }],
    ["Order", { id: "o1", lines: [{ item: "i1" }], gift: { like: '["u","x"]' } }],
    ["Like", { user: "u", item: "x" }],
  ]);
  await assert.rejects(remove(store, "Item", made.get("i1")), Conflict);
  await remove(store, "Item", made.get("i2"));
  const [, order] = await remove(store, "Like", made.get("undefined"));
  assert.deepEqual(JSON.parse(JSON.stringify(order?.after?.["gift"])), { like: null });
});

onEachStore("a marked record stays with its unique values, and so do references to it", async (open) => {
  const store = await open(
    model([
      resource("Shop", [], { deleted: "marked" }),
      resource("Parcel", [field("shop", to("Shop"))]),
      resource("Key", [field("shop", to("Shop"), onDelete("cascade"))]),
    ]),
  );
  const made = await fill(store, [
    ["Shop", { id: "s1" }],
    ["Parcel", { id: "p1", shop: "s1" }],
    ["Key", { id: "k1", shop: "s1" }],
  ]);
  const gone = await remove(store, "Shop", made.get("s1"));
  assert.deepEqual(reported(gone), ["Shop s1 deleted", "Key k1 deleted"]);
  assert.equal(gone[0]?.after?.["#deleted"], true);
  await assert.rejects(fill(store, [["Shop", { id: "s1" }]]), Conflict);
});

onEachStore("a marked record may outlive its target despite cascade", async (open) => {
  const store = await open(
    model([
      resource("Post", []),
      resource("Comment", [field("post", to("Post"), onDelete("cascade"))], { deleted: "marked" }),
    ]),
  );
  const made = await fill(store, [
    ["Post", { id: "p1" }],
    ["Comment", { id: "c1", post: "p1" }],
  ]);
  assert.deepEqual(reported(await remove(store, "Post", made.get("p1"))), [
    "Post p1 deleted",
    "Comment c1 deleted",
  ]);
  assert.equal(await store.session.value(statementOf(`SELECT post FROM "Comment"`), frame), "p1");
});
