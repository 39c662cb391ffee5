/** The MCP server over standard input and output. */
import { serveStdio } from "@modelcontextprotocol/server/stdio";
import { type AgentOptions, createAgent } from "../../agents/server.ts";

/** Serves until the client closes standard input. */
export function serveAgent(options: AgentOptions): Promise<void> {
  const agent = createAgent(options);
  const served = serveStdio(() => agent.createServer());
  return new Promise((resolve) => {
    process.stdin.on("end", () => void served.close().then(agent.close).finally(resolve));
  });
}
