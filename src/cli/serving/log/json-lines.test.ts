/** `serve --log json`: command tests. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { ownFolder } from "../../../../test/own-folder.ts";
import { emptyDocument } from "../../empty-document.ts";
import { runCommand } from "../../testing/run-command.ts";

const folder = ownFolder("json-lines");
const file = join(folder, "people.md");
writeFileSync(file, emptyDocument("People"));
const wrong = join(folder, "wrong.md");
writeFileSync(wrong, emptyDocument("Wrong").replace("## Versioning", "## Wersioning"));

test("with --log json an error that ends the start is a line of JSON", async (t) => {
  const taken = createServer().listen(0, "127.0.0.1");
  await once(taken, "listening");
  t.after(() => void taken.close());
  const port = String((taken.address() as AddressInfo).port);
  for (const [args, code, message] of [
    [[file, "--port", port, "--no-operations"], 3, /is in use/],
    [[join(folder, "none.md")], 3, /none\.md/],
    [[wrong], 1, /error/],
    [[file, "--drain", "soon"], 2, /--drain/],
  ] as const) {
    const run = await runCommand("serve", ...args, "--log", "json", "--store", ":memory:");
    assert.equal(run.code, code, run.complaints);
    const lines = run.complaints.trim().split("\n");
    const messages = lines.map((line) => (JSON.parse(line) as { msg: string }).msg);
    assert.match(messages.join("\n"), message);
  }
});
