/** CSV reader and writer. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { CsvProblem, csvRow, readCsv } from "./csv.ts";

async function read(...pieces: readonly string[]) {
  const rows = [];
  for await (const { line, cells } of readCsv(pieces))
    rows.push([line, ...cells.map(({ text, isQuoted }) => (isQuoted ? [text] : text))]);
  return rows;
}

test("cells, quotes, line ends of each kind, and empty lines", async () => {
  assert.deepEqual(await read('a,b\r\n1,"x, ""y""\n2"\n\n,""\r3'), [
    [1, "a", "b"],
    [2, "1", ['x, "y"\n2']],
    [5, "", [""]],
    [6, "3"],
  ]);
  assert.deepEqual(await read("\ufeffa\n"), [[1, "a"]]);
});

test("the rows don't depend on how the text is split into pieces", async () => {
  const text = 'a,"b""c"\r\n"d\r\ne",f\r\n';
  const whole = await read(text);
  for (let at = 0; at <= text.length; at += 1)
    assert.deepEqual(await read(text.slice(0, at), text.slice(at)), whole);
});

test("written rows are parsed to the same values", async () => {
  const cells = ["", null, "a", 'b"', "c,d", "e\r\nf", " g "];
  assert.deepEqual(await read(csvRow(cells)), [[1, [""], "", "a", ['b"'], ["c,d"], ["e\r\nf"], [" g "]]]);
});

test("a misplaced quote is reported with its line", async () => {
  for (const [text, line] of [
    ['a\n"b', 2],
    ['a\nb"', 2],
    ['"a"b', 1],
  ] as const)
    await assert.rejects(read(text), (error) => error instanceof CsvProblem && error.line === line);
});
