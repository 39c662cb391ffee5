/** `ninefold lsp`: a language server for editors, over standard input and output. */
import { readArguments } from "../arguments.ts";
import { type Command, exitCodes } from "../command.ts";
import { tokenVariable } from "../operations/token.ts";
import { ownVersion } from "../version.ts";

const usage = `Usage: ninefold lsp [--stdio]

Serves an editor in the Language Server Protocol, over standard input and output: diagnostics while you
type, completion, hover, definitions, references, rename, formatting, code actions, and buttons that
run a scenario or try an endpoint. Markdown files that are no specification are left alone.

  --stdio  accepted because editors pass it; there is no other transport

Exit codes: 0 the editor ended it · 2 wrong usage

Example: ninefold lsp --stdio
`;

export const lspCommand: Command = {
  name: "lsp",
  usage,
  async run(args) {
    readArguments(args, { options: { stdio: { type: "boolean" } }, positionals: [] });
    const { serveStandardStreams } = await import("../editors/standard-streams.ts");
    await serveStandardStreams({
      version: ownVersion(),
      operationsToken: process.env[tokenVariable],
    });
    return exitCodes.ok;
  },
};
