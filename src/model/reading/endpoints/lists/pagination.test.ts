/** `Pagination` (part 4): unit tests. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createReporter } from "../../../../diagnostics/diagnostic.ts";
import { phraseOf } from "../../../../source/phrase.ts";
import { createSource, positionOf } from "../../../../source/source.ts";
import type { BuildContext } from "../../any-part/context.ts";
import { nullLedger } from "../../any-part/null-ledger.ts";
import { pageParameters, readPagination } from "./pagination.ts";

function read(value: string) {
  const source = createSource("test.md", `Pagination: ${value}`);
  const reporter = createReporter(source);
  const start = "Pagination: ".length;
  const item = {
    kind: "item",
    key: phraseOf(source, 0, start - 2),
    value: phraseOf(source, start, source.text.length),
    position: positionOf(source, 0, source.text.length),
  } as const;
  const context = { reporter, ledger: nullLedger } as unknown as BuildContext;
  const { position: _, ...pagination } = readPagination(item, context) ?? { position: undefined };
  return { pagination, reported: reporter.diagnostics.map((diagnostic) => diagnostic.code) };
}

test("every form is read, with its parameters by role", () => {
  const cases = [
    [
      "cursor (size: limit, after: after, before: before)",
      { kind: "cursor", size: "limit", after: "after", before: "before", links: false },
    ],
    [
      "cursor (size: limit, at: cursor), with Link",
      { kind: "cursor", size: "limit", at: "cursor", links: true },
    ],
    [
      "identifier (size: limit, after: starting_after)",
      { kind: "identifier", size: "limit", after: "starting_after", links: false },
    ],
    [
      "page (page: page, size: per_page)",
      { kind: "page", page: "page", size: "per_page", from: 1, links: false },
    ],
    ["page from 0 (page: Page)", { kind: "page", page: "Page", from: 0, links: false }],
    [
      "offset (offset: offset, size: limit)",
      { kind: "offset", offset: "offset", size: "limit", from: 0, links: false },
    ],
    ["offset from 1 (offset: startIndex)", { kind: "offset", offset: "startIndex", from: 1, links: false }],
    ["none", { kind: "none", links: false }],
  ] as const;
  for (const [text, expected] of cases)
    assert.deepEqual(read(text), { pagination: expected, reported: [] }, text);
});

test("a missing, misspelt or duplicate item is reported", () => {
  const cases = [
    ["cursr (after: a)", "endpoints/unknown-word"],
    ["cursor (after: a, limit: b)", "endpoints/unknown-role"],
    ["page (size: a)", "endpoints/missing-role"],
    ["offset (offset: a, size: a)", "endpoints/role-twice"],
    ["cursor (after)", "endpoints/unreadable"],
    ["offset from 2 (offset: a)", "endpoints/unreadable"],
    ["cursor from 1 (after: a)", "endpoints/unreadable"],
    ["cursor", "endpoints/unreadable"],
    ["cursor (after: a), with Links", "endpoints/unreadable"],
    ["none (after: a)", "endpoints/unreadable"],
  ] as const;
  for (const [text, code] of cases) assert.deepEqual(read(text), { pagination: {}, reported: [code] }, text);
});

test("the parameters are in `query` with their types", () => {
  const { pagination } = read("page (page: page, size: per_page)");
  assert.deepEqual(pageParameters(pagination as never), {
    page: { kind: "integer" },
    per_page: { kind: "integer" },
  });
  assert.deepEqual(pageParameters(undefined), {});
});
