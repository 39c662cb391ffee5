/** Small disks for tests of a full disk. */
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";

/** Why no small disk is available here: most users may not mount one. */
export function reasonWithoutSmallDisk(): string | false {
  const folder = mkdtempSync(join(tmpdir(), "ninefold-disk-"));
  const mount = spawnSync("mount", ["-t", "tmpfs", "-o", "size=64k", "tmpfs", folder], { encoding: "utf8" });
  spawnSync("umount", ["-l", folder]);
  rmSync(folder, { recursive: true });
  return mount.status === 0 ? false : `no small disk can be mounted here: ${mount.stderr || mount.error}`;
}

/** Works in a folder with a limited size. @param size as `mount` takes it: `64k` */
export async function onSmallDisk(folder: string, size: string, work: () => Promise<void>): Promise<void> {
  mkdirSync(folder);
  execFileSync("mount", ["-t", "tmpfs", "-o", `size=${size}`, "tmpfs", folder]);
  try {
    await work();
  } finally {
    spawnSync("umount", ["-l", folder]);
  }
}
