/** A temporary folder for a test's files, deleted when the tests are finished. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";

export function temporaryFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "ninefold-newcomers-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
