/** A folder of a test file's own, which goes when its tests are over. */
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after } from "node:test";

export function ownFolder(name: string): string {
  const folder = mkdtempSync(join(tmpdir(), `ninefold-${name}-`));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}
