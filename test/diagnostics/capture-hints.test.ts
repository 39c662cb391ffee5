/** Hints for placeholders of scenarios: they say which names there are, and that none has parts. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { readFileSync } from "node:fs";
import { compile } from "../../src/compile.ts";

/** The hint for a target of the second request, which is sent after `shop` and `parcel` are known. */
function hintFor(target: string): string | undefined {
  const text = readFileSync("examples/parcel-desk.md", "utf8").replace(
    "/v1/parcels/{{parcel}}/collect",
    target,
  );
  const { diagnostics } = compile(text, { file: "desk.md" });
  return diagnostics.find(({ severity }) => severity === "error")?.hint;
}

test("a name with a part is answered with the name alone", () => {
  const hint = "Write `{{parcel}}`: a name stands for one value, that of a record for its identifier.";
  assert.equal(hintFor("/v1/parcels/{{parcel.id}}/collect"), hint);
});

test("an unknown name is answered with those that are known there", () => {
  const known = /Known here: `\{\{shop\}\}`, `\{\{parcel\}\}`\.$/;
  assert.match(hintFor("/v1/parcels/{{zz}}/collect") ?? "", known);
  assert.match(hintFor("/v1/parcels/{{my parcel}}/collect") ?? "", known);
  assert.match(hintFor("/v1/parcels/{{zz.id}}/collect") ?? "", known);
});
