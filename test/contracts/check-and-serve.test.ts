/** What `serve` would find wrong at its start, or answer 501 because an endpoint has a mistake, `check` reports. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { compile } from "../../src/compile.ts";
import { createLocalTarget } from "../../src/scenarios/local-target.ts";
import { silentTerminal } from "../terminal.ts";
import { smallDocument, standing } from "./serve-document.ts";

/** The endpoints that `serve` answers 501 for a mistake that `check` has passed, and why it does not start. */
async function foundAtStart(text: string, file: string): Promise<readonly string[]> {
  const { model, diagnostics } = compile(text, { file });
  if (!model || diagnostics.some(({ severity }) => severity === "error")) return [];
  const faulty = model.endpoints.flatMap(({ gap }) =>
    gap?.subject.endsWith("has a mistake") ? [gap.subject] : [],
  );
  try {
    const target = await createLocalTarget(model, silentTerminal, undefined, { planLate: false });
    await target.close();
  } catch (error) {
    return [...faulty, String(error)];
  }
  return faulty;
}

test("choices that don't fit each other are reported where a condition names what isn't known there", () => {
  const endpoints = standing.endpoints.replace(
    "- Does: create Note\n",
    "- Does: create Note when `ok`\n- Does: answer\n- Let: ok = `true`\n",
  );
  const { diagnostics } = compile(smallDocument({ endpoints }), { file: "notes.md" });
  assert.deepEqual(
    diagnostics.filter(({ severity }) => severity === "error").map(({ code }) => code),
    ["endpoints/several-resources"],
  );
});

for (const file of ["examples/helpdesk.md", "test/contracts/open-places.md"])
  test(`${file}: mutants that check passes start whole`, async () => {
    const lines = readFileSync(join(import.meta.dirname, "../..", file), "utf8").split("\n");
    const first = lines.indexOf("## Resources and their fields");
    const found: string[] = [];
    for (const [at, line] of lines.entries()) {
      if (at <= first || line.trim() === "") continue;
      // Without the line, twice, and with its first expression or word another.
      const mutants = [
        [],
        [line, line],
        [line.replace(/this\.\w+/, "other")],
        [line.replace(/when `.*`|`[^`]*`/, "`other`")],
      ];
      for (const mutant of mutants) {
        const text = lines.toSpliced(at, 1, ...mutant).join("\n");
        for (const what of await foundAtStart(text, file))
          found.push(`${file}:${at + 1}: ${mutant[0] ?? "without"}: ${what}`);
      }
    }
    assert.deepEqual(found, []);
  });
