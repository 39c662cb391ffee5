/** Tests of the functions of other languages: what is written instead is a valid expression. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compile } from "../../compile.ts";
import { functionNamed } from "../functions/index.ts";
import { macroNames } from "./macro-forms.ts";
import { replacements } from "./other-names.ts";

const document = (expression: string) => `# Interface Specification: Notes

## Resources and their fields

### Note

- Identifier: id, made by \`uuid()\`

| Field | Type | Rules |
|---|---|---|
| name | string | required |
| count | integer | |
| names | list of string | required |
| others | list of string | required |
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

const allErrors = (expression: string): readonly string[] =>
  compile(document(expression), { file: "notes.md" })
    .diagnostics.filter(({ severity }) => severity === "error")
    .map(({ message, hint }) => `${message} ${hint}`);

/** The errors for the other parts, which are missing. */
const missing = new Set(allErrors("1"));
const errorsOf = (expression: string) => allErrors(expression).filter((error) => !missing.has(error));

for (const { names, example, ofList } of replacements)
  test(`instead of ${names.join(", ")}, an example for the argument is printed, which is valid`, () => {
    for (const written of [example, ofList])
      if (written !== undefined) assert.deepEqual(errorsOf(written), []);
    for (const name of names) {
      assert.equal(functionNamed(name) ?? macroNames.has(name), false, name);
      for (const [argument, written] of [
        ["this.name", example],
        ["this.items", ofList],
      ] as const) {
        const advice = written && `Write it as in \`${written}\`.`;
        const addition = `add it to part 4: \`- Functions: ${name}(…): string\`.`;
        const unknown = `Unknown function "${name}".`;
        const [called, ...more] = errorsOf(`${name}(${argument}, x, x.open)`);
        if (advice === undefined) assert.doesNotMatch(called ?? "", /Write it as in/);
        else {
          assert.equal(called, `${unknown} ${advice} If your module has it, ${addition}`);
          assert.equal(errorsOf(`${argument}.${name}(x)`)[0], `${unknown} ${advice}`);
        }
        assert.deepEqual(more, []);
      }
    }
  });

test("a function without an argument has the only example", () => {
  assert.match(errorsOf("today()")[0] ?? "", /Write it as in `date\(now\)`/);
  assert.match(errorsOf("average()")[0] ?? "", /Write it as in `this\.items\.sum/);
  assert.match(errorsOf("frobnicate()")[0] ?? "", /Remove it\. If your module has it/);
});
