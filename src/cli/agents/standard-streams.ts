/** The MCP server over standard input and output. */
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { type AgentOptions, createAgentServer } from "../../agents/server.ts";

/** Serves until the agent closes the input. */
export function serveAgent(options: AgentOptions): Promise<void> {
  const served = serveStdio(() => createAgentServer(options));
  return new Promise((resolve) => {
    process.stdin.on("end", () => void served.close().finally(resolve));
  });
}
