/**
 * The service's description, which every page uses: requested once, and again when the stream
 * restarts, because another service may run then.
 */
import type { ServedResponse } from "../../../src/admin/api/document/served.ts";
import { call } from "../api/call.ts";
import { ApiError } from "../api/api-error.ts";
import { clockAheadMs } from "../parts/time.tsx";
import { state } from "../state.ts";

export type Service = ServedResponse;

/** Undefined until it is loaded. */
export const service = state<Service | undefined>(undefined);
/** Why it couldn't be loaded. */
export const serviceError = state<ApiError | undefined>(undefined);

export async function requestService(): Promise<void> {
  try {
    const answer = await call<ServedResponse>("GET", "/api/served");
    service.value = answer;
    serviceError.value = undefined;
    clockAheadMs.value = Date.parse(answer.clock.now) - Date.now();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    serviceError.value = error;
  }
}
