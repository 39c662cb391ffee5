/** Writes part 8 of an imported document: the limits that an export of Ninefold states. */
import type { Draft, Refusals } from "./draft.ts";
import type { Operation } from "../description/operations.ts";
import { type OwnLimit, ownLimits } from "../description/extensions.ts";

const items: Readonly<Record<string, string>> = {
  rate: "Rate limits",
  body: "Size limits",
  "time-out": "Time-outs",
  page: "Pagination bounds",
};

interface LimitRow extends OwnLimit {
  readonly endpoints: readonly string[];
}

/** @param seen what the description says of limits without stating them */
export function writeLimits(
  draft: Draft,
  refusals: Refusals,
  operations: readonly Operation[],
  seen: readonly string[],
): void {
  const rows = rowsOf(operations).filter((row) => !refusals.has(keyOf(row)));
  draft.add("## Limits");
  draft.gap();
  // The headers that an export of Ninefold has follow from its rows.
  if (seen.length > 0 && rows.length === 0) {
    draft.count("limits", "comment");
    draft.add(`<!-- openapi limits: ${seen.join("; ")} -->`);
    draft.gap();
  }
  const stated = new Set(rows.map(({ limit }) => limit.split(" ")[0]));
  for (const [kind, item] of Object.entries(items)) if (!stated.has(kind)) draft.add(`- ${item}: not shown`);
  draft.gap();
  if (rows.length === 0) return;
  draft.add("| Limit | Bound | Applies to |");
  draft.add("|---|---|---|");
  for (const row of rows) {
    draft.count("limits", "stated");
    // A limit of all operations names none of them.
    const isOfAll = row.limit !== "page" && row.endpoints.length === operations.length;
    const named = isOfAll ? (row.per === "" ? ["every request"] : []) : row.endpoints;
    const applies = [row.per, ...named].filter((text) => text !== "").join(", ");
    draft.add(`| ${row.limit} | ${row.bound} | ${applies.replaceAll("|", "\\|")} |`, keyOf(row));
  }
  draft.gap();
}

function keyOf({ limit, bound, per }: OwnLimit): string {
  return `limit ${limit} ${bound} ${per}`;
}

/** Equal limits of several operations as one row. */
function rowsOf(operations: readonly Operation[]): readonly LimitRow[] {
  const all = operations.flatMap((operation) =>
    ownLimits(operation).map((limit) => ({ limit, id: operation.id })),
  );
  return [...Map.groupBy(all, ({ limit }) => keyOf(limit)).values()].flatMap((same) =>
    same.slice(0, 1).map(({ limit }) => ({ ...limit, endpoints: same.map(({ id }) => id) })),
  );
}
