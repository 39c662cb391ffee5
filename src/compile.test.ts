/** Compiler: order and limits of diagnostics, ceilings, internal faults. */
import assert from "node:assert/strict";
import { readdirSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { compile } from "./compile.ts";
import { faultOf } from "./diagnostics/fault.ts";
import { emptyDocument } from "./cli/empty-document.ts";
import { partTitles } from "./syntax/nodes.ts";

const examples = new URL("../examples/", import.meta.url);

for (const file of readdirSync(examples).filter((name) => /^[^.]+\.md$/.test(name))) {
  test(`${file} compiles without an error to a model that survives JSON`, () => {
    const { model, diagnostics, ledger } = compile(readFileSync(new URL(file, examples), "utf8"), { file });
    assert.deepEqual(
      diagnostics
        .filter((diagnostic) => diagnostic.severity === "error")
        .map((diagnostic) => `${diagnostic.position.start.line} ${diagnostic.message}`),
      [],
    );
    assert.equal(ledger.length, 26);
    assert.deepEqual(JSON.parse(JSON.stringify(model)), structuredClone(model));
  });
}

test("what a check finds in an item of a path is reported once, not for each of its endpoints", () => {
  const { diagnostics } = compile(
    `# Interface Specification: Shops

## Resources and their fields

### Shop

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| name | string | required, unique, any case |

## Endpoints

### /shops/{name}

- Is: Shop
- Where: \`lower(this.name) == lower(path.name)\`

### GET /shops/{name}

- Does: read Shop
- Returns: 200 Shop

### DELETE /shops/{name}

- Does: delete Shop
- Returns: 204 nothing
`,
    { file: "x.md" },
  );
  const found = diagnostics.filter(({ code }) => code === "expressions/other-case");
  assert.deepEqual(
    found.map(({ position }) => position.start.line),
    [18],
  );
});

test("the empty form has 26 gaps and no mistake", () => {
  const { diagnostics, ledger, model } = compile(emptyDocument("X"), { file: "x.md" });
  assert.deepEqual(
    diagnostics.filter((diagnostic) => diagnostic.kind === "mistake"),
    [],
  );
  assert.equal(ledger.filter((entry) => entry.answer === "not shown").length, 26);
  assert.equal(model?.name, "X");
});

test("an empty text compiles", () => {
  const { diagnostics, ledger, model } = compile("", { file: "x.md" });
  assert.equal(ledger.filter((entry) => entry.answer === "silent").length, 26);
  assert.ok(model);
  // Reported once, and not once for each part.
  assert.deepEqual(
    diagnostics.filter((diagnostic) => diagnostic.kind === "mistake").map((diagnostic) => diagnostic.code),
    ["document/missing-title", "document/no-parts"],
  );
});

test("diagnostics are in the order of the text", () => {
  const { diagnostics } = compile("## Versioning\n\n- A: b\n\n# X\n\n## Endpoint\n\n- Q: x\n", {
    file: "x.md",
  });
  const offsets = diagnostics.map((diagnostic) => diagnostic.position.start.offset);
  assert.deepEqual(
    offsets,
    offsets.toSorted((a, b) => a - b),
  );
});

test("a text above the size limit is reported and not parsed", () => {
  const { diagnostics, model } = compile("a".repeat(4 * 1024 * 1024 + 1), { file: "x.md" });
  assert.deepEqual(
    diagnostics.map((diagnostic) => diagnostic.code),
    ["document/too-long"],
  );
  assert.equal(model, undefined);
});

test("the last diagnostic counts those above the limit", () => {
  const { diagnostics } = compile(`## ${partTitles.purpose}\n\n${"- Nonsense: x\n".repeat(1200)}`, {
    file: "x.md",
  });
  assert.equal(diagnostics.at(-1)?.code, "document/more-mistakes");
});

test("an internal fault becomes a diagnostic", () => {
  const [diagnostic] = faultOf("x.md", "text", new RangeError("too deep"));
  assert.equal(diagnostic?.code, "document/fault");
  assert.match(diagnostic?.message ?? "", /RangeError: too deep/);
});

test("a mistake after a thousand gaps is reported", () => {
  const fields = Array.from({ length: 1200 }, (_, index) => `| f${index} | string | not shown |`).join("\n");
  const text = `# Interface Specification: Gaps\n\n## What the service does\n\n- Purpose: not shown\n\n## Resources and their fields\n\n### Thing\n\n- Identifier: none\n\n| Field | Type | Rules |\n|---|---|---|\n${fields}\n| last | nonsense | |\n`;
  const errors = compile(text, { file: "gaps.md" }).diagnostics.filter(
    (diagnostic) => diagnostic.severity === "error",
  );
  assert.ok(errors.some((error) => error.message.includes("nonsense")));
});

test("with an undecided identifier, no value is reported as missing on create", () => {
  const text = `# Interface Specification: Made\n\n## Resources and their fields\n\n### Thing\n\n- Identifier: id, made by not shown\n\n| Field | Type | Rules |\n|---|---|---|\n| id | integer | |\n| name | string | required |\n\n## Endpoints\n\n### POST /things\n\n- Does: create Thing\n- Body: name\n- Returns: 201 Thing\n`;
  const codes = compile(text, { file: "made.md" }).diagnostics.map((diagnostic) => diagnostic.code);
  assert.ok(!codes.includes("endpoints/never-set"));
});
