/**
 * Part 8, limits. `declareLimits` gives the names of limits; `buildLimits` reads the rows and the
 * rate headers, and reports. For everything else the engine's own bounds apply.
 */
import { type Phrase, positionIn, unquote } from "../../../source/phrase.ts";
import type { Position } from "../../../source/source.ts";
import type { ItemNode } from "../../../syntax/nodes.ts";
import { isNone, isNotShown } from "../../../syntax/read.ts";
import { statementsOf } from "../../../syntax/statement.ts";
import type { LimitsPart } from "../../model.ts";
import type { BuildContext } from "../any-part/context.ts";
import type { LimitsReader } from "./limit-applies.ts";
import { parseRateHeaders, rateHeaderForms } from "./limit-bounds.ts";
import { splitAtWord } from "../any-part/when-clause.ts";
import { type LimitCells, limitCells, limitKinds, namedKinds } from "./limit-names.ts";
import { type LimitsDraft, readLimitRow } from "./limit-rows.ts";
import { type AllEndpoints, typesOfAllInputs } from "../endpoints/inputs/combined-inputs.ts";
import { partBlocks } from "../any-part/part-blocks.ts";
import { createPartReader, type ItemForm, suggestion } from "../any-part/part-reader.ts";

const limitColumns = ["Limit", "Bound", "Applies to", "Meaning"];

/** The names of rates (`core` of `rate core`), and whether they are complete. Reports nothing. */
export function declareLimits({ document }: BuildContext): {
  readonly rateNames: ReadonlyMap<string, Position>;
  readonly ratesAreKnown: boolean;
} {
  const rateNames = new Map<string, Position>();
  const all = limitCells(document);
  for (const { kind, name, limit } of all) {
    const called = name.text || "rate";
    if (kind === "rate" && !rateNames.has(called))
      rateNames.set(called, positionIn(name.text ? name : limit));
  }
  const part = document.parts.limits;
  const areNone =
    part && statementsOf(part).some(({ item, answer }) => item === "rate limits" && answer === "none");
  return { rateNames, ratesAreKnown: all.length > 0 || areNone === true };
}

/** Builds part 8 of the model. */
export function buildLimits(context: BuildContext, all: AllEndpoints): LimitsPart {
  const { path, query } = typesOfAllInputs(all);
  const reader: LimitsReader = { ...createPartReader(context, "limits"), sent: { path, query } };
  const draft: LimitsDraft = {
    rates: [],
    concurrency: [],
    bodyBytes: [],
    timeoutsMs: [],
    pages: [],
    stored: [],
  };
  const blocks = partBlocks(context.document, "limits");
  for (const table of blocks.tables) reader.columns(table, "Limit", limitColumns);
  const first = new Map<string, LimitCells>();
  for (const cells of limitCells(context.document)) {
    if (isKnownKind(reader, cells) && !isRepeated(reader, cells, first)) readLimitRow(reader, cells, draft);
  }
  reader.items(blocks.items, [...wholeItems(reader), rateHeadersItem(reader, draft)]);
  reader.answers.flush();
  return draft;
}

function isKnownKind(
  reader: LimitsReader,
  cells: LimitCells,
): cells is LimitCells & { kind: NonNullable<LimitCells["kind"]> } {
  const { limit, kind, name } = cells;
  if (kind === undefined) {
    if (limit.text === "") reader.unreadable(limit, "what the row limits, `rate` or `body`");
    else
      reader.context.reporter.report(
        "limits/unknown-limit",
        positionIn(limit),
        suggestion(limit.text, limitKinds),
      );
    return false;
  }
  if (name.text !== "" && (!namedKinds.includes(kind) || !/^[\w-]+$/.test(name.text))) {
    reader.unreadable(name, namedKinds.includes(kind) ? "a name of one word" : `\`${kind}\` alone`);
    return false;
  }
  return true;
}

/**
 * Rates and quotas are distinguished by their names. `url` and `headers` apply to all requests, so
 * there is one of each.
 */
function isRepeated(reader: LimitsReader, cells: LimitCells, first: Map<string, LimitCells>): boolean {
  const { kind, name, limit } = cells;
  if (kind === "body" || kind === "time-out" || kind === "page") return false;
  // Two quotas without names are distinguished by what they count, and in-flight bounds by whom
  // they apply to.
  if (name.text === "" && (kind === "stored" || kind === "concurrency")) return false;
  const key = name.text === "" ? (kind as string) : name.text;
  const before = first.get(key);
  if (!before) {
    first.set(key, cells);
    return false;
  }
  const related = [{ position: positionIn(before.limit), message: "First defined here." }];
  reader.context.reporter.report(
    "limits/repeated-limit",
    positionIn(limit),
    { name: key, named: namedKinds.includes(kind as never) },
    related,
  );
  return true;
}

/**
 * The four items by name. The ledger reads their `none` and `not shown`; the table has the bounds.
 */
function wholeItems(reader: LimitsReader): ItemForm[] {
  const { ledger } = reader.context;
  const forms = [
    ["Rate limits", "rate limits", "`none`, or a row `| rate | 100 per second | caller |`"],
    ["Size limits", "size limits", "`none`, or a row `| body | 64 KiB | every request |`"],
    ["Time-outs", "time-outs", "`none`, or a row `| time-out | 10 seconds | every request |`"],
    [
      "Pagination bounds",
      "pagination bounds",
      "`none`, or a row `| page | default 20, maximum 100 | every list |`",
    ],
  ] as const;
  return forms.map(([key, name, expected]) => ({
    key,
    expected,
    read(item: ItemNode) {
      if (isNone(item.value)) ledger.none(name, item.position);
      else if (isNotShown(item.value)) ledger.notShown(name, item.position);
      else reader.unreadable(item.value, expected);
    },
  }));
}

function rateHeadersItem(reader: LimitsReader, draft: LimitsDraft): ItemForm {
  return {
    key: "Rate headers",
    expected: rateHeaderForms,
    read(item) {
      if (isNotShown(item.value)) {
        reader.gap("rate limits", "the rate limit headers", item.position);
        return;
      }
      const [value, of] = splitAtWord(item.value, "of") ?? [item.value, undefined];
      if (of && !isRateName(reader, unquote(of))) return;
      const headers = parseRateHeaders(value);
      if (typeof headers === "object" && "unreadable" in headers)
        reader.unreadable(headers.unreadable, rateHeaderForms);
      else if (headers === "none" && of) reader.unreadable(item.value, rateHeaderForms);
      else {
        draft.rateHeaders = headers;
        if (of) draft.rateHeadersOf = unquote(of).text;
      }
    },
  };
}

/** Whether a rate has the name, even if the rate is a gap. The rate without a name is called `rate`. */
function isRateName(reader: LimitsReader, name: Phrase): boolean {
  const rates = limitCells(reader.context.document).filter(({ kind }) => kind === "rate");
  const names = rates.map((cells) => cells.name.text || "rate");
  if (names.includes(name.text)) return true;
  const list = names.map((name) => `\`${name}\``).join(", ");
  reader.unreadable(
    name,
    names.length > 0 ? `the name of a rate: ${list}` : "the name of a rate, and there is none",
  );
  return false;
}
