/**
 * `any case` added to a field or removed from it: rules that read the field, and references to the
 * records that it identifies, mean something else from then on.
 */
import assert from "node:assert/strict";
import { documentOf, resource } from "./desk.ts";
import { changed, refused, rowsOf, type Stored, testOnEach } from "./support.ts";

const always = (item: string): string => item.replace("given\n", 'given\n- Always: `this.code != "none"`\n');
const fails = (item: string): string =>
  item.replace("given\n", 'given\n- Fails: x when `this.code == "none"`\n');
/** With the code that `Fails` names. */
const docOf = (resources: string): string =>
  documentOf(resources).replace(
    "## Errors\n",
    "## Errors\n\n- Payload shape: problem details\n\n| Code | Status | When | Message |\n|---|---|---|---|\n| x | 422 | | x |\n",
  );
const items = (rules: string): string => resource("Item", `code | string | ${rules}`);
const stored: Stored = [
  ["Item", { id: "1", code: "NONE" }],
  ["Item", { id: "2", code: "x" }],
];

for (const [kind, ruled] of Object.entries({ Always: always, Fails: fails }))
  testOnEach(`an unchanged \`${kind}\` is checked again if its field ignores case`, async () => {
    const error = await refused(
      docOf(ruled(items("required"))),
      stored,
      docOf(ruled(items("required, any case"))),
    );
    assert.match(error.obstacles.join("\n"), new RegExp(`^Item 1: \`${kind}: .*none.*\` `));
  });

testOnEach("a rule that reads the field through a reference or a computed field, too", async () => {
  const holders = resource("Holder", "item | Item |", 'free | boolean | = `this.item.code != "none"`');
  for (const rule of ['this.item.code != "none"', "this.free"]) {
    const holder = holders.replace("given\n", `given\n- Always: \`${rule}\`\n`);
    const error = await refused(
      documentOf(items("required") + holder),
      [...stored, ["Holder", { id: "h", item: "1" }]],
      documentOf(items("required, any case") + holder),
    );
    assert.match(error.obstacles.join("\n"), /^Holder h: `Always: /);
  }
});

testOnEach("records that keep the rule don't prevent the start", async () => {
  const [, kept] = stored;
  const { path, reported } = await changed(
    documentOf(always(items("required"))),
    kept ? [kept] : [],
    documentOf(always(items("required, any case"))),
  );
  assert.deepEqual(reported, []);
  assert.deepEqual(await rowsOf(path, "SELECT code FROM Item"), [["x"]]);
});
