/** `ninefold data`: command tests. */
import assert from "node:assert/strict";
import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { emptyDocument } from "../empty-document.ts";
import { addressOf, served } from "../testing/served-command.ts";
import { runCommand } from "../testing/run-command.ts";
import { ownFolder } from "../../../test/own-folder.ts";

const folder = ownFolder("data");

const run = (...args: readonly string[]) => runCommand("data", ...args);

const file = join(folder, "people.md");
writeFileSync(
  file,
  emptyDocument("People").replace(
    /- Resources: not shown\n- Identifiers: not shown\n- Fields: not shown/,
    () => `### Person

- Identifier: id, given

| Field | Type | Rules |
|---|---|---|
| id | uuid | |
| mail | email | |
| pages | list of uri | |`,
  ),
);

const id = "019aa1b2-c3d4-7e5f-8a9b-0c1d2e3f4a5b";

test("an operator's values are read by the field's type, like a caller's", async () => {
  for (const [fields, message] of [
    [`id = "${id}", mail = "ada"`, "Person.mail must be an email address"],
    [`id = "${id}", pages = ["https://a.example/", "over there"]`, "Person.pages must be an absolute URI"],
  ] as const) {
    const { code, complaints } = await run("add", file, "Person", fields);
    assert.notEqual(code, 0);
    assert.match(complaints, new RegExp(message));
  }
  const added = await run(
    "add",
    file,
    "Person",
    `id = "${id.toUpperCase()}", mail = "ada@example.org"`,
    "--json",
  );
  assert.equal(added.code, 0);
  // A UUID is stored in lower case, so that a query finds it in any case.
  assert.equal(JSON.parse(added.out).id, id);
  const edited = await run("edit", file, "Person", id, `mail = "no-address"`);
  assert.notEqual(edited.code, 0);
  assert.match(edited.complaints, /Person\.mail must be an email address/);
});

const examples = join(import.meta.dirname, "../../../examples");
const desk = join(folder, "desk.md");
copyFileSync(join(examples, "parcel-desk.md"), desk);

interface Parcel {
  readonly id: string;
  readonly status: string;
  readonly price: number;
  readonly reference: string | null;
}

test("records are found, shown and changed in a store that is being served, and in one that isn't", async () => {
  const service = served([desk, "--seed", join(examples, "parcel-desk.seed.md"), "--log", "none"]);
  await addressOf(service);
  await workOnParcels("A-1001");
  service.child.kill("SIGKILL");
  await service.ended;
  // A killed process has left its address in the store's folder, and no process answers there.
  await workOnParcels("A-1002");
});

async function workOnParcels(reference: string): Promise<void> {
  const listed = await run("list", desk, "Parcel", "--json", "--where", `this.reference == "${reference}"`);
  assert.equal(listed.code, 0, listed.complaints);
  const [parcel, ...others] = JSON.parse(listed.out) as readonly [Parcel];
  assert.deepEqual(others, []);
  // The computed price is shown, and long values are complete.
  assert.ok(parcel.price > 490);
  const edited = await run("edit", desk, "Parcel", parcel.id, 'recipient = "Gra" + "ce"');
  assert.match(edited.out, /recipient {4} *Grace\n/, edited.complaints);
  const shown = await run("show", desk, "Parcel", parcel.id);
  assert.match(shown.out, /recipient +Grace\n/);
  const refused = await run("run", desk, "Parcel", parcel.id, "lapse");
  assert.equal(refused.code, 1);
  assert.match(refused.complaints, /^ninefold data: .*lapse.* Nothing was changed\.\n$/);
  const misspelt = await run("run", desk, "Parcel", parcel.id, "delivr");
  assert.match(misspelt.complaints, /has no transition "delivr" \(did you mean deliver\?\)\. Nothing/);
}

