/** `check` reports every mistake that would stop `serve` at its start, or make it answer 501. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { compile } from "../../src/compile.ts";
import { createLocalTarget } from "../../src/scenarios/local-target.ts";
import { silentTerminal } from "../terminal.ts";
import { smallDocument, standing } from "./serve-document.ts";

/**
 * Returns the endpoints that `serve` answers with 501 because of a mistake that `check` accepted,
 * and the reason if it does not start.
 */
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

test("choices that conflict are reported if a condition uses a name that is unknown there", () => {
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
  test(`${file}: mutants without a mistake start with all endpoints`, async () => {
    const lines = readFileSync(join(import.meta.dirname, "../..", file), "utf8").split("\n");
    const first = lines.indexOf("## Resources and their fields");
    const found: string[] = [];
    for (const [at, line] of lines.entries()) {
      if (at <= first || line.trim() === "") continue;
      // Each mutant drops the line, repeats it, or changes its first expression or word.
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

test("an endpoint that needs a resource without an identifier answers 501, and all others are served", async () => {
  const other = "update Crate where this.other.label == 'a' set label = 'b'";
  const machine = (trigger: string, guard: string) => `### Item

- State field: state
- Initial state: here

| Transition | From | To | Trigger | Guard | Effect |
|---|---|---|---|---|---|
| \`lose\` | here | lost | ${trigger} | ${guard} | ${guard === "" ? `\`${other}\`` : ""} |`;
  const answering = (lines: string) => `### POST /x\n\n- Does: answer\n${lines}\n- Returns: 204 nothing`;
  const making = "### POST /x\n\n- Does: create Item\n- Returns: 201 Item";
  const listing = "### POST /x\n\n- Does: answer\n- Returns: 200 `Item.map(i, i.seen)`";
  const starting = answering("- Effect: `do lose on Item where true`");
  const whole = "this.crate == null || this.crate.label != 'x'";
  const cases: Record<string, readonly [endpoint: string, item?: string, field?: string, states?: string]> = {
    update: [answering(`- Effect: \`${other}\``)],
    "update alone": [answering("- Effect: `update Crate where this.label == 'a' set label = 'b'`")],
    create: [answering("- Effect: `create Crate with label = 'b'`")],
    delete: [answering("- Effect: `delete Crate where this.other == null`")],
    let: [answering("- Let: c = `Crate.first(c, c.other.label == 'a')`")],
    answer: ["### POST /x\n\n- Does: answer\n- Returns: 200 `Crate.map(c, c)`"],
    always: [making, `- Always: \`${whole}\`\n`],
    "always of what an effect makes": [answering("- Effect: `create Item`"), `- Always: \`${whole}\`\n`],
    visible: [listing.replace("answer", "create Item"), `- Visible: \`${whole}\`\n`],
    computed: [listing, "", "| seen | string | = `this.crate.label` |\n"],
    default: [making, "", "| count | integer | on create `Crate.count(c, c.other == null)` |\n"],
    transition: [starting, "", "", machine("call", "")],
    immediately: [making, "", "", machine("immediately", "`this.crate.label == 'x'`")],
  };
  for (const [name, [endpoint, item = "", field = "", states]] of Object.entries(cases)) {
    const { model, diagnostics } = compile(
      smallDocument({
        resources: `### Crate

| Field | Type | Rules |
|---|---|---|
| other | Crate | nullable |
| label | string | nullable |

### Item

- Identifier: id, made by \`sequence()\`
${item}
| Field | Type | Rules |
|---|---|---|
| crate | Crate | nullable |
${field === "" ? "| seen | string | nullable |" : field}`,
        ...(states === undefined ? {} : { states }),
        endpoints: `${endpoint}\n\n### GET /y\n\n- Does: answer\n- Returns: 200 \`1\``,
      }),
      { file: "crates.md" },
    );
    const errors = diagnostics.filter(({ severity }) => severity === "error");
    assert.ok(model && errors.length === 0, `${name}: ${errors.map(({ message }) => message).join()}`);
    const target = await createLocalTarget(model, silentTerminal, undefined, { planLate: false });
    const statuses = [];
    for (const [method, path] of [
      ["POST", "/x"],
      ["GET", "/y"],
    ] as const)
      statuses.push((await target.send({ method, target: path, headers: [] })).status);
    await target.close();
    assert.deepEqual([name, ...statuses], [name, 501, 200]);
  }
});
