/** Tests of the functions of other languages: what is written instead is a valid expression. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "../../compile.ts";
import { functionNamed } from "../functions/index.ts";
import { macroNames } from "./macro-forms.ts";
import { adviceForOtherName, writings } from "./other-names.ts";

const document = (expression: string) => `# Interface Specification: Notes

## Resources and their fields

### Note

- Identifier: id, made by \`uuid()\`

| Field | Type | Rules |
|---|---|---|
| name | string | required |
| count | integer | |
| items | list of Item | required |
| shown | json | = \`${expression}\` |

### Item

- Identifier: none

| Field | Type | Rules |
|---|---|---|
| name | string | required |
| value | integer | required |
| open | boolean | required |
`;

const errorsOf = (expression: string): readonly string[] =>
  compile(document(expression), { file: "notes.md" })
    .diagnostics.filter(({ code, severity }) => severity === "error" && code.startsWith("expressions/"))
    .map(({ message, hint }) => `${message} ${hint}`);

for (const [names, writing] of writings)
  test(`instead of ${names.join(", ")}, \`${writing}\` is valid`, () => {
    assert.deepEqual(errorsOf(writing), []);
    for (const name of names) {
      assert.equal(functionNamed(name) ?? macroNames.has(name), false, name);
      const [error] = errorsOf(`${name}(this.name)`);
      assert.equal(error, `Unknown function "${name}". Write it as in \`${writing}\`.`);
    }
  });

test("a function that no language is known to have is not replaced", () => {
  assert.equal(adviceForOtherName("frobnicate"), undefined);
});
