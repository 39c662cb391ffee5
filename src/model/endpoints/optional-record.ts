/**
 * The endpoint's own record, and whether it may be missing: `, if any` covers it, not the records of
 * shorter paths.
 */
import { mayCreate } from "./does.ts";
import type { Endpoint, PathRecord } from "../model.ts";

/**
 * Whether the record is the endpoint's own: its target, or the record that `PUT /books/{code}`
 * creates if missing.
 */
export function isOwnRecord(endpoint: Endpoint, record: PathRecord): boolean {
  return record.target || (record.resource === endpoint.resource && record.path === endpoint.path.text);
}

/** Whether the endpoint accepts that its own record is missing, and creates none. */
export function hasOptionalRecord({ does }: Endpoint): boolean {
  return does.some((action) => "ifAny" in action && action.ifAny) && !does.some(mayCreate);
}

/** Whether a path parameter finds the endpoint's own record, which may be missing. */
export function findsOptional(endpoint: Endpoint, parameter: string): boolean {
  const record = endpoint.records.find(({ by }) => by?.parameter === parameter);
  return hasOptionalRecord(endpoint) && (!record || isOwnRecord(endpoint, record));
}