test("a transition is fired as by a call, and its event is in the record's history", async () => {
  const [parcel] = JSON.parse(
    (await run("list", desk, "Parcel", "--json", "--where", 'this.status == "registered"')).out,
  ) as readonly [Parcel];
  const taken = await run("run", desk, "Parcel", parcel.id, "collect", "--json");
  assert.equal(JSON.parse(taken.out).status, "in_transit", taken.complaints);
  assert.match((await run("show", desk, "Parcel", parcel.id, "--history")).out, / parcel\.collected\n/);
});

test("a list has pages, columns, an order, and a CSV form", async () => {
  const first = await run(
    "list",
    desk,
    "Parcel",
    "--columns",
    "price,address.city",
    "--sort",
    "price",
    "--limit",
    "2",
    "--csv",
  );
  assert.equal(first.out.split("\r\n").length, 4);
  assert.match(first.out, /^price,address\.city\r\n535,Nuenen\r\n/);
  const cursor = /--cursor=(\S+)/.exec(first.complaints)?.[1] as string;
  const second = await run(
    "list",
    desk,
    "Parcel",
    "--columns",
    "price",
    "--sort",
    "price",
    "--cursor",
    cursor,
  );
  assert.equal(second.out.trim().split("\n").length, 3);
});

test("a query that can't be run is reported with what to write", async () => {
  for (const [args, message, code] of [
    [
      ["Parcel", "--where", "this.prce > 5"],
      /where, character 6: Unknown field "prce".* Did you mean `price`\?\n/,
      1,
    ],
    [
      ["Parcel", "--where", "this.price"],
      /where, character 1: Expected true or false, but this is an integer/,
      1,
    ],
    [["Parcel", "--columns", "recipent"], /Unknown --columns field "recipent"\. Did you mean recipient\?/, 2],
    [
      ["Parcel", "--columns", "shop.name"],
      /shop of Parcel refers to a record of Shop, and a list can't follow references/,
      2,
    ],
    [
      ["Parcel", "--columns", "address.cty"],
      /Unknown --columns field "address\.cty"\. Did you mean address\.city\?/,
      2,
    ],
    [["Parcel", "--columns", "price.currency"], /price of Parcel is an integer, which has no part/, 2],
    [["Parcl"], /no resource Parcl\. Did you mean Parcel\?/, 1],
    [["Parcel", "--csv", "--json"], /can't be combined/, 2],
  ] as const) {
    const { complaints, out, ...ran } = await run("list", desk, ...args);
    assert.match(`${complaints}${out}`, message);
    assert.equal(ran.code, code);
  }
});

test("a record whose identifier has no stated creation is seeded and added with a given one", async (t) => {
  const notes = join(folder, "notes.md");
  const resource = `### Note

- Identifier: id, made by not shown

| Field | Type | Rules |
|---|---|---|
| id | integer | |
| text | string | required |`;
  writeFileSync(
    notes,
    emptyDocument("Notes").replace(
      /- Resources: not shown\n- Identifiers: not shown\n- Fields: not shown/,
      () => resource,
    ),
  );
  const seed = join(folder, "notes.seed.md");
  writeFileSync(seed, '# Notes\n\n- Given: `Note with id = 7, text = "seven"`\n');
  const service = served([notes, "--seed", seed, "--log", "none"]);
  t.after(async () => {
    service.child.kill("SIGKILL");
    await service.ended;
  });
  await addressOf(service);
  const added = await run("add", notes, "Note", 'id = 8, text = "eight"', "--json");
  assert.equal(JSON.parse(added.out).id, 8, added.complaints);
  const refused = await run("add", notes, "Note", 'text = "nine"');
  assert.equal(refused.code, 1);
  assert.match(refused.complaints, /Note: the document does not show how the identifier of Note is created/);
  const listed = await run("list", notes, "Note", "--json");
  assert.deepEqual(
    JSON.parse(listed.out).map(({ id: parcelId }: { id: number }) => parcelId),
    [8, 7],
  );
});
