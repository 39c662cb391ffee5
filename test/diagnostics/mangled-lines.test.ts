/**
 * No text of a document is lost silently. Lines of the examples are mangled in the ways in which
 * people and word processors do it, and `check` reports every one that changes the model. This runs
 * a sample; NINEFOLD_RUNS=100 runs all.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { compile } from "../../src/compile.ts";
import { filesUnder, pathOf } from "../repository/repository.ts";

const item = /^- ([\p{L} -]+):/u;
const replacing =
  (form: RegExp, by: string) =>
  (line: string): string | undefined =>
    form.test(line) ? line.replace(form, by) : undefined;

/**
 * Ways of mangling. Each returns the mangled line, or undefined for a line that it does not apply
 * to.
 */
const mangles: Readonly<Record<string, (line: string) => string | undefined>> = {
  "an item without its dash": replacing(/^- /, ""),
  "an item without the blank": replacing(/^- /, "-"),
  "an item behind an en dash": replacing(/^- /, "– "),
  "an item behind an em dash": replacing(/^- /, "— "),
  "an item behind a bullet": replacing(/^- /, "• "),
  "an item with a number": replacing(/^- /, "1. "),
  "an item that is quoted": replacing(/^- /, "> - "),
  "an item that is a code block": replacing(/^- /, "    - "),
  "an item within another": replacing(/^- /, "  - "),
  "an item that is a heading": replacing(/^- /, "#### "),
  "a key in bold with its colon": replacing(item, "- **$1:**"),
  "a key in bold": replacing(item, "- **$1**:"),
  "a key as code": replacing(item, "- `$1`:"),
  "a key without its colon": replacing(item, "- $1"),
  "a key without dash and colon": replacing(item, "$1"),
  "a key with an equals sign": replacing(item, "- $1 ="),
  "a heading of level 4": replacing(/^### /, "#### "),
  "a heading of level 2": replacing(/^### /, "## "),
  "a part of level 3": replacing(/^## /, "### "),
  "a heading in bold": replacing(/^### (.*)$/, "**$1**"),
  "a heading without the blank": replacing(/^(##+) /, "$1"),
  "a row without bars at its ends": replacing(/^\| (.*) \|$/, "$1"),
  "a row behind an empty line": replacing(/^\| /, "\n| "),
  "a row that is a code block": replacing(/^\| /, "    | "),
  "a row that is quoted": replacing(/^\| /, "> | "),
  "a block of another language": replacing(/^```(?:cel|http)\b/, "```text"),
  "a block of no language": replacing(/^```(?:cel|http)\b/, "```"),
};

/**
 * Mangles every nth possible line. The step is a prime, so that every way of mangling meets every
 * kind of line.
 */
const step = Number(process.env["NINEFOLD_RUNS"] ?? 1) >= 100 ? 1 : 31;

/** Returns the model without text positions, which a mangled line moves. */
const meaningOf = (model: object | undefined) =>
  JSON.stringify({ ...model, text: "" }, (key, value) =>
    /^position$|At$|Position$/.test(key) ? undefined : value,
  );

for (const path of filesUnder("examples", ".md").filter((file) => !/\.seed\.md$|twins\//.test(file)))
  test(`${path}: every mangled line that changes the model is reported`, () => {
    const text = readFileSync(pathOf(path), "utf8");
    const lines = text.split("\n");
    const reports = (written: string) => {
      const { model, diagnostics } = compile(written, { file: path });
      const reported = diagnostics.filter(({ kind, severity }) => kind === "gap" || severity !== "note");
      return {
        meaning: meaningOf(model),
        reported: reported.map(({ code, message }) => `${code} ${message}`),
      };
    };
    const whole = reports(text);
    const silent: string[] = [];
    let tried = 0;
    for (const [way, mangle] of Object.entries(mangles))
      for (const [at, line] of lines.entries()) {
        const mangled = mangle(line);
        if (mangled === undefined) continue;
        tried += 1;
        if (tried % step !== 0) continue;
        const { meaning, reported } = reports(lines.with(at, mangled).join("\n"));
        if (reported.some((reportLine) => !whole.reported.includes(reportLine)) || meaning === whole.meaning)
          continue;
        silent.push(`${way}: ${path}:${at + 1} ${line}`);
      }
    assert.ok(tried > 0);
    assert.deepEqual(silent, []);
  });
