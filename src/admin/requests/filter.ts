/** Request filter: selects requests of the journal. */
import type { RequestJournal } from "../../engine/observability/request-journal.ts";
import { conditionOf } from "./serialize-request.ts";
import type { JournalEntry } from "../../engine/observability/journal-entry.ts";

export interface RequestFilter {
  /** A status such as `409`, or a class such as `4xx`. */
  readonly status?: string | undefined;
  readonly method?: string | undefined;
  /** The heading of an endpoint: `GET /parcels`. */
  readonly endpoint?: string | undefined;
  /** The identifier of the caller, or the resource of callers. */
  readonly caller?: string | undefined;
  /** A text within the path or the request id. */
  readonly text?: string | undefined;
  /** A condition or an error code of part 7. */
  readonly condition?: string | undefined;
  /** A changed record such as `Parcel/pcl_1`, or a resource. */
  readonly record?: string | undefined;
}

export function matchesFilter(
  journal: RequestJournal,
  request: JournalEntry,
  filter: RequestFilter,
): boolean {
  const { status, method, endpoint, caller, text, condition, record } = filter;
  return (
    (status === undefined || isOfStatus(request.status, status)) &&
    (method === undefined || request.method === method.toUpperCase()) &&
    (endpoint === undefined || endpointText(request) === endpoint) &&
    (caller === undefined || request.caller?.id === caller || request.caller?.resource === caller) &&
    (text === undefined || hasText(journal, request, text.toLowerCase())) &&
    (condition === undefined || conditionOf(request) === condition || request.code === condition) &&
    (record === undefined ||
      request.changes.some(({ resource, id }) => record === resource || record === `${resource}/${id}`))
  );
}

function endpointText({ endpoint }: JournalEntry): string | undefined {
  return endpoint ? `${endpoint.method} ${endpoint.path.text}` : undefined;
}

function isOfStatus(status: number, expected: string): boolean {
  return /^[1-5]xx$/.test(expected) ? String(status)[0] === expected[0] : String(status) === expected;
}

/** Searches the displayed text only, so that a search can't find out secrets. */
function hasText(journal: RequestJournal, { endpoint, target, id }: JournalEntry, small: string): boolean {
  const [path = ""] = journal.mask(endpoint).target(target).split("?", 1);
  return path.toLowerCase().includes(small) || id.includes(small);
}
