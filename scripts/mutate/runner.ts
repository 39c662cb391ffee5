/**
 * Runs one process of tests at a time (`run-tests.ts`): started with the first run, and again when
 * it hung, crashed or used too much memory.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { RunResult, RunOrder } from "./run-tests.ts";

/** Beyond this memory the process is restarted, because files that are loaded again stay in it. */
const bytesMax = 2_500_000_000;
const loadsMax = 3000;
/** Processor time for loading sources, in addition to that of the tests, in milliseconds. */
const msOfLoading = 5000;

export class Runner {
  #child: ChildProcess | undefined;
  #runs = 0;
  readonly #root: string;
  readonly #mutants: string;

  /** @param mutants the folder of sources with switches */
  constructor(root: string, mutants: string) {
    this.#root = root;
    this.#mutants = mutants;
  }

  /** @returns undefined if it didn't finish, or the process crashed */
  async run(order: RunOrder): Promise<RunResult | undefined> {
    const child = await this.#started();
    const isNew = this.#runs === 0;
    this.#runs += 1;
    child.send({ ...order, msMax: order.msMax + (isNew ? msOfLoading : 0) } satisfies RunOrder);
    const answer = await answerOf(child);
    if (!answer) this.#child = undefined;
    else if (answer.bytes > bytesMax || this.#runs > loadsMax) await this.end();
    return answer;
  }

  async end(): Promise<void> {
    const child = this.#child;
    this.#child = undefined;
    this.#runs = 0;
    if (!child?.pid || child.exitCode !== null || child.signalCode !== null) return;
    const over = once(child, "exit");
    process.kill(-child.pid, "SIGKILL");
    await over;
  }

  /** Restarts the process for a mutant that is active from the start. */
  async beginWith(active: number): Promise<void> {
    await this.end();
    await this.#started(active);
  }

  async #started(active = 0): Promise<ChildProcess> {
    if (this.#child) return this.#child;
    const plant = join(import.meta.dirname, "plant.ts");
    const child = fork(join(import.meta.dirname, "run-tests.ts"), [], {
      cwd: this.#root,
      // Processes that its tests start end with it.
      detached: true,
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      execArgv: ["--max-old-space-size=2500"],
      env: {
        ...process.env,
        // Code without mutants is compiled once for all processes.
        NODE_COMPILE_CACHE: join(this.#root, "node_modules", ".cache", "compiled"),
        NODE_OPTIONS: `--import "${plant}"`,
        NINEFOLD_MUTANTS: this.#mutants,
        NINEFOLD_MUTANT: String(active),
      },
    });
    this.#child = child;
    this.#runs = 0;
    await answerOf(child);
    return child;
  }
}

/** The next message; undefined if the process exits before. */
function answerOf(child: ChildProcess): Promise<RunResult | undefined> {
  return new Promise((resolve) => {
    const settle = (answer?: RunResult) => {
      child.off("message", settle).off("exit", onExit);
      resolve(answer);
    };
    const onExit = () => settle();
    child.on("message", settle).on("exit", onExit);
  });
}
