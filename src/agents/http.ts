/**
 * The MCP server over streamable HTTP, protected like the operations address: by the headers with
 * which browsers describe a request's source, and by the operations token.
 */
import { createMcpHandler } from "@modelcontextprotocol/server";
import { createGuard, inAddress } from "../admin/guard.ts";
import { plainResponse } from "../admin/responses.ts";
import { BodyRefusal, type ServiceRequest, type ServiceResponse } from "../engine/http/message.ts";
import { createHttpServer } from "../engine/http/server.ts";
import { validateHead, type ParsedHead } from "../engine/http/strict-request.ts";
import { documentBytesMax } from "../syntax/ceilings.ts";
import { type AgentOptions, createAgent } from "./server.ts";

/** The address at which agents connect. */
export interface AgentListenOptions {
  readonly host: string;
  /** 0 for any free port. */
  readonly port: number;
  readonly token: string;
}

export interface AgentAddress {
  readonly url: string;
  close(): Promise<void>;
}

/** The path of the endpoint, which clients are configured with. */
const path = "/mcp";

/** A change may have a whole document, which takes more bytes as JSON text. */
const bodyBytesMax = 2 * documentBytesMax;

/** How long requests may take to finish when the server stops, in milliseconds. */
const graceMs = 2000;

/** @throws the error of the port, such as EADDRINUSE */
export async function listenForAgents(
  options: AgentOptions,
  place: AgentListenOptions,
): Promise<AgentAddress> {
  const agent = createAgent(options);
  // No tool reports progress, so each response is one JSON text, and no stream stays open.
  const mcp = createMcpHandler(() => agent.createServer(), {
    maxSubscriptions: 0,
    maxRequestBodySize: bodyBytesMax,
  });
  let guard = createGuard(place);
  const respond = async (request: ServiceRequest): Promise<ServiceResponse> => {
    const { head, refusal } = validateHead(request);
    if (refusal) return plainResponse(refusal.status, refusal.problem);
    const { method, remoteAddress } = request;
    const { headers } = head;
    if (!guard.isAllowed({ method, remoteAddress, headers })) return plainResponse(403, "");
    if (head.path !== path) return plainResponse(404, `There is no ${head.path}. MCP is at ${path}.`);
    if (!guard.hasToken({ headers }))
      return plainResponse(401, "Send the operations token: Authorization: Bearer …");
    const body = await request.body(bodyBytesMax, true);
    const answer = await mcp.fetch(asFetched(head, method, headers, body));
    return {
      status: answer.status,
      headers: [...answer.headers].filter(([name]) => name !== "content-length"),
      body: await answer.text(),
    };
  };
  const http = createHttpServer(
    async (request) => {
      try {
        return await respond(request);
      } catch (error) {
        if (error instanceof BodyRefusal && !error.aborted) return plainResponse(error.status, error.problem);
        throw error;
      }
    },
    { refuse: ({ status, problem }) => plainResponse(status, problem) },
  );
  const { port } = await http.listen(place.port, place.host);
  guard = createGuard({ ...place, port });
  return {
    url: `http://${inAddress(place.host)}:${port}${path}`,
    async close() {
      await mcp.close();
      await http.close(graceMs);
      await agent.close();
    },
  };
}

function asFetched(
  head: ParsedHead,
  method: string,
  headers: Readonly<Record<string, string>>,
  body: Uint8Array,
): Request {
  const url = new URL(head.path, "http://agents.invalid");
  const sent = new Headers(Object.entries(headers));
  if (method === "GET" || method === "HEAD") return new Request(url, { method, headers: sent });
  return new Request(url, { method, headers: sent, body: new Uint8Array(body) });
}
