/**
 * A Debian root folder for trials, made by debootstrap: the base of stand-in images, and of a
 * machine under systemd-nspawn.
 */
import { existsSync, realpathSync } from "node:fs";
import { dirname, join } from "node:path";
import { command, Missing, needs } from "./steps.ts";

/** @throws Missing */
export async function debianRoot(folder: string, packages: readonly string[]): Promise<void> {
  if (process.getuid?.() !== 0) throw new Missing("debootstrap needs root.");
  needs(["debootstrap", "--version"], "debootstrap is missing: `apt-get install debootstrap`.");
  if (existsSync(join(folder, "etc", "debian_version"))) return;
  // A trial that is interrupted leaves a part of a root folder, which the next one must not use.
  const part = `${folder}.part`;
  await command(["rm", "-rf", "--one-file-system", part]);
  await command(["debootstrap", "--variant=minbase", `--include=${packages.join(",")}`, "bookworm", part]);
  await command(["mv", part, folder]);
}

/**
 * The certificates that this machine trusts, because a registry may be behind a proxy with its own
 * certificate.
 */
export const certificates = "/etc/ssl/certs/ca-certificates.crt";

/** Installs the Node of this process and the npm of this machine at the usual paths. */
export async function addNode(folder: string): Promise<void> {
  const npm = dirname(dirname(realpathSync(await command(["sh", "-c", "command -v npm"]))));
  const local = join(folder, "usr", "local");
  await command(["cp", certificates, join(folder, certificates)]);
  await command(["cp", process.execPath, join(local, "bin", "node")]);
  await command(["mkdir", "-p", join(local, "lib", "node_modules")]);
  await command(["cp", "-rL", npm, join(local, "lib", "node_modules")]);
  for (const name of ["npm", "npx"])
    await command(["ln", "-sfn", `../lib/node_modules/npm/bin/${name}-cli.js`, join(local, "bin", name)]);
}
