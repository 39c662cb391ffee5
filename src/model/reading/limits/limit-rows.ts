/** Rows of part 8 by kind: what each adds to the model, and its gaps. */
import { rateInOurWords } from "../any-part/synonyms.ts";
import { types } from "../../../expressions/type.ts";
import { type Phrase, positionIn, unquote } from "../../../source/phrase.ts";
import { durationMs, sizeBytes } from "../../../support/quantity.ts";
import { isEmpty, isNone, isNotShown } from "../../../syntax/read.ts";
import type { DeclaredResource } from "../declarations.ts";
import type { LimitsPart } from "../../model.ts";
import { type AppliesCell, type AppliesForms, type LimitsReader, readApplies } from "./limit-applies.ts";
import {
  pageForms,
  parseCount,
  parsePage,
  parseRate,
  parseStored,
  rateForms,
  storedForms,
  type StoredBound,
} from "./limit-bounds.ts";
import { kindsOfLimits, type LimitCells, type LimitKind } from "./limit-names.ts";
import { recordsNamed } from "../any-part/part-names.ts";
import { suggestion } from "../any-part/part-reader.ts";
import { recordScope } from "../scopes/record-scope.ts";

/** Part 8 while it is read. */
export type LimitsDraft = {
  -readonly [K in keyof LimitsPart]: LimitsPart[K] extends readonly (infer T)[] ? T[] : LimitsPart[K];
};

const whole: AppliesForms = {
  per: false,
  when: false,
  cost: false,
  endpoints: false,
  answers: false,
  all: "every request",
};
const some: AppliesForms = { ...whole, endpoints: true };
const everyList: AppliesForms = { ...some, all: "every list" };
const counted: AppliesForms = { ...some, per: true, when: true, cost: true, answers: true };
const concurrent: AppliesForms = { ...counted, when: false, cost: false, answers: false };

/** Reads a row of a known kind. */
export function readLimitRow(
  reader: LimitsReader,
  cells: LimitCells & { kind: LimitKind },
  draft: LimitsDraft,
): void {
  const item = kindsOfLimits[cells.kind].item;
  const position = positionIn(cells.limit);
  if (isEmpty(cells.bound) || isNotShown(cells.bound)) {
    const at = isEmpty(cells.bound) ? position : positionIn(cells.bound);
    reader.answers.open(item, `the bound of \`${cells.limit.text}\``, at);
    return;
  }
  if (isNone(cells.bound)) {
    reader.answers.none(item, position);
    return;
  }
  reader.answers.stated(item, position);
  reader.about(item, `\`${cells.limit.text}\``, () => readers[cells.kind](reader, cells, draft));
}

/** A bound that consists of one number for all requests. */
type WholeBound = {
  [K in keyof LimitsDraft]-?: LimitsDraft[K] extends number | undefined ? K : never;
}[keyof LimitsDraft];

type RowReader = (reader: LimitsReader, cells: LimitCells, draft: LimitsDraft) => void;

const readers: Readonly<Record<LimitKind, RowReader>> = {
  rate: readRate,
  concurrency: readConcurrency,
  body: (reader, cells, draft) => {
    const bytes = readSize(reader, cells.bound);
    const cell = appliesOf(reader, cells, some);
    if (bytes === undefined || !cell) return;
    draft.bodyBytes.push({ bytes, applies: cell.applies, position: positionIn(cells.limit) });
  },
  url: (reader, cells, draft) => readWholeSize(reader, cells, draft, "urlBytes"),
  headers: (reader, cells, draft) => readWholeSize(reader, cells, draft, "headerBytes"),
  "time-out": (reader, cells, draft) => {
    const cell = appliesOf(reader, cells, some);
    const milliseconds = durationMs(unquote(cells.bound).text);
    if (!milliseconds) reader.unreadable(unquote(cells.bound), "a length of time, such as `10 seconds`");
    else if (cell)
      draft.timeoutsMs.push({ milliseconds, applies: cell.applies, position: positionIn(cells.limit) });
  },
  page: readPage,
  stored: readStored,
};

/** The cell `Applies to`. Undefined if what the bound applies to is unknown. */
function appliesOf(reader: LimitsReader, cells: LimitCells, forms: AppliesForms): AppliesCell | undefined {
  const cell = cells.applies;
  if (cell && isNotShown(cell)) {
    reader.gap(
      kindsOfLimits[cells.kind as LimitKind].item,
      `what \`${cells.limit.text}\` applies to`,
      positionIn(cell),
    );
    return undefined;
  }
  return readApplies(reader, cell && !isEmpty(cell) ? cell : undefined, forms);
}

