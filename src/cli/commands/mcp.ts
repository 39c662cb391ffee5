/** `ninefold mcp`: a document for an agent, in the Model Context Protocol over standard input and output. */
import { readArguments } from "../arguments.ts";
import { type Command, exitCodes } from "../command.ts";
import { readDocument } from "../read-document.ts";
import { ownVersion } from "../version.ts";

const usage = `Usage: ninefold mcp FILE [--write]

Serves a document to an agent in the Model Context Protocol, over standard input and output. The agent
can describe the document, list its open questions, check a change, and try the service in memory with
records of its own. It can't change the document or reach stored data.

  --write  adds a tool that writes the document, if a change has no errors

Exit codes: 0 the agent ended it · 2 wrong usage · 3 the file can't be read

Example: ninefold mcp parcels.md --write
`;

export const mcpCommand: Command = {
  name: "mcp",
  usage,
  async run(args) {
    const { values, positionals } = readArguments(args, {
      options: { write: { type: "boolean" } },
      positionals: ["FILE"],
    });
    const [file = ""] = positionals;
    await readDocument(file);
    const { serveAgent } = await import("../agents/standard-streams.ts");
    await serveAgent({ file, mayWrite: values.write === true, version: ownVersion() });
    return exitCodes.ok;
  },
};
