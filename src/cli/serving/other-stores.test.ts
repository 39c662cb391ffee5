/** Warning about a new store next to existing ones: unit tests. */
import assert from "node:assert/strict";
import { copyFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { runCommand } from "../testing/run-command.ts";
import { addressOf, served } from "../testing/served-command.ts";
import { ownFolder } from "../../../test/own-folder.ts";

const folder = ownFolder("other-stores");

/** What a start of the document prints about its store. */
async function greetingOf(file: string): Promise<string> {
  const service = served([file]);
  try {
    await addressOf(service);
    await service.until(/documentation, OpenAPI/);
    return service.output();
  } finally {
    service.child.kill("SIGTERM");
    await service.ended;
  }
}

test("a new store next to others is announced as new, with the names of the others", async () => {
  const file = join(folder, "desk.md");
  assert.equal((await runCommand("new", file)).code, 0);
  assert.doesNotMatch(await greetingOf(file), /a new store/);
  // The author renames the document and finds no records.
  const renamed = join(folder, "helpdesk.md");
  copyFileSync(file, renamed);
  writeFileSync(join(folder, "other.ninefold.db"), "no store");
  assert.match(
    await greetingOf(renamed),
    /\n {2}a new store; there is also desk\.ninefold\.db \(of .+, too\), other\.ninefold\.db\n/,
  );
  assert.doesNotMatch(await greetingOf(renamed), /a new store/);
});
