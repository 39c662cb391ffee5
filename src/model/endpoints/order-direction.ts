/**
 * Requested sort direction (part 4, `Order: … by query.direction`): `asc…` or `desc…`, in any case.
 */
export function parseDirection(text: string): "ascending" | "descending" | undefined {
  if (/^asc/i.test(text)) return "ascending";
  return /^desc/i.test(text) ? "descending" : undefined;
}
