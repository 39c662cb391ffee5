/**
 * Request spans: a trace span for each request, named after the document's endpoint and never after
 * the requested path.
 */
import type { Endpoint, Model } from "../../model/model.ts";
import type { ServiceRequest, ServiceResponse } from "../http/message.ts";
import type { SpanContext, Tracer } from "../trace.ts";

export interface RequestSpan {
  readonly place: SpanContext;
  /** Ends the span when the response was sent or its stream has started. */
  end(request: ServiceRequest, response: ServiceResponse, endpoint: Endpoint | undefined, id: string): void;
}

/** Methods that spans report by name. A client could invent any other name. */
const knownMethods: ReadonlySet<string> = new Set([
  "GET",
  "HEAD",
  "POST",
  "PUT",
  "PATCH",
  "DELETE",
  "OPTIONS",
]);

export function methodOf(method: string): string {
  return knownMethods.has(method) ? method : "_OTHER";
}

export function beginRequestSpan(tracer: Tracer, model: Model, traceparent: string | undefined): RequestSpan {
  const place = tracer.begin(traceparent);
  const beganMs = tracer.now();
  return {
    place,
    end({ method }, { status }, endpoint, id) {
      if (!place.isSampled) return;
      const known = methodOf(method);
      const route = endpoint && routeOf(model, endpoint);
      tracer.record({
        context: place,
        name: route === undefined ? known : `${known} ${route}`,
        kind: "server",
        beganMs,
        endedMs: tracer.now(),
        attributes: {
          "http.request.method": known,
          ...(route === undefined ? {} : { "http.route": route }),
          "http.response.status_code": status,
          "ninefold.request": id,
        },
        ...(status >= 500 ? { error: `answered ${status}` } : {}),
      });
    },
  };
}

/** The endpoint's path with the service's base path: `/v1/parcels/{id}`. */
export function routeOf(model: Model, { path }: Endpoint): string {
  return model.endpointsPart.basePath.text.replace(/\/$/, "") + path.text;
}
