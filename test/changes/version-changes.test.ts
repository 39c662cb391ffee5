/**
 * Version changes: their effect on stored records, including versions that are written in several
 * edits.
 */
import assert from "node:assert/strict";
import { planStoreFor, planStoresOf } from "../../src/store/index.ts";
import { documentOf, modelOf, resource, value } from "./desk.ts";
import { changed, refused, rowsOf, type Stored, testOnEach, reportedAtOpening } from "./support.ts";

const vendor = (rows: readonly string[], ...changes: readonly string[]) =>
  documentOf(resource("Vendor", "iban | string | required", ...rows)).replace(
    "- Scheme: none\n",
    `- Scheme: header V
- Default: current

| Version | Status |
|---|---|
| 2026-11-01 | current |
| 2026-06-01 | supported |

### Changes in 2026-11-01

${changes.map((change) => `- ${change}\n`).join("")}`,
  );

const memo = ["memo | string |", "cents | integer |", "size | object |", "size.wide | integer |"];
const described = ["description | string |", "cents | integer |", "size | object |", "size.wide | integer |"];
const stored: Stored = [["Vendor", { id: "a", iban: "NL1", memo: "x", cents: 150, size: { wide: 3 } }]];
const fine = "Renamed: Vendor.account to Vendor.iban";
const described_ = "Renamed: Vendor.memo to Vendor.description";

async function planOf(path: string, document: string) {
  const { steps, refused, warnings } = await planStoreFor(modelOf(document), path, {
    isRunning: () => false,
  });
  assert.equal(refused?.message, undefined);
  return { lines: steps.map(({ name, lines }) => [name, ...lines.map(({ text }) => text)]), warnings };
}

testOnEach("a rename added to an applied version is applied and reported", async () => {
  const before = vendor(memo, fine);
  const then = vendor(described, fine, described_);
  const { path, reported } = await changed(before, stored, before);
  assert.deepEqual(reported, []);
  assert.deepEqual(await planOf(path, then), {
    lines: [["2026-11-01", "Vendor.memo is renamed to Vendor.description: 1 record"]],
    warnings: [],
  });
  await reportedAtOpening(then, path);
  assert.deepEqual(await rowsOf(path, "SELECT description FROM Vendor"), [["x"]]);
  // Later commands report nothing.
  assert.deepEqual(await planOf(path, then), { lines: [], warnings: [] });
  assert.deepEqual(await reportedAtOpening(then, path), []);
  const from = planStoresOf(modelOf(before), modelOf(then));
  assert.deepEqual(
    [from.refused, from.warnings, from.steps.map(({ name }) => name)],
    [undefined, [], ["2026-11-01"]],
  );
});

testOnEach("a conversion that the store has applied is not applied again with a later rename", async () => {
  const euros = "Replaced: Vendor.euros, new `double(old) / 100`, old `round(new * 100)`, stored";
  const cents = "Renamed: Vendor.cents to Vendor.euros";
  const inEuros = (rows: readonly string[]) =>
    rows.map((row) => row.replace("cents | integer", "euros | number"));
  const first = vendor(inEuros(memo), cents, euros);
  const { path } = await changed(vendor(memo), stored, first);
  assert.deepEqual(await rowsOf(path, "SELECT euros FROM Vendor"), [[1.5]]);
  const parts = "Renamed: Vendor.size.wide to Vendor.size.width";
  const then = vendor(
    inEuros(described).map((row) => row.replace("wide", "width")),
    cents,
    euros,
    described_,
    parts,
  );
  assert.deepEqual((await planOf(path, then)).warnings, []);
  await reportedAtOpening(then, path);
  assert.deepEqual(await rowsOf(path, "SELECT euros, description FROM Vendor"), [[1.5, "x"]]);
  const [[size]] = (await rowsOf(path, "SELECT size FROM Vendor")) as [[string]];
  assert.deepEqual(JSON.parse(size), { width: 3 });
  assert.deepEqual(await planOf(path, then), { lines: [], warnings: [] });
  // Other edits of the version are reported.
  const other = then.replace("/ 100`", "/ 1000`");
  assert.match((await planOf(path, other)).warnings.join(), /2026-11-01 differs from its text/);
});

testOnEach("what `Replaced` converts in a list of values has its types", async () => {
  const line = value("Line", "quantity | decimal | required", "price | decimal | required");
  const withLines = (text: string) => text.replace("### Vendor", `${line}\n### Vendor`);
  const lines = [
    { quantity: "3", price: "1.50" },
    { quantity: "1", price: "10.00" },
  ];
  const { path } = await changed(
    withLines(vendor(["lines | list of Line |"])),
    [["Vendor", { id: "a", iban: "NL1", lines }]],
    withLines(
      vendor(
        ["total | decimal |"],
        "Renamed: Vendor.lines to Vendor.total",
        "Replaced: Vendor.total, new `decimal(fixed(old.sum(l, l.quantity * l.price), 2))`, old `[]`, stored",
      ),
    ),
  );
  assert.deepEqual(await rowsOf(path, "SELECT total FROM Vendor"), [["14.50"]]);
});

testOnEach("a computed field that a version renames is not stored without a value", async () => {
  const computed = ["memo | string |", "label | string | = `this.memo + this.iban`"];
  const title = "Renamed: Vendor.label to Vendor.title";
  const before = vendor(computed, fine);
  const then = vendor(["description | string |", "title | string |"], fine, described_, title);
  const own: Stored = [["Vendor", { id: "a", iban: "NL1", memo: "x" }]];
  const { obstacles, paste, path } = await refused(before, own, then);
  assert.deepEqual(obstacles, [
    "Vendor.title was computed when read (`this.description + this.iban`) and is now stored, and 1 Vendor has no stored value",
  ]);
  assert.equal(paste.at(-1), "- For each Vendor: `title = old.description + old.iban`");
  await reportedAtOpening(`${then}\n${paste.join("\n")}\n`, path);
  assert.deepEqual(await rowsOf(path, "SELECT description, title FROM Vendor"), [["x", "xNL1"]]);
  // The rename is refused, too, if the store has applied the version before.
  const kept = ["memo | string |", "title | string |"];
  assert.deepEqual((await refused(before, own, vendor(kept, fine, title))).obstacles, [
    "Vendor.title was computed when read (`this.memo + this.iban`) and is now stored, and 1 Vendor has no stored value",
  ]);
});
