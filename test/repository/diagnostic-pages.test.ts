/** Diagnostic pages: every code has a page, every page has a code, and each page is current. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { diagnosticPages } from "../../scripts/diagnostic-page-texts.ts";
import { codes } from "../../src/diagnostics/codes/index.ts";
import { pathOf } from "./repository.ts";

const folder = pathOf("docs/diagnostics");
const written = readdirSync(folder, { recursive: true, encoding: "utf8" })
  .map((path) => path.replaceAll("\\", "/"))
  .filter((path) => path.endsWith(".md"))
  .sort();

test("every diagnostic has a page, and every page a diagnostic", () => {
  const expected = ["README.md", ...Object.keys(codes).map((code) => `${code}.md`)].sort();
  assert.deepEqual(written, expected, "run `npm run diagnostic-pages`");
});

test("the pages of diagnostics are current", () => {
  const stale = [...diagnosticPages()].filter(
    ([path, text]) => !written.includes(path) || readFileSync(`${folder}/${path}`, "utf8") !== text,
  );
  assert.deepEqual(
    stale.map(([path]) => path),
    [],
    "run `npm run diagnostic-pages`, and read what it changed",
  );
});
