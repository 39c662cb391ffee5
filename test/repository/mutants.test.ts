/** What `npm run mutate` plants, and whom it asks. */
import assert from "node:assert/strict";
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { test } from "node:test";
import { mutantsOf } from "../../scripts/mutate/mutants.ts";
import { readReach, recordReach } from "../../scripts/mutate/reach.ts";

test("single faults are those of operators, conditions and statements, and types stay as they are", () => {
  const text = "export function f(a: 1 | 2): boolean { if (a > 1) g(a); return !h && true; }";
  const planted = mutantsOf("f.ts", text).map(
    ({ start, end, replacement }) => `${text.slice(start, end)} → ${replacement}`,
  );
  assert.deepEqual(planted.sort(), [
    "!h && true → (!h || true)",
    "!h → (h)",
    "a > 1 → (a >= 1)",
    "a > 1 → false",
    "a > 1 → true",
    "g(a); → {}",
    "true → false",
  ]);
});

test("tests are asked of a line that they come by, the processes that they start too, and of no other", () => {
  const root = mkdtempSync(join(tmpdir(), "ninefold-mutants-"));
  try {
    const write = (name: string, text: string) => writeFileSync(join(root, name), text);
    mkdirSync(join(root, "src"));
    mkdirSync(join(root, "test"));
    const source =
      "export function half(n: number): number {\n  if (n < 0)\n    return 0;\n  return n / 2;\n}\n";
    write("src/half.ts", source);
    write("src/print.ts", 'import { half } from "./half.ts";\nconsole.log(half(-1));\n');
    write("test/more.test.ts", 'import { half } from "../src/half.ts";\nhalf(4);\n');
    write(
      "test/start.test.ts",
      `import { execFileSync } from "node:child_process";\nexecFileSync(process.execPath, ["${join(root, "src/print.ts")}"]);\n`,
    );
    recordReach(root, () => {});
    const testsOf = (words: string) =>
      readReach(root)
        .testsOf(join(root, "src/half.ts"), source.indexOf(words))
        .map((test) => basename(test));
    assert.deepEqual(testsOf("return 0"), ["start.test.ts"]);
    assert.deepEqual(testsOf("return n / 2"), ["more.test.ts"]);
    assert.deepEqual(testsOf("if (n < 0)").sort(), ["more.test.ts", "start.test.ts"]);
  } finally {
    rmSync(root, { recursive: true, force: true });
  }
});
