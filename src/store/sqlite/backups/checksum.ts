/**
 * Checksum file of an unpacked backup: NAME.sha256 next to it, in the format of `sha256sum`, which
 * can check it too.
 */
import { createHash } from "node:crypto";
import { createReadStream, existsSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { basename } from "node:path";
import { pipeline } from "node:stream/promises";
import { StoreRefused } from "../../errors.ts";

const ending = ".sha256";

/**
 * Writes the checksum file of a backup.
 * @param file the file, under its present name
 * @param name its final name
 */
export async function writeChecksum(file: string, name: string): Promise<void> {
  const line = `${await sumOf(file)}  ${basename(name)}\n`;
  writeFileSync(`${name}${ending}.part`, line, { mode: 0o600, flush: true });
  renameSync(`${name}${ending}.part`, name + ending);
}

/**
 * Compares a file with its checksum file. Returns whether there is one.
 * @throws StoreRefused if the checksum differs
 */
export async function verify(file: string): Promise<boolean> {
  const checksumFile = file + ending;
  if (!existsSync(checksumFile)) return false;
  const recorded = /^[0-9a-f]{64}(?=\s)/i.exec(readFileSync(checksumFile, "utf8"))?.[0].toLowerCase();
  if (recorded === (await sumOf(file))) return true;
  throw new StoreRefused(
    `${file} is damaged: its SHA-256 is not the one in ${checksumFile}.`,
    `Use another backup. If it was changed on purpose, remove ${checksumFile}.`,
  );
}

async function sumOf(file: string): Promise<string> {
  const hash = createHash("sha256");
  await pipeline(createReadStream(file), hash);
  return hash.digest("hex");
}
