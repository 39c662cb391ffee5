/** Steps of the deployment trials: commands, prerequisites, and reported steps. */
import { execFile, spawnSync } from "node:child_process";
import { setTimeout as pause } from "node:timers/promises";
import { promisify } from "node:util";

const execute = promisify(execFile);

/** A missing prerequisite on this machine, as a message for the user. */
export class Missing extends Error {
  override name = "Missing";
}

export interface CommandOptions {
  readonly environment?: Readonly<Record<string, string>>;
  readonly folder?: string;
  readonly input?: string;
}

/** Runs a command to its end and returns its output. */
export async function command(words: readonly string[], options: CommandOptions = {}): Promise<string> {
  const [program = "", ...args] = words;
  const running = execute(program, args, {
    maxBuffer: 1 << 26,
    encoding: "utf8",
    env: { ...process.env, ...options.environment },
    ...(options.folder !== undefined && { cwd: options.folder }),
  });
  // A command that doesn't read its input may exit before the input ends.
  running.child.stdin?.on("error", () => undefined).end(options.input ?? "");
  return (await running).stdout.trim();
}

/** Whether a command exists and succeeds. */
export function works(words: readonly string[]): boolean {
  const [program = "", ...args] = words;
  return spawnSync(program, args, { stdio: "ignore", timeout: 20_000 }).status === 0;
}

/** @throws Missing */
export function needs(words: readonly string[], what: string): void {
  if (!works(words)) throw new Missing(what);
}

/** Polls until a value is available. */
export async function until<T>(
  what: string,
  request: () => Promise<T | undefined>,
  seconds = 90,
): Promise<T> {
  const end = performance.now() + seconds * 1000;
  let last: unknown;
  while (performance.now() < end) {
    const answer = await request().catch((error: unknown) => {
      last = error;
    });
    if (answer !== undefined) return answer;
    await pause(300);
  }
  throw new Error(`${what}: not within ${seconds} s${last === undefined ? "" : ` (${String(last)})`}`);
}

/** Runs a step, and prints its result and its duration. */
export async function step<T>(words: string, work: () => Promise<T>): Promise<T> {
  const begin = performance.now();
  try {
    const shown = await work();
    const seconds = ((performance.now() - begin) / 1000).toFixed(1);
    console.log(`✓ ${words} (${typeof shown === "string" ? `${shown}, ` : ""}${seconds} s)`);
    return shown;
  } catch (error) {
    console.log(`✗ ${words}`);
    throw error;
  }
}

/**
 * Runs a trial. The exit code is 0 on success, 1 on failure, and 3 if the machine lacks something.
 */
export async function trial(run: () => Promise<void>): Promise<void> {
  try {
    await run();
  } catch (error) {
    console.error(error instanceof Missing ? `Not tried: ${error.message}` : error);
    process.exitCode = error instanceof Missing ? 3 : 1;
  }
}
