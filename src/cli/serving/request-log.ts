/** One structured line for each request: who asked what, what was answered, and how long it took. No body, no credential, no query. */
import type { ServiceHandler, ServiceRequest, ServiceResponse } from "../../engine/http/message.ts";
import type { Log } from "../../engine/ports.ts";
import type { Service } from "../../engine/service.ts";
import { after } from "../../support/awaitable.ts";

export function logRequests(service: Pick<Service, "fetch">, log: Log): ServiceHandler {
  return (request) => {
    const started = performance.now();
    return after(service.fetch(request), (answer) => told(request, answer, started));
  };

  function told(request: ServiceRequest, answer: ServiceResponse, started: number): ServiceResponse {
    const id = answer.headers.find(([name]) => name === "X-Request-Id")?.[1];
    log.info(
      {
        request: id,
        method: request.method,
        path: (request.target.split("?", 1)[0] as string).slice(0, 500),
        status: answer.status,
        ms: Math.round((performance.now() - started) * 100) / 100,
        address: request.remoteAddress,
      },
      "request",
    );
    return answer;
  }
}
