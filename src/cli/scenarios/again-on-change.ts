/**
 * `test --watch`: the scenarios are run again whenever the document or its handlers' module
 * changes, until it is stopped.
 */
import { basename } from "node:path";
import { exitCodes, CliError } from "../command.ts";
import { listenForStop } from "../serving/stop-signal.ts";
import { watchFiles } from "../serving/watch.ts";
import type { Terminal } from "../terminal.ts";

/**
 * How long a file has to stay as it is before it is read, in milliseconds: editors write in several
 * steps.
 */
const settledMs = 100;

/** @param test what is done each time; a run that fails doesn't end the watch */
export async function againOnChange(
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
