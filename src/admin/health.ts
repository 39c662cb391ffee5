/**
 * Health endpoints `/livez` and `/readyz`, for systems that manage instances. They also answer
 * before the service has started and after it has stopped. They name the failed check and contain
 * no figures; `/metrics` has those, for authorized clients.
 */
import type { ServiceRequest, ServiceResponse } from "../engine/http/message.ts";
import { validateHead } from "../engine/http/strict-request.ts";
import { plainResponse } from "./responses.ts";
import { createGuard, inAddress, type AdminEndpoint } from "./guard.ts";
import type { AdminContext } from "./context.ts";

/** `migrating`: this instance, or one that it waits for, is changing the tables of the store. */
export type Serving = "starting" | "migrating" | "draining" | AdminContext;

export interface Health {
  /** Undefined for any other path. */
  answer(request: ServiceRequest): Promise<ServiceResponse> | undefined;
  become(serving: Serving): void;
}

export const healthLimits = {
  /** The minimum of free disk space, in bytes, because the log of a large change needs more. */
  freeBytesMin: 16 * 1024 * 1024,
  /**
   * The maximum time that a delivery may be due without an attempt, in milliseconds. It applies to
   * receivers that accept deliveries.
   */
  overdueMsMax: 300_000,
} as const;

export function createHealth(endpoint: () => AdminEndpoint): Health {
  let serving: Serving = "starting";
  const answers: Readonly<Record<string, () => Promise<ServiceResponse>>> = {
    "/livez": async () => plainResponse(200, "ok"),
    "/readyz": () => readiness(serving),
  };
  const answer = async (request: ServiceRequest, ready: () => Promise<ServiceResponse>) => {
    const { head, refusal } = validateHead(request);
    if (refusal) return plainResponse(refusal.status, refusal.problem);
    const { method, remoteAddress } = request;
    const at = endpoint();
    const headers = { ...head.headers, host: hostWithPort(head.headers["host"], at) };
    if (!createGuard(at).isAllowed({ method, remoteAddress, headers })) return plainResponse(403, "");
    if (method !== "GET" && method !== "HEAD") return plainResponse(405, "This route accepts GET.");
    return ready();
  };
  return {
    answer(request) {
      const ready = answers[request.target.split("?", 1)[0] as string];
      return ready && answer(request, ready);
    },
    become(next) {
      serving = next;
    },
  };
}

/**
 * Completes the host. Health checks often send none (HTTP/1.0, as HAProxy does), or omit the port.
 */
function hostWithPort(named: string | undefined, { host, port }: AdminEndpoint): string {
  const name = named ?? inAddress(host);
  return /:\d+$/.test(name) ? name : `${name}:${port}`;
}

async function readiness(serving: Serving): Promise<ServiceResponse> {
  if (typeof serving === "string") return plainResponse(503, serving);
  const { service } = await serving.space();
  const { obstacle, freeBytes, servingState } = service.internals.context.store.status();
  // Until the service is open, the store can't be queried.
  if (servingState !== "serving")
    return plainResponse(503, `migrations: ${servingState === "superseded" ? "superseded" : "migrating"}`);
  const checks = [
    ["store", obstacle === null],
    ["migrations", true],
    ["disk", freeBytes === null || freeBytes >= healthLimits.freeBytesMin],
    ["deliveries", !(await service.deliveries.isBehind(healthLimits.overdueMsMax))],
  ] as const;
  const isReady = checks.every(([, holds]) => holds);
  return plainResponse(
    isReady ? 200 : 503,
    checks.map(([name, holds]) => `${name}: ${holds ? "ok" : "failing"}`).join("\n"),
  );
}
