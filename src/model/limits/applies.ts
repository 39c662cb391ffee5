/** Applicable limits: the rows of part 8 that apply to an endpoint. */
import type { Applies, Endpoint } from "../model.ts";

export function appliesTo(applies: Applies, endpoint: Endpoint): boolean {
  const named = (list: readonly { readonly method: string; readonly path: string }[]) =>
    list.some((list) => list.method === endpoint.method && samePath(list.path, endpoint.path.text));
  if (named(applies.except)) return false;
  if (applies.to === "every request") return true;
  if (applies.to === "every list") return endpoint.does.some((does) => does.kind === "list");
  return named(applies.to);
}

/** The row for the endpoint. A row that names it takes precedence over rows for every request or every list. */
export function closestRow<T extends { readonly applies: Applies }>(
  rows: readonly T[],
  endpoint: Endpoint,
): T | undefined {
  const fitting = rows.filter((row) => appliesTo(row.applies, endpoint));
  return fitting.find((row) => typeof row.applies.to === "object") ?? fitting[0];
}

/** Whether two paths are equal, regardless of the names of parameters and a final slash. */
export function samePath(a: string, b: string): boolean {
  const normal = (path: string) => path.replace(/\{[^}]*\}/g, "{}").replace(/\/$/, "");
  return normal(a) === normal(b);
}
