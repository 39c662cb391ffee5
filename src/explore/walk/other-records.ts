/**
 * Other records: those that a service has besides the records of the setup. The reference has only
 * the latter, so lists of such a service can't be compared.
 */
import type { Model } from "../../model/model.ts";
import type { Json } from "../../support/json.ts";
import { listRequests } from "../requests/first-request.ts";
import type { GivenStep } from "../comparison/implementation.ts";
import type { Lockstep } from "./lockstep.ts";
import { jsonOf } from "../stories/story.ts";
import { endpointName } from "./walked-step.ts";

export interface OtherRecords {
  /** The list that shows them: `GET /tasks`. */
  readonly endpoint: string;
  readonly listed: number;
  /** The number of records of that resource in the setup. */
  readonly given: number;
}

/** The maximum number of requests that look for other records. */
const requestsMax = 12;

/**
 * Reads the lists that need no record, before any other request. Fewer records than the setup has
 * prove nothing, because a service may show one caller the records of another by mistake.
 * @returns the first list with more records than the setup has; undefined if there is none
 */
export async function findOtherRecords(
  model: Model,
  given: readonly GivenStep[],
  lockstep: Lockstep,
): Promise<OtherRecords | undefined> {
  for (const { endpoint, request } of listRequests(model, given).slice(0, requestsMax)) {
    const response = await lockstep.read(request);
    if (response === undefined || response.status >= 400 || endpoint.resource === undefined) continue;
    const listed = longestList(jsonOf(response.body) ?? null);
    const known = await lockstep.first.recordsOf(endpoint.resource);
    if (listed > known.length) return { endpoint: endpointName(endpoint), listed, given: known.length };
  }
  return undefined;
}

/** The length of the list that the body is, or that one of its keys has. Lists within records aren't meant. */
function longestList(body: Json): number {
  if (Array.isArray(body)) return body.length;
  if (typeof body !== "object" || body === null) return 0;
  return Math.max(0, ...Object.values(body).map((value) => (Array.isArray(value) ? value.length : 0)));
}
