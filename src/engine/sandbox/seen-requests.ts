/** The last requests of a data space: what was asked and how it was answered, for whoever looks into a test that failed. No bodies, no credentials. */
import type { ServiceRequest, ServiceResponse } from "../http/message.ts";
import type { Clock } from "../ports.ts";
import { sandboxLimits } from "./limits.ts";

export interface SeenRequest {
  readonly id: string | null;
  /** By the clock of the data space. */
  readonly time: string;
  readonly method: string;
  readonly path: string;
  readonly status: number;
}

export interface SeenRequests {
  note(request: ServiceRequest, answer: ServiceResponse): void;
  /** The oldest first. */
  all(): readonly SeenRequest[];
  clear(): void;
}

const pathLengthMax = 500;

export function createSeenRequests(clock: Clock): SeenRequests {
  let seen: SeenRequest[] = [];
  return {
    note(request, answer) {
      seen.push({
        id: answer.headers.find(([name]) => name === "X-Request-Id")?.[1] ?? null,
        time: new Date(clock.now()).toISOString(),
        method: request.method,
        path: (request.target.split("?", 1)[0] as string).slice(0, pathLengthMax),
        status: answer.status,
      });
      // Cut now and then, for a list that loses its first with each request would be moved with each.
      if (seen.length > 2 * sandboxLimits.requestsMax) seen = seen.slice(-sandboxLimits.requestsMax);
    },
    all: () => seen.slice(-sandboxLimits.requestsMax),
    clear() {
      seen = [];
    },
  };
}
