/**
 * Fields that every write sets, though they aren't `required`: no record has null there, whatever the store had
 * before the field got its `default` or `on create`.
 */
import assert from "node:assert/strict";
import { documentOf, resource } from "./desk.ts";
import {
  change,
  changed,
  kept,
  refused,
  reportedAtOpening,
  rowsOf,
  type Stored,
  testOnEach,
} from "./support.ts";

const item = (rules: string, ...changes: readonly string[]) =>
  documentOf(
    resource("Item", "name | string | required, unique", `count | integer | ${rules}`),
    changes.join(""),
  );
const two: Stored = [
  ["Item", { id: "a", name: "Ada", count: null }],
  ["Item", { id: "b", name: "Bob", count: 2 }],
];

testOnEach("a field that gets a constant default has it in all records", async () => {
  const then = item("default 0");
  const { obstacles, paste, path } = await refused(item(""), two, then);
  assert.deepEqual(obstacles, [
    "Item.count now has a value in every new record (`nullable` in its row allows null), and 1 Item has no value (a)",
  ]);
  assert.deepEqual(paste, [
    "### Stored change: count",
    "",
    "- For each Item: `count = 0 when old.count == null`",
  ]);
  await reportedAtOpening(then.replace(/\n$/, `\n${paste.join("\n")}\n`), path);
  assert.deepEqual(await rowsOf(path, "SELECT id, count FROM Item ORDER BY id"), [
    ["a", 0],
    ["b", 2],
  ]);
});

testOnEach("the records are checked wherever every write sets the field", async () => {
  for (const rules of ["on create 1", "default size(this.name)", "default 0, on update 1"]) {
    const { obstacles } = await refused(item(""), two, item(rules));
    assert.match(obstacles.join("\n"), /^Item\.count now has a value .* 1 Item has no value \(a\)$/, rules);
  }
  for (const rules of [
    "default 0, nullable",
    "on create int(this.name)",
    "default 0, on update int(this.name)",
  ])
    await changed(item(""), two, item(rules));
  const whole = two.filter(([, { count }]) => count !== null);
  for (const rules of ["default 0", "on create 1"]) await changed(item(""), whole, item(rules));
});

testOnEach("an input or effect that may clear the field allows null", async () => {
  const cleared = (...items: readonly string[]) =>
    item("default 0").replace(
      "## Endpoints\n",
      `## Endpoints

### POST /items/{id}/clearing

- Does: update Item
- Allowed: anyone
${items.map((line) => `${line}\n`).join("")}- Returns: 204 nothing
`,
    );
  const nullable =
    "\n| Input | In | Type | Rules | Field |\n|---|---|---|---|---|\n| number | body | | nullable | count |\n\n";
  for (const text of [
    cleared("- Set: `count = null`"),
    cleared(nullable),
    cleared('- Set: `count = null when this.name == "x"`'),
  ])
    await changed(item(""), two, text);
  await refused(item(""), two, cleared("- Set: `count = 2`"));
});

testOnEach(
  "a new field that every write sets needs a stored change, unless it has a constant default",
  async () => {
    const before = documentOf(resource("Item", "name | string | required"));
    const stored: Stored = [["Item", { id: "a", name: "Ada" }]];
    for (const rules of ["on create 1", "default size(this.name)"]) {
      const { obstacles, paste } = await refused(before, stored, item(rules));
      assert.deepEqual(obstacles, [
        "Item.count is new, and has a value in every new record (`nullable` in its row allows null), and 1 Item exists",
      ]);
      assert.deepEqual(paste.slice(2), ["- For each Item: `count = VALUE`"]);
      await changed(before, [], item(rules));
    }
    const { path } = await changed(before, stored, item("default 7"));
    assert.deepEqual(await rowsOf(path, "SELECT count FROM Item"), [[7]]);
  },
);

testOnEach("a stored change never leaves null in such a field", async () => {
  const messages = async (step: string) => {
    const withDrafts = (text: string) => text.replace("### Item", `${resource("Draft")}\n### Item`);
    const path = await kept(withDrafts(item("default 0")), [...two.slice(1), ["Draft", { id: "b" }]]);
    const text = withDrafts(item("default 0", change("again", step)));
    return reportedAtOpening(text, path).then(
      () => "",
      (error: Error) => error.message,
    );
  };
  assert.match(await messages("For each Item: `count = null`"), /count has a value in every new record/);
  assert.match(
    await messages('For each Item: `create Item with id = old.id + "2", name = "New", count = null`'),
    /count has a value in every new record/,
  );
  assert.match(
    await messages('For each Draft: `upsert Item with id = old.id, name = "Bob", count = null`'),
    /count has a value in every new record/,
  );
  assert.equal(await messages('For each Item: `create Item with id = old.id + "2", name = "New"`'), "");
});

testOnEach("a step that sets the field in some records leaves null in none of the others", async () => {
  const then = item("default 0", change("some", 'For each Item: `count = 5 when old.name == "Bob"`'));
  const { obstacles } = await refused(item(""), two, then);
  assert.match(
    obstacles.join("\n"),
    /^Item\.count has a value in every new record, and 1 Item breaks that.*a/,
  );
});
