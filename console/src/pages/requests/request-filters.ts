/**
 * Filters of the requests in the URL. The service filters fetched rows; this file applies the same
 * filters to live ones.
 */
import type { RequestRow } from "../../../../src/admin/api/requests/requests.ts";
import { parameter } from "../../routing/address.ts";

export type RequestFilters = Readonly<
  Record<"status" | "method" | "endpoint" | "caller" | "text" | "condition" | "record", string | undefined>
>;

export function filtersInAddress(): RequestFilters {
  return {
    status: parameter("status"),
    method: parameter("method"),
    endpoint: parameter("endpoint"),
    caller: parameter("caller"),
    text: parameter("text"),
    condition: parameter("condition"),
    record: parameter("record"),
  };
}

/** Applies all filters but `record`, which the rows don't have. */
export function matchesFilters(row: RequestRow, filters: RequestFilters): boolean {
  const { status, method, endpoint, caller, text, condition } = filters;
  const lowerCaseText = text?.toLowerCase();
  return (
    (status === undefined ||
      (status.endsWith("xx") ? String(row.status)[0] === status[0] : String(row.status) === status)) &&
    (method === undefined || row.method === method) &&
    (endpoint === undefined || row.endpoint === endpoint) &&
    (caller === undefined || row.caller?.id === caller || row.caller?.resource === caller) &&
    (condition === undefined || row.condition === condition || row.code === condition) &&
    (lowerCaseText === undefined ||
      (row.path.split("?", 1)[0] as string).toLowerCase().includes(lowerCaseText) ||
      row.id.includes(lowerCaseText))
  );
}
