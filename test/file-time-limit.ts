/**
 * Time limit for every test file (`--import`). A file that doesn't finish fails with its open
 * handles: a test waits for something, or a handle keeps the process alive. Otherwise the whole run
 * would wait forever.
 */
import { after } from "node:test";

if (process.env["NODE_TEST_CONTEXT"] !== undefined) {
  /**
   * The time limit for closing the open handles of finished tests, in milliseconds; far more than
   * any needs.
   */
  const closingMs = 60_000;
  /** The time limit of a file in milliseconds: far more than any needs, even on a busy machine. */
  const endMs = Number(process.env["NINEFOLD_TEST_ENDS_MS"] ?? 900_000);
  const endAfter = (ms: number, since: string) =>
    setTimeout(() => {
      const held = process.getActiveResourcesInfo().join(", ");
      process.stderr.write(
        `${process.argv[1]} has not ended ${ms / 1000} seconds after ${since}. It held ${held}.\n`,
      );
      process.exit(1);
    }, ms).unref();
  endAfter(endMs, "its start");
  // A failing test may leave a server or a connection open, which must not delay its report for
  // long.
  after(() => void endAfter(closingMs, "its last test"));
  // When a process ends by itself, it closes its handles one by one, in which Node 24 may loop
  // forever; `process.exit` doesn't. The listener is registered after the runner's own, which sets
  // the exit code.
  process.once("beforeExit", () => process.once("exit", () => process.exit()));
}
