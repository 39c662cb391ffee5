/**
 * `ninefold mcp`: serves a document to agents, by the Model Context Protocol over standard streams
 * or HTTP.
 */
import type { AgentListenOptions } from "../../agents/http.ts";
import type { AgentOptions } from "../../agents/server.ts";
import { messageOf } from "../../support/failure.ts";
import { readArguments } from "../arguments.ts";
import { CliError, type Command, exitCodes, WrongUsage } from "../command.ts";
import { tokenOfEnvironment, tokenVariable } from "../operations/token.ts";
import { readDocument } from "../read-document.ts";
import type { Terminal } from "../terminal.ts";
import { ownVersion } from "../version.ts";

const usage = `Usage: ninefold mcp FILE [--write] [--port PORT [--host ADDRESS]]

Serves a document to an agent in the Model Context Protocol, over standard input and output. The agent
can describe the document, list its open questions, check a change, and try the service in memory with
records of its own. It can't change the document or reach stored data.

  --write         adds a tool that writes the document, if a change has no errors
  --port PORT     serves agents over streamable HTTP instead, at /mcp on this port; 0 for any free
                  one. ${tokenVariable} holds the token that they send
  --host ADDRESS  the address of --port (127.0.0.1)

Exit codes: 0 the agent or a signal ended it · 2 wrong usage · 3 the file can't be read, or the port
can't be used

Example: ninefold mcp parcels.md --write
`;

const portMax = 65_535;

export const mcpCommand: Command = {
  name: "mcp",
  usage,
  async run(args, terminal) {
    const { values, positionals } = readArguments(args, {
      options: { write: { type: "boolean" }, port: { type: "string" }, host: { type: "string" } },
      positionals: ["FILE"],
    });
    const [file = ""] = positionals;
    const { write = false, port, host } = values;
    if (host !== undefined && port === undefined) throw new WrongUsage("--host requires --port.");
    if (port !== undefined && !(/^\d{1,5}$/.test(port) && Number(port) <= portMax))
      throw new WrongUsage(`--port takes a port from 0 to ${portMax}, not "${port}".`);
    const token = port === undefined ? undefined : tokenOfEnvironment(terminal.environment);
    if (port !== undefined && token === undefined)
      throw new WrongUsage(`--port requires ${tokenVariable}: agents send it as their token.`);
    await readDocument(file);
    const options = { file, mayWrite: write, version: ownVersion() };
    if (port === undefined || token === undefined) {
      const { serveAgent } = await import("../agents/standard-streams.ts");
      await serveAgent(options);
    } else await serveOverHttp(options, { host: host ?? "127.0.0.1", port: Number(port), token }, terminal);
    return exitCodes.ok;
  },
};

/** Serves until a signal arrives. @throws CliError */
async function serveOverHttp(
  options: AgentOptions,
  place: AgentListenOptions,
  terminal: Terminal,
): Promise<void> {
  const { listenForAgents } = await import("../../agents/http.ts");
  const address = await listenForAgents(options, place).catch((error: unknown) => {
    throw new CliError(
      `Port ${place.port} of ${place.host} can't be used (${messageOf(error)}). Choose another with --port, or 0 for any free port.`,
    );
  });
  terminal.write(`Agents connect to ${address.url} with the token of ${tokenVariable}.\n`);
  await new Promise<void>((done) => {
    for (const signal of ["SIGINT", "SIGTERM"] as const) process.once(signal, () => done());
  });
  await address.close();
}
