/**
 * Routing: finds the endpoint of a request. It answers CORS preflights, and rejects every other
 * request without an endpoint.
 */
import type { FormNode } from "../../fields/form.ts";
import type { Endpoint, Model, PathSegment } from "../../model/model.ts";
import { readForm } from "../http/form-reader.ts";
import type { ServiceRequest, ServiceResponse } from "../http/message.ts";
import { createRouter } from "../http/path-router.ts";
import type { ParsedHead } from "../http/strict-request.ts";
import type { CrossOrigin } from "../steps/cross-origin.ts";
import type { VersionPlan, VersionRequest } from "../steps/version.ts";
import { planRootMessage, routingProblem, gapOfAllRequests, problemOfRefusal } from "./error-response.ts";
import { textIn } from "./request-value.ts";
import type { RequestCredentials } from "../request-context.ts";

/** A request with a known endpoint. */
export interface RouteMatch {
  readonly kind: "endpoint";
  readonly request: ServiceRequest;
  readonly head: ParsedHead;
  readonly endpoint: Endpoint;
  readonly parameters: Readonly<Record<string, string>>;
  readonly query: FormNode;
  /** The parts of the request that state its version. */
  readonly versioned: VersionRequest;
  /** The parts of the request that contain its credentials. */
  readonly carried: RequestCredentials;
}

/**
 * Returns the endpoint of a request.
 * @throws Problem or NotShown if the document has no such endpoint
 */
export type FindRoute = (
  request: ServiceRequest,
  head: ParsedHead,
) => RouteMatch | { readonly kind: "preflight"; readonly answer: ServiceResponse };

export function createRouteFinder(model: Model, versions: VersionPlan, crossOrigin: CrossOrigin): FindRoute {
  const nothingServed = gapOfAllRequests(model);
  const hasPrefix = planRootMessage(model);
  const router = createRouter(routesOf(model, versions));
  return (request, head) => {
    const { method } = request;
    const { headers, segments } = head;
    if (nothingServed) throw nothingServed;
    const read = readForm(head.query);
    if (read.problem !== undefined)
      throw problemOfRefusal({ condition: "malformed request", status: 400, problem: read.problem });
    const query = read.form;
    const queryText = (name: string) => textIn(query, name);
    const versioned: VersionRequest = { method, headers, query: queryText, segments };
    const found = router.find(method, segments, head.path.endsWith("/"));
    if (found.kind === "found") {
      const credentials: RequestCredentials = { header: (name) => headers[name], query: queryText };
      const { endpoint, parameters } = found;
      return {
        kind: "endpoint",
        request,
        head,
        endpoint,
        parameters,
        query,
        versioned,
        carried: credentials,
      };
    }
    const methods = found.kind === "method not allowed" ? found.allowed : [];
    const isPreflight = method === "OPTIONS" && methods.length > 0;
    const answer = isPreflight ? crossOrigin.preflight(headers, methods) : undefined;
    if (answer) return { kind: "preflight", answer };
    throw versions.undescribed(versioned) ?? routingProblem(found, method, undefined, hasPrefix(segments));
  };
}

/** Returns each endpoint with each version prefix that its path may have. */
function routesOf({ endpoints, endpointsPart }: Model, { prefixes }: VersionPlan) {
  return endpoints.flatMap((endpoint) =>
    prefixes.map((prefix) => {
      const segments: PathSegment[] = [
        ...prefix,
        ...endpointsPart.basePath.segments,
        ...endpoint.path.segments,
      ];
      return { method: endpoint.method, segments, endpoint };
    }),
  );
}
