/** A temporary folder of a test file, deleted when its tests are finished. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";

export function ownFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `ninefold-${name}-`));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
