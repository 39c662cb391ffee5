/** Compiles `shim.c` with the machine's compiler, and runs `writer.ts` with it. */
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { type Control, controlOf } from "./control.ts";
import { callKinds } from "./trace.ts";

export interface Shim {
  /** A folder for this run only. */
  readonly folder: string;
  readonly library: string;
  clear(): void;
}

/** Undefined without a compiler, or if the system isn't Linux. */
export function makeShim(): Shim | undefined {
  if (process.platform !== "linux") return undefined;
  const folder = mkdtempSync(join(tmpdir(), "ninefold-disk-"));
  const library = join(folder, "shim.so");
  const source = join(import.meta.dirname, "shim.c");
  const made = spawnSync("cc", ["-shared", "-fPIC", "-O1", "-o", library, source, "-ldl", "-lpthread"]);
  const clear = () => rmSync(folder, { recursive: true, force: true });
  if (made.status === 0) return { folder, library, clear };
  clear();
  return undefined;
}

export interface WriterOptions {
  readonly folder: string;
  readonly trace?: string;
  readonly mutant?: string | undefined;
  /** The process is killed before this call, counted from 1. */
  readonly killedAt?: number;
}

/** @returns its output */
export async function runWriter(
  shim: Shim,
  args: readonly string[],
  { folder, trace, mutant, killedAt }: WriterOptions,
): Promise<string> {
  const control = join(shim.folder, "control");
  writeFileSync(control, controlOf(killedAt === undefined ? {} : killedBefore(killedAt)));
  const root = join(import.meta.dirname, "..", "..", "..");
  const planted = mutant === undefined ? [] : ["--import", join(root, "test", "fault-loader.ts")];
  const writer = spawn(process.execPath, [...planted, join(import.meta.dirname, "writer.ts"), ...args], {
    stdio: ["ignore", "pipe", "pipe"],
    env: {
      ...process.env,
      LD_PRELOAD: shim.library,
      NINEFOLD_DISK: folder,
      NINEFOLD_DISK_CONTROL: control,
      ...(trace === undefined ? {} : { NINEFOLD_DISK_TRACE: trace }),
      ...(mutant === undefined ? {} : { NINEFOLD_FAULT: mutant }),
    },
  });
  let [reported, complained] = ["", ""];
  writer.stdout.setEncoding("utf8").on("data", (text: string) => (reported += text));
  writer.stderr.setEncoding("utf8").on("data", (text: string) => (complained += text));
  const [code, signal] = (await once(writer, "close")) as [number | null, string | null];
  if (code !== 0 && !(killedAt !== undefined && signal === "SIGKILL"))
    throw new Error(`the writer ended with ${code}: ${complained.slice(-2000)}`);
  if (complained !== "") process.stderr.write(complained);
  return reported;
}

function killedBefore(call: number): Partial<Control> {
  const kinds =
    callKinds.write | callKinds.sync | callKinds.truncate | callKinds.unlink | callKinds.syncConcurrently;
  return { from: call, until: call + 1, error: 0, kinds };
}
