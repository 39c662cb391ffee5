/** One structured line for each request: who asked what, what was answered, and how long it took. No body, no credential, no query. */
import type { ServiceHandler } from "../../engine/http/message.ts";
import type { Log } from "../../engine/ports.ts";
import type { Service } from "../../engine/service.ts";

export function logRequests(service: Pick<Service, "fetch">, log: Log): ServiceHandler {
  return async (request) => {
    const started = performance.now();
    const answer = await service.fetch(request);
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
  };
}
