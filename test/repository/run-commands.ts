/**
 * Command runner for `docs.test.ts`: runs ninefold commands one after another in one process, which
 * loads the sources once. It is a separate process, because each command works in its page's
 * folder, and threads resolve the test runner's modules there.
 */
import { main } from "../../src/cli/main.ts";

export interface DocumentedCommand {
  readonly words: readonly string[];
  readonly folder: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
}

export interface DoneCommand {
  readonly code: number;
  readonly output: string;
}

process.on("message", (requested: DocumentedCommand) => {
  void run(requested).then((done) => process.send?.(done));
});

async function run({ words, folder, environment }: DocumentedCommand): Promise<DoneCommand> {
  let output = "";
  const report = (text: string) => {
    output += text;
  };
  process.chdir(folder);
  try {
    const terminal = { write: report, printError: report, isTerminal: false, colour: false, environment };
    return { code: await main(words, terminal), output };
  } catch (error) {
    return { code: 1, output: `${output}${String(error)}\n` };
  }
}
