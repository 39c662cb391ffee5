/** Names of limits (3.8): `core` of `rate core`, and the kinds of those without a name. */
import { type Phrase, slice, trim, unquote } from "../../../source/phrase.ts";
import { memoizeBy } from "../../../support/memoize-by.ts";
import type { DocumentNode, ItemName, RowNode, TableNode } from "../../../syntax/nodes.ts";
import { cellOf, keyText } from "../../../syntax/read.ts";
import { partBlocks } from "../any-part/part-blocks.ts";

interface KindOfLimit {
  /** Which of the four items it belongs to. */
  readonly item: ItemName;
  /** There may be several, each with a name. */
  readonly isNamed?: true;
  /** Every request meets one, stated or the engine's own, so that part 7 may speak of it. */
  readonly isAlwaysThere?: true;
}

/** The kinds of rows, as in the column `Limit`; each has its own reader in `limit-rows.ts`. */
const table = {
  rate: { item: "rate limits", isNamed: true },
  concurrency: { item: "rate limits", isNamed: true },
  body: { item: "size limits", isAlwaysThere: true },
  url: { item: "size limits", isAlwaysThere: true },
  headers: { item: "size limits", isAlwaysThere: true },
  "time-out": { item: "time-outs", isAlwaysThere: true },
  page: { item: "pagination bounds" },
  stored: { item: "size limits", isNamed: true },
} as const satisfies Readonly<Record<string, KindOfLimit>>;

export type LimitKind = keyof typeof table;

export const kindsOfLimits: Readonly<Record<LimitKind, KindOfLimit>> = table;
export const limitKinds = Object.keys(table) as readonly LimitKind[];

/** The kinds of which there may be several, each with a name. */
export const namedKinds = limitKinds.filter((kind) => kindsOfLimits[kind].isNamed);

/** One row of a table of limits, its first cell parted: `rate core` → `rate`, `core`. */
export interface LimitCells {
  readonly limit: Phrase;
  /** Undefined if the first word is no kind of limit. */
  readonly kind: LimitKind | undefined;
  readonly name: Phrase;
  readonly bound: Phrase;
  readonly applies: Phrase | undefined;
  readonly row: RowNode;
}

function isLimitTable(table: TableNode): boolean {
  return table.columns.some((column) => keyText(column) === "limit");
}

/** The rows of all tables of part 8 that have a column `Limit`. */
export function limitCells(document: DocumentNode): LimitCells[] {
  return partBlocks(document, "limits")
    .tables.filter(isLimitTable)
    .flatMap((table) =>
      table.rows.map((row) => {
        const limit = unquote(cellOf(table, row, "Limit") as Phrase);
        const first = /^\S*/.exec(limit.text)?.[0] ?? "";
        return {
          limit,
          kind: limitKinds.find((kind) => kind === first.toLowerCase()),
          name: unquote(trim(slice(limit, first.length))),
          bound: cellOf(table, row, "Bound") ?? slice(limit, limit.text.length),
          applies: cellOf(table, row, "Applies to"),
          row,
        };
      }),
    );
}

/** All names by which part 7 may speak of a limit: `rate limited of hooks`, `too large of url`. */
export const limitNames = memoizeBy((document: DocumentNode): readonly string[] => {
  const names = limitCells(document).flatMap(({ kind, name }) =>
    kind === undefined ? [] : [name.text || kind],
  );
  return [...new Set([...names, ...limitKinds.filter((kind) => kindsOfLimits[kind].isAlwaysThere)])];
});
