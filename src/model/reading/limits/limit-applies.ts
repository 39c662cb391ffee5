/**
 * Scope of a limit (part 8, column `Applies to`): whose requests are counted, at which endpoints,
 * and under which condition.
 * ```text caller, except GET /rate_limit, when caller != null, costing size(query.ids) ^per ^except
 * ^when ^cost ```
 */
import { nonNull } from "../../../support/non-null.ts";
import type { Expression } from "../../../expressions/node.ts";
import { type Scope, withFixed } from "../../../expressions/scope.ts";
import { type Type, types } from "../../../expressions/type.ts";
import { type Phrase, splitOutside, unquote } from "../../../source/phrase.ts";
import { afterWord, keyText } from "../../../syntax/read.ts";
import type { Applies, RateLimit } from "../../model.ts";
import { type EndpointName, knownEndpoint, parseEndpointName } from "../any-part/endpoint-names.ts";
import type { PartReader } from "../any-part/part-reader.ts";
import { splitNames } from "../any-part/when-clause.ts";

export type LimitsReader = PartReader<"limits"> & {
  /** The inputs of any endpoint, without bodies, because limits are checked before bodies are read. */
  readonly sent: { readonly path: Type; readonly query: Type };
};

export interface AppliesCell {
  readonly applies: Applies;
  readonly per?: RateLimit["per"];
  readonly when?: Expression;
  readonly cost?: Expression;
  readonly exceptAnswers?: readonly number[];
}

/** What `Applies to` may state for a kind of limit, besides endpoints. */
export interface AppliesForms {
  readonly per: boolean;
  readonly when: boolean;
  readonly cost: boolean;
  readonly endpoints: boolean;
  readonly answers: boolean;
  /** What the limit applies to if no endpoint is named. */
  readonly all: "every request" | "every list";
}

type Draft = { -readonly [K in keyof AppliesCell]: AppliesCell[K] } & {
  to: EndpointName[];
  except: EndpointName[];
  answers: number[];
  /**
   * The kind of the previous piece (`POST /a`, `except GET /b` or `except answers 304`), which an endpoint or a
   * status alone continues.
   */
  last: "to" | "except" | "answers";
  /** Whether the complete cell could be read. */
  whole: boolean;
};

/** Reads the cell. Undefined if a part of it is wrong or not shown, because the limit would then apply to other requests. */
export function readApplies(
  reader: LimitsReader,
  cell: Phrase | undefined,
  forms: AppliesForms,
): AppliesCell | undefined {
  const applies: Applies = { to: forms.all, except: [] };
  const draft: Draft = { applies, to: [], except: [], answers: [], last: "to", whole: true };
  for (const piece of cell ? splitOutside(cell, ",") : []) {
    if (!readPiece(reader, piece, forms, draft)) draft.whole = false;
  }
  const { to, except, answers, last: _last, whole, ...read } = draft;
  const exceptAnswers = answers.length > 0 ? { exceptAnswers: answers } : {};
  return whole
    ? { ...read, ...exceptAnswers, applies: { to: to.length > 0 ? to : forms.all, except } }
    : undefined;
}

/** Reads a piece. Returns whether it was readable; otherwise it was reported. */
function readPiece(reader: LimitsReader, piece: Phrase, forms: AppliesForms, draft: Draft): boolean {
  const words = keyText(unquote(piece));
  if (words === forms.all) return true;
  if (words === "every request" || words === "every list") return cannotRead(reader, piece, forms);
  const except = afterWord(piece, "except");
  const answers = except && forms.answers ? afterWord(except, "answers") : undefined;
  if (answers || (draft.last === "answers" && /^\d/.test(piece.text)))
    return readAnswers(reader, answers ?? piece, forms, draft);
  if (except && forms.endpoints) {
    draft.last = "except";
    return readEndpoints(reader, except, draft);
  }
  if (parseEndpointName(unquote(nonNull(splitNames(piece)[0])).text) && forms.endpoints) {
    if (draft.last === "answers") draft.last = "to";
    return readEndpoints(reader, piece, draft);
  }
  return readClause(reader, piece, forms, draft);
}

/** `except answers 304 and 404`. */
function readAnswers(reader: LimitsReader, phrase: Phrase, forms: AppliesForms, draft: Draft): boolean {
  const statuses = splitNames(phrase).map((piece) => Number(/^[2-5]\d\d$/.exec(unquote(piece).text)?.[0]));
  if (statuses.some(Number.isNaN)) return cannotRead(reader, phrase, forms);
  draft.last = "answers";
  draft.answers.push(...statuses);
  return true;
}

function cannotRead(reader: LimitsReader, piece: Phrase, forms: AppliesForms): false {
  reader.unreadable(piece, expectedOf(forms));
  return false;
}

function readEndpoints(reader: LimitsReader, phrase: Phrase, draft: Draft): boolean {
  const endpoints = splitNames(phrase).map((name) => knownEndpoint(reader, unquote(name)));
  for (const endpoint of endpoints)
    if (endpoint) (draft.last === "except" ? draft.except : draft.to).push(endpoint);
  return !endpoints.includes(undefined);
}

/** Reads a piece that isn't an endpoint. */
function readClause(reader: LimitsReader, piece: Phrase, forms: AppliesForms, draft: Draft): boolean {
  const scope = requestScope(reader);
  const when = afterWord(piece, "when");
  if (when && forms.when) {
    const condition = reader.expression(when, scope, types.boolean);
    if (condition) draft.when = condition;
    return condition !== undefined;
  }
  const costing = afterWord(piece, "costing");
  if (costing && forms.cost) {
    const cost = reader.expression(costing, scope, types.number);
    if (cost) draft.cost = cost;
    return cost !== undefined;
  }
  if (!forms.per || draft.per !== undefined) return cannotRead(reader, piece, forms);
  return readPer(reader, afterWord(piece, "per") ?? piece, scope, forms, draft);
}

function readPer(
  reader: LimitsReader,
  piece: Phrase,
  scope: Scope,
  forms: AppliesForms,
  draft: Draft,
): boolean {
  const words = (["caller", "address", "service"] as const).find((word) => word === keyText(unquote(piece)));
  if (words) {
    draft.per = words;
    return true;
  }
  // An expression is in backticks. A path of names is accepted without them.
  const isExpression = piece.text.startsWith("`") || /^[a-z]\w*(\.\w+)+$/.test(piece.text);
  const per = isExpression ? reader.expression(piece, scope) : undefined;
  if (per) draft.per = per;
  return isExpression ? per !== undefined : cannotRead(reader, piece, forms);
}

/** Limits are checked before the body is read, so it isn't available. */
function requestScope(reader: LimitsReader): Scope {
  const { limits: _own, ...fixed } = reader.context.declarations.baseScope.fixed;
  const base = { ...reader.context.declarations.baseScope, fixed };
  return withFixed(base, reader.sent);
}

function expectedOf(forms: AppliesForms): string {
  const words = [
    ...(forms.per ? ["`caller`", "`address`", "`service`", "an expression in backticks"] : []),
    `\`${forms.all}\``,
    ...(forms.endpoints ? ["`POST /parcels`", "`except GET /parcels`"] : []),
    ...(forms.answers ? ["`except answers 304`"] : []),
    ...(forms.when ? ["`when …`"] : []),
    ...(forms.cost ? ["`costing …`"] : []),
  ];
  return words.length === 1 ? nonNull(words[0]) : `${words.slice(0, -1).join(", ")} or ${words.at(-1)}`;
}
