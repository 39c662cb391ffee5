/** Coverage rules: which rules are counted. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "../../compile.ts";
import { rulesOf } from "./rules.ts";

test("rules of fields that the service sets are not counted", () => {
  const { model } = compile(
    `# Interface Specification: Notes

## Resources and their fields

### Note

- Identifier: id, made by \`uuid()\`

| Field | Type | Rules | Meaning |
|---|---|---|---|
| text | string | length 1..80 | |
| made | integer | on create \`1\`, 1..9 | |
| changed | integer | on update \`1\`, 1..9 | |
| kept | integer | internal, 1..9 | |
`,
    { file: "notes.md" },
  );
  assert.ok(model);
  const subjects = rulesOf(model).filter(({ kind }) => kind === "field rule");
  assert.deepEqual(
    subjects.map(({ subject }) => subject),
    ["Note.text length 1..80"],
  );
});