function readRate(reader: LimitsReader, cells: LimitCells, draft: LimitsDraft): void {
  const position = positionIn(cells.limit);
  const bound = parseRate(cells.bound);
  const cell = appliesOf(reader, cells, counted);
  if ("unreadable" in bound) {
    reader.unreadable(bound.unreadable, rateInOurWords(bound.unreadable.text) ?? rateForms);
    return;
  }
  if (bound.burstOpen) {
    reader.gap("rate limits", `the burst of \`${cells.limit.text}\``, positionIn(bound.burstOpen));
  }
  if (!cell) return;
  if (cell.per === undefined) {
    // A limit per caller differs from one for all callers, so neither is assumed.
    const at = cells.applies && !isEmpty(cells.applies) ? positionIn(cells.applies) : position;
    const subject = `whether \`${cells.limit.text}\` counts per caller, address or service`;
    reader.gap("rate limits", subject, at);
    return;
  }
  draft.rates.push({
    name: cells.name.text,
    count: bound.count,
    periodMs: bound.periodMs,
    ...(bound.burst === undefined ? {} : { burst: bound.burst }),
    per: cell.per,
    applies: cell.applies,
    ...(cell.when ? { when: cell.when } : {}),
    ...(cell.cost ? { cost: cell.cost } : {}),
    ...(cell.exceptAnswers ? { exceptAnswers: cell.exceptAnswers } : {}),
    position,
  });
}

function readConcurrency(reader: LimitsReader, cells: LimitCells, draft: LimitsDraft): void {
  const count = parseCount(cells.bound);
  const cell = appliesOf(reader, cells, concurrent);
  if (count === undefined) reader.unreadable(unquote(cells.bound), "a number of requests, such as `10`");
  else if (cell) {
    const { applies, per } = cell;
    const position = positionIn(cells.limit);
    const name = cells.name.text;
    draft.concurrency.push({ name, count, ...(per === undefined ? {} : { per }), applies, position });
  }
}

function readSize(reader: LimitsReader, bound: Phrase): number | undefined {
  const bytes = sizeBytes(unquote(bound).text);
  return bytes ? bytes : reader.unreadable(unquote(bound), "a size, such as `64 KiB`");
}

/** Reads limits of the connection, which apply before the endpoint is known. */
function readWholeSize(reader: LimitsReader, cells: LimitCells, draft: LimitsDraft, key: WholeBound): void {
  appliesOf(reader, cells, whole);
  const bytes = readSize(reader, cells.bound);
  if (bytes !== undefined) draft[key] = bytes;
}

function readPage(reader: LimitsReader, cells: LimitCells, draft: LimitsDraft): void {
  const cell = appliesOf(reader, cells, everyList);
  const bound = parsePage(cells.bound);
  if ("unreadable" in bound) {
    reader.unreadable(bound.unreadable, pageForms);
    return;
  }
  for (const { what, phrase } of bound.open)
    reader.gap("pagination bounds", `the ${what} of \`page\``, positionIn(phrase));
  if (!cell) return;
  draft.pages.push({
    ...(bound.default === undefined ? {} : { default: bound.default }),
    ...(bound.maximum === undefined ? {} : { maximum: bound.maximum }),
    boundAt: positionIn(unquote(cells.bound)),
    over: bound.over ?? "refused",
    applies: cell.applies,
    position: positionIn(cells.limit),
  });
}

function readStored(reader: LimitsReader, cells: LimitCells, draft: LimitsDraft): void {
  appliesOf(reader, cells, whole);
  const bound = parseStored(cells.bound);
  if ("unreadable" in bound) {
    reader.unreadable(bound.unreadable, storedForms);
    return;
  }
  const resource = recordsNamed(reader, bound.resource);
  if (!resource) return;
  const scope = recordScope(reader.context.declarations, resource.name);
  const where = bound.where && reader.expression(bound.where, scope, types.boolean);
  const per = bound.per && readPerReference(reader, resource, bound.per);
  if ((bound.per && per === undefined) || (bound.where && !where)) return;
  draft.stored.push({
    name: cells.name.text,
    count: bound.count,
    resource: resource.name,
    ...(per === undefined ? {} : { per }),
    ...(where ? { where } : {}),
    position: positionIn(cells.limit),
  });
}

/** `per Account` is the only reference to an account; with several, `per customer` names one. */
function readPerReference(
  reader: LimitsReader,
  resource: DeclaredResource,
  per: NonNullable<StoredBound["per"]>,
): string | undefined {
  const references = [...resource.fields.values()].filter((field) => field.type.kind === "reference");
  const named = references.find((field) => field.name === per.text);
  if (named) return named.name;
  const leading = references.filter(
    (field) => field.type.kind === "reference" && field.type.resource === per.text,
  );
  if (leading.length === 1) return leading[0]?.name;
  const { reporter } = reader.context;
  if (leading.length > 1) {
    const params = { resource: resource.name, to: per.text, fields: leading.map((field) => field.name) };
    reporter.report("limits/ambiguous-reference", positionIn(per), params);
    return undefined;
  }
  const known = references.flatMap((field) =>
    field.type.kind === "reference" ? [field.type.resource, field.name] : [],
  );
  reporter.report("limits/no-reference", positionIn(per), {
    ...suggestion(per.text, new Set(known)),
    resource: resource.name,
  });
  return undefined;
}
