/**
 * Runs one process of tests at a time (`run-tests.ts`): started with the first run, and again when
 * it hung, broke or is worn out.
 */
import { type ChildProcess, fork } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { Answered, RunOrder } from "./run-tests.ts";

/** Beyond that the process is restarted, because files that are loaded again stay in it. */
const bytesMax = 2_500_000_000;
const loadsMax = 3000;
/** Processor time that a process may use to load sources, in addition to that of the tests. */
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

  /** @returns nothing where it didn't come to an end, be it that the process broke */
  async run(order: RunOrder): Promise<Answered | undefined> {
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

  /** Begins it anew for a mutant that is there from the beginning. */
  async beginWith(active: number): Promise<void> {
    await this.end();
    await this.#started(active);
  }

  async #started(active = 0): Promise<ChildProcess> {
    if (this.#child) return this.#child;
    const plant = join(import.meta.dirname, "plant.ts");
    const child = fork(join(import.meta.dirname, "run-tests.ts"), [], {
      cwd: this.#root,
      // Processes that its tests begin end with it.
      detached: true,
      stdio: ["ignore", "ignore", "ignore", "ipc"],
      execArgv: ["--max-old-space-size=2500"],
      env: {
        ...process.env,
        // What has no mutants in it is compiled once for all processes.
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

/** The next that it says; nothing where it ends before. */
function answerOf(child: ChildProcess): Promise<Answered | undefined> {
  return new Promise((resolve) => {
    const settle = (answer?: Answered) => {
      child.off("message", settle).off("exit", gone);
      resolve(answer);
    };
    const gone = () => settle();
    child.on("message", settle).on("exit", gone);
  });
}
