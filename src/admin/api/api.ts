/**
 * Operations API: JSON over HTTP, for the console and for programs. `admin/guard.ts` authorizes
 * each request first. This file routes a request and always returns a response. The file of each
 * subject implements its routes.
 */
import {
  BodyRefusal,
  type RequestRefusal,
  type ServiceRequest,
  type ServiceResponse,
} from "../../engine/http/message.ts";
import { createRouter } from "../../engine/http/path-router.ts";
import type { ParsedHead } from "../../engine/http/strict-request.ts";
import type { PathSegment } from "../../model/model.ts";
import type { AdminContext } from "../context.ts";
import { readCall } from "./routing/call.ts";
import { mediaTypeOf } from "./routing/media-type.ts";
import { describeRefusal, OperationRefusal, refusalResponse, refusalOf } from "./routing/refusal.ts";
import { routes } from "./routes.ts";
import { stackOf } from "../../support/failure.ts";

export interface Api {
  fetch(request: ServiceRequest, head: ParsedHead): Promise<ServiceResponse>;
  refuse(refusal: RequestRefusal): ServiceResponse;
}

export function createApi(admin: AdminContext): Api {
  const router = createRouter(
    routes.map((route) => ({ method: route.method, segments: segmentsOf(route.path), endpoint: route })),
  );

  const respond = async (request: ServiceRequest, head: ParsedHead): Promise<ServiceResponse> => {
    const found = router.find(request.method, head.segments);
    if (found.kind === "unknown path")
      throw new OperationRefusal(404, "Not found", "GET /api lists the routes.");
    if (found.kind === "method not allowed")
      throw new OperationRefusal(
        405,
        "Method not allowed",
        `This route accepts ${found.allowed.join(", ")}.`,
        {
          headers: [["Allow", found.allowed.join(", ")]],
        },
      );
    const { endpoint: route, parameters } = found;
    const { call, end } = await readCall(request, head, parameters, route, admin);
    const result = await Promise.resolve(route.run(call)).finally(end);
    return {
      status: 200,
      headers: [["Content-Type", mediaTypeOf(route)]],
      body: route.streams ? (result as AsyncIterable<string>) : JSON.stringify(result),
    };
  };

  return {
    async fetch(request, head) {
      try {
        return await respond(request, head);
      } catch (error) {
        if (error instanceof BodyRefusal && error.aborted) throw error;
        const refusal = refusalOf(error);
        if (refusal) return refusalResponse(refusal);
        const stack = stackOf(error);
        admin.log.error({ error: stack }, "a fault");
        return refusalResponse(
          new OperationRefusal(500, "Internal error", "Internal error. The log has the details."),
        );
      }
    },
    refuse: (refusal) => refusalResponse(describeRefusal(refusal)),
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
