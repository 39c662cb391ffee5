/**
 * The operations API of a sandbox: JSON over HTTP, for programs of this machine. Who may ask is judged at the
 * operations address (`operations/guard.ts`). Here a request finds its route and gets an
 * answer, whatever goes wrong; what a route does is in `operations/routes.ts`.
 */
import type { PathSegment } from "../../model/model.ts";
import {
  BodyRefusal,
  type RequestRefusal,
  type ServiceRequest,
  type ServiceResponse,
} from "../http/message.ts";
import { createRouter } from "../http/path-router.ts";
import { judgeRequest } from "../http/strict-request.ts";
import { readCall } from "./operations/call.ts";
import { routes } from "./operations/routes.ts";
import { inWords, refusalOf } from "./refusal-of.ts";
import { refusalAnswer, SandboxRefusal } from "./refusal.ts";
import type { Spaces } from "./spaces.ts";

export interface Operations {
  fetch(request: ServiceRequest): Promise<ServiceResponse>;
  refuse(refusal: RequestRefusal): ServiceResponse;
}

export function createOperations(spaces: Spaces): Operations {
  const { log } = spaces.options.ports;
  const router = createRouter(
    routes.map((route) => ({ method: route.method, segments: segmentsOf(route.path), endpoint: route })),
  );

  const answer = async (request: ServiceRequest): Promise<object> => {
    const { head, refusal } = judgeRequest(request);
    if (refusal) throw inWords(refusal);
    const found = router.find(request.method, head.segments);
    if (found.kind === "unknown path")
      throw new SandboxRefusal(404, "Not found", "GET / lists what can be asked.");
    if (found.kind === "method not allowed")
      throw new SandboxRefusal(405, "Method not allowed", `Here it is ${found.allowed.join(", ")}.`, {
        headers: [["Allow", found.allowed.join(", ")]],
      });
    const { endpoint, parameters } = found;
    return endpoint.run(await readCall(request, head, parameters, endpoint, spaces));
  };

  return {
    async fetch(request) {
      try {
        return {
          status: 200,
          headers: [
            ["Content-Type", "application/json"],
            ["Cache-Control", "no-store"],
          ],
          body: JSON.stringify(await answer(request)),
        };
      } catch (error) {
        if (error instanceof BodyRefusal && error.aborted) throw error;
        const refusal = refusalOf(error);
        if (!refusal)
          log.error(
            { error: error instanceof Error ? (error.stack ?? error.message) : String(error) },
            "a fault",
          );
        return refusalAnswer(
          refusal ??
            new SandboxRefusal(500, "Internal error", "Something went wrong inside; the log has it."),
        );
      }
    },
    refuse: (refusal) => refusalAnswer(inWords(refusal)),
  };
}

function segmentsOf(path: string): readonly PathSegment[] {
  return path
    .split("/")
    .filter((text) => text !== "")
    .map((text) => {
      const name = /^\{(\w+)\}$/.exec(text)?.[1];
      return name === undefined
        ? { kind: "literal", text }
        : { kind: "parameter", name, before: "", behind: "" };
    });
}
