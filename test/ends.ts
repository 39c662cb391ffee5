/**
 * For every test file (`--import`): one that doesn't end, for a test waits for something or what is left keeps the process alive, is ended and
 * has failed, with what it held. Else the whole run would wait for it for ever.
 */
import { after } from "node:test";

if (process.env["NODE_TEST_CONTEXT"] !== undefined) {
  /** How long what the tests opened may take to close, in milliseconds; far beyond what any takes. */
  const closingMs = 60_000;
  /** Far beyond what any file takes, also on a busy machine. */
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
  // A test that fails may leave a server or a connection open: its report is not held up for long.
  after(() => void endAfter(closingMs, "its last test"));
  // A process that ends by itself closes its handles one by one, in which Node 24 may loop for ever; one that exits does not. Registered behind
  // the runner's own listeners, which set the exit code.
  process.once("beforeExit", () => process.once("exit", () => process.exit()));
}
