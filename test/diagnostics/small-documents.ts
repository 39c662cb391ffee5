/** Small documents of which tests of checks vary one condition, and the diagnostics of one code. */
import assert from "node:assert/strict";
import { compile } from "../../src/compile.ts";
import { smallDocument } from "../contracts/serve-document.ts";

export type Parts = NonNullable<Parameters<typeof smallDocument>[0]>;

/** Returns the messages of a document's diagnostics with a code, in the order of the lines. */
export function reported(code: string, parts: Parts): readonly string[] {
  const { diagnostics } = compile(smallDocument(parts), { file: "document.md" });
  const unread = diagnostics.filter(
    (diagnostic) => diagnostic.severity === "error" && diagnostic.code !== code,
  );
  assert.deepEqual(
    unread.map(({ message }) => message),
    [],
  );
  return diagnostics.filter((diagnostic) => diagnostic.code === code).map(({ message }) => message);
}

export const resource = (name: string, rows: readonly string[], items = "") => `### ${name}

- Identifier: id, made by \`sequence()\`
${items}
| Field | Type | Rules |
|---|---|---|
${rows.map((row) => `| ${row} |`).join("\n")}`;
