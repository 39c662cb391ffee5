/**
 * Row lookup in part 7: the most specific row for a problem, then those of the condition's
 * fallbacks, then the engine's default status, code and message (marked as such).
 */
import { samePath } from "../limits/applies.ts";
import { type Condition, conditions, nextOf } from "./conditions.ts";
import type { FieldType } from "../../fields/type.ts";
import { typeWithin } from "../resources/field-path.ts";
import type { ErrorRow, ErrorSubject, Model } from "../model.ts";

/** What determines the row: the condition and its subject. */
export interface ChosenBy {
  readonly condition: Condition;
  /** A code that `Fails` and similar items name. The row of that code applies. */
  readonly code?: string;
  readonly resource?: string;
  readonly field?: string;
  /** The resource's field behind the blamed input, if it has another name: rows `of Message.to` refer to it. */
  readonly ofField?: string;
  /** As rows name it: `query.cursor`, without indexes. */
  readonly input?: string;
  readonly endpoint?: { readonly method: string; readonly path: string };
  readonly scheme?: string;
  readonly type?: string;
  readonly rule?: { readonly rule: string };
  readonly transition?: string;
  readonly limitName?: string;
  /** For an *unknown reference*: the resource that the input refers to. */
  readonly refersTo?: string;
}

export interface RowChoice {
  readonly row?: ErrorRow;
  /** The condition whose row or default applies, after fallbacks. */
  readonly condition: Condition;
}

export type RowChooser = (blame: ChosenBy) => RowChoice;

export function createRowChooser(model: Model): RowChooser {
  const { rows } = model.errors;
  const valuesAt = createValueFinder(model);
  const byCode = new Map<string, ErrorRow>();
  for (const row of rows) {
    if (row.code === undefined) continue;
    // Part 7: of several rows of a code, `Fails` and similar items use the one with an empty `When`.
    const known = byCode.get(row.code);
    if (!known || (known.when.length > 0 && row.when.length === 0)) byCode.set(row.code, row);
  }
  return (blame) => {
    if (blame.code !== undefined) {
      const row = byCode.get(blame.code);
      if (row) return { row, condition: row.when[0]?.condition ?? blame.condition };
    }
    for (let condition: Condition | undefined = blame.condition; condition; condition = nextOf(condition)) {
      const row = mostSpecific(rows, condition, blame, valuesAt);
      if (row) return { row, condition };
    }
    return { condition: blame.condition };
  };
}

/**
 * Part 7, `error.code`: the row's own code (null if it has none). Without a row it is the
 * condition's name, `not_found`, so that clients can always distinguish errors. A document that
 * states to have no codes has none there either.
 */
export function createCodeReader(model: Model): (choice: RowChoice) => string | null {
  const areNone = model.ledger.some(({ item, answer }) => item === "error codes" && answer === "none");
  return ({ row, condition }) => (row ? (row.code ?? null) : areNone ? null : conditionCode(condition));
}

/** `sign-in failed` → `sign_in_failed`. */
export function conditionCode(condition: Condition): string {
  return condition.replaceAll(/[ -]/g, "_");
}

/**
 * The conditions that may be answered without a row: neither they nor their fallbacks have a row
 * without a subject.
 */
export function conditionsWithoutRow({ errors: { rows } }: Model): readonly Condition[] {
  const isCovered = (condition: Condition | undefined): boolean =>
    condition !== undefined &&
    (rows.some(({ when }) => when.some((when) => when.condition === condition && when.of.length === 0)) ||
      isCovered(nextOf(condition)));
  return conditions.filter((condition) => !isCovered(condition));
}

export function hasRowFor(model: Model, condition: Condition): boolean {
  return model.errors.rows.some((row) => row.when.some((when) => when.condition === condition));
}

function mostSpecific(
  rows: readonly ErrorRow[],
  condition: Condition,
  blame: ChosenBy,
  valuesAt: ValueFinder,
): ErrorRow | undefined {
  let best: ErrorRow | undefined;
  let bestRank = -1;
  for (const row of rows) {
    for (const when of row.when) {
      if (when.condition !== condition) continue;
      const rank = rankOf(when, blame, valuesAt);
      if (rank > bestRank) {
        best = row;
        bestRank = rank;
      }
    }
  }
  return best;
}

/** How specific a row is for the blame. −1 if the row doesn't apply. */
function rankOf({ condition, of }: ErrorRow["when"][number], blame: ChosenBy, valuesAt: ValueFinder): number {
  let rank = 0;
  for (const subject of of) {
    const own = rankOfSubject(condition, subject, blame, valuesAt);
    if (own < 0) return -1;
    rank += own;
  }
  return rank;
}

/** An endpoint outranks everything else together. */
function rankOfSubject(
  condition: Condition,
  of: ErrorSubject,
  blame: ChosenBy,
  valuesAt: ValueFinder,
): number {
  switch (of.kind) {
    case "type":
      return blame.type === of.type ? 1 : -1;
    case "rule":
      return blame.rule?.rule === of.rule ? 1.2 : -1;
    case "scheme":
      return blame.scheme === of.scheme ? 3 : -1;
    case "input":
      return blame.input === of.input ? 4.5 : -1;
    case "endpoint": {
      const { endpoint } = blame;
      return endpoint?.method === of.method && samePath(endpoint.path, of.path) ? 20 : -1;
    }
    case "resource":
      // A missing record is a more specific reason than the access to it.
      if (condition === "unknown reference" && blame.refersTo === of.resource) return 3;
      if (blame.resource === of.resource) return 2;
      return valuesAt(blame).some(({ value }) => value === of.resource) ? 1.5 : -1;
    case "transition":
      return blame.transition === of.transition &&
        (of.resource === undefined || of.resource === blame.resource)
        ? 3
        : -1;
    case "limit":
      return blame.limitName === of.limit ? 3 : -1;
    case "field":
      if (blame.resource === of.resource && fieldOf(blame) === of.field) return 4;
      return valuesAt(blame).some(({ value, field }) => value === of.resource && field === of.field)
        ? 3.5
        : -1;
  }
}

function fieldOf({ ofField, field }: ChosenBy): string | undefined {
  return (ofField ?? field)?.replace(/\[\d*\]/g, "");
}

/** The embedded values that contain the blamed field, each with the field's name in it: `amount.value` is `Amount.value`. */
type ValueFinder = (blame: ChosenBy) => readonly { readonly value: string; readonly field: string }[];

function createValueFinder({ resources }: Model): ValueFinder {
  const typeOf = (resource: string, field: string): FieldType | undefined =>
    resources.find(({ name }) => name === resource)?.fields.find(({ name }) => name === field)?.type;
  return (blame) => {
    const [first = "", ...inside] = fieldOf(blame)?.split(".") ?? [];
    const start = blame.resource === undefined ? undefined : typeOf(blame.resource, first);
    if (!start) return [];
    return inside.flatMap((_, at) => {
      const type = elementOf(typeWithin(start, inside.slice(0, at), typeOf));
      return type?.kind === "value" ? [{ value: type.resource, field: inside.slice(at).join(".") }] : [];
    });
  };
}

/** The element type of a list or a map. */
function elementOf(type: FieldType | undefined): FieldType | undefined {
  return type?.kind === "list" || type?.kind === "map" ? elementOf(type.of) : type;
}
