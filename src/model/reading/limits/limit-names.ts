/** Names of limits (3.8): `core` of `rate core`, and the kinds of those without a name. */
import { type Phrase, slice, trim, unquote } from "../../../source/phrase.ts";
import { memoizeBy } from "../../../support/memoize-by.ts";
import type { DocumentNode, ItemName, RowNode, TableNode } from "../../../syntax/nodes.ts";
import { cellOf, keyText } from "../../../syntax/read.ts";
import { partBlocks } from "../any-part/part-blocks.ts";

interface KindOfLimit {
  /** The one of the four items that it belongs to. */
  readonly item: ItemName;
  /** Whether there may be several, each with a name. */
  readonly isNamed?: true;
  /** Whether every request is subject to such a limit, stated or by default, so that part 7 may name it. */
  readonly isAlwaysThere?: true;
}

/** The kinds of rows in the column `Limit`. `limit-rows.ts` has a reader for each. */
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

/** The kinds that may occur several times, each with a name. */
export const namedKinds = limitKinds.filter((kind) => kindsOfLimits[kind].isNamed);

/** A row of a table of limits, with its first cell split: `rate core` → `rate`, `core`. */
export interface LimitCells {
  readonly limit: Phrase;
  /** Undefined if the first word is not a kind of limit. */
  readonly kind: LimitKind | undefined;
  readonly name: Phrase;
  readonly bound: Phrase;
  readonly applies: Phrase | undefined;
  readonly row: RowNode;
}

function isLimitTable(table: TableNode): boolean {
  return table.columns.some((column) => keyText(column) === "limit");
}

/** The rows of all tables of part 8 with a column `Limit`. */
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

/** All names by which part 7 may name a limit: `rate limited of hooks`, `too large of url`. */
export const limitNames = memoizeBy((document: DocumentNode): readonly string[] => {
  const names = limitCells(document).flatMap(({ kind, name }) =>
    kind === undefined ? [] : [name.text || kind],
  );
  return [...new Set([...names, ...limitKinds.filter((kind) => kindsOfLimits[kind].isAlwaysThere)])];
});
