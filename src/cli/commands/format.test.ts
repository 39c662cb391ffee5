import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { compile } from "../../compile.ts";
import { createReporter } from "../../diagnostics/diagnostic.ts";
import { createSource } from "../../source/source.ts";
import { formatDocument } from "../../syntax/format.ts";

/** Plain data without places, which formatting moves. */
function withoutPlaces(value: unknown): unknown {
  return JSON.parse(JSON.stringify(value, (key, one) => (key === "position" ? undefined : one)));
}

const folder = new URL("../../../examples/", import.meta.url);

for (const file of readdirSync(folder).filter((name) => /^[^.]+\.md$/.test(name))) {
  test(`formatting ${file} leaves its model alone`, () => {
    const text = readFileSync(new URL(file, folder), "utf8");
    const source = createSource(file, text);
    const printed = formatDocument(source, createReporter(source));
    assert.deepEqual(
      withoutPlaces(compile(printed, { file }).model),
      withoutPlaces(compile(text, { file }).model),
    );
    const again = createSource(file, printed);
    assert.equal(formatDocument(again, createReporter(again)), printed);
  });
}
