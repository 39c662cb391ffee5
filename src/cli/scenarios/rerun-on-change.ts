/**
 * `test --watch`: runs the scenarios again whenever the document or its handlers' module changes.
 */
import { basename } from "node:path";
import { exitCodes, CliError } from "../command.ts";
import { listenForStop } from "../serving/signals/stop-signal.ts";
import { watchFiles } from "../serving/watch.ts";
import type { Terminal } from "../terminal.ts";

/**
 * Debounce time: how long a file must stay unchanged before it is read, in milliseconds; editors
 * write in several steps.
 */
const settledMs = 100;

/** @param test runs at each change; a failed run doesn't end the watch */
export async function rerunOnChange(
  file: string,
  test: () => Promise<number>,
  terminal: Terminal,
): Promise<number> {
  const stop = listenForStop();
  let pause: NodeJS.Timeout | undefined;
  const once = async () => {
    try {
      await test();
    } catch (error) {
      // A missing file may exist with the next change.
      if (!(error instanceof CliError)) throw error;
      terminal.printError(`${error.message}\n`);
    }
    terminal.printError(`\nWaiting for ${basename(file)} to change …\n`);
  };
  const { promise: failed, reject } = Promise.withResolvers<never>();
  let last = Promise.resolve();
  const again = () => {
    last = last.then(once);
    last.catch(reject);
  };
  const watcher = watchFiles(file, () => {
    clearTimeout(pause);
    pause = setTimeout(again, settledMs);
  });
  again();
  try {
    await Promise.race([stop.requested, failed]);
  } finally {
    watcher.close();
    clearTimeout(pause);
    stop.forget();
  }
  await last;
  return exitCodes.ok;
}
