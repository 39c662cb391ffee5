/**
 * `- Order: created_at descending`, `updated_at by query.direction, else ascending when query.sort
 * == "updated"`, `any of title, updated_at by query.sort, else title`.
 */
import { bindExpression } from "../../../../expressions/bind.ts";
import type { Scope } from "../../../../expressions/scope.ts";
import type { Expression } from "../../../../expressions/node.ts";
import { readsName } from "../../../../expressions/analysis/reads.ts";
import { describeType } from "../../../../expressions/relations.ts";
import { isText, type Type, types } from "../../../../expressions/type.ts";
import {
  findWord,
  type Phrase,
  positionIn,
  slice,
  splitOutside,
  trim,
  unquote,
} from "../../../../source/phrase.ts";
import { nearest } from "../../../../support/nearest.ts";
import type { ItemNode } from "../../../../syntax/nodes.ts";
import { afterWord, keyText } from "../../../../syntax/read.ts";
import type { DeclaredResource } from "../../declarations.ts";
import type { OrderChoice, OrderItem, OrderKey } from "../../../model.ts";
import type { BuildContext } from "../../any-part/context.ts";
import { nearestHint } from "../../nearest-hint.ts";
import { parseDirection } from "../../../endpoints/order-direction.ts";
import { whenClause } from "../../any-part/when-clause.ts";
import { bindCondition } from "../clauses.ts";
import { withGeneratedText } from "../composed-phrase.ts";
import { mayBeNamed, readAnyOf } from "./any-of.ts";

const directions = ["ascending", "descending"] as const;
/** Types of values that have no order. */
const unordered = ["list", "map", "object", "value", "collection", "password", "credential", "bytes"];

/** @param condition the scope of `when`, which has no candidate */
export function readOrder(
  items: readonly ItemNode[],
  resource: DeclaredResource,
  isList: boolean,
  scope: Scope,
  condition: Scope,
  ctx: BuildContext,
): readonly OrderItem[] {
  return items.flatMap((item) => {
    const { head, when } = whenClause(unquote(item.value));
    const any = afterWord(unquote(head), "any of");
    const choice = any && readChoice(any, resource, scope, condition, ctx);
    if (any && !choice) return [];
    if (choice && !isList) {
      const expected = "an order without `any of`, which only lists have";
      ctx.reporter.report("endpoints/unreadable", positionIn(head), { text: head.text, expected });
      return [];
    }
    const written = choice ? choice.otherwise : keyPhrases(head);
    const keys = written.map((key) => readKey(key, resource, scope, condition, ctx));
    const bound = when && bindCondition(when, condition, ctx);
    if ((keys.length === 0 && !choice) || keys.includes(undefined) || (when && !bound)) return [];
    return [
      {
        keys: keys as OrderKey[],
        ...(choice ? { choice: choice.made } : {}),
        ...(bound ? { when: bound } : {}),
        position: positionIn(head),
      },
    ];
  });
}

/**
 * Reads `priority, name by query.sort, else name descending` after `any of`: the fields that a
 * request may sort by, the text that names them, and the keys of a request that names none.
 */
function readChoice(
  phrase: Phrase,
  resource: DeclaredResource,
  scope: Scope,
  condition: Scope,
  ctx: BuildContext,
): { readonly made: OrderChoice; readonly otherwise: readonly Phrase[] } | undefined {
  const form = "`any of title, created_at by query.sort, else created_at descending`";
  const read = readAnyOf(phrase, resource, form, ctx);
  if (!read) return undefined;
  const [first, ...more] = read.others;
  const otherwise = first && afterWord(first, "else");
  if (first && !otherwise) {
    ctx.reporter.report("endpoints/unreadable", positionIn(phrase), { text: phrase.text, expected: form });
    return undefined;
  }
  const of = read.names.flatMap((name) => {
    const field = resource.fields.get(name.text);
    if (field && !mayBeNamed(field, name, ctx)) return [];
    const by = bindKey(name, resource, scope, ctx);
    return by ? [{ name: name.text, by }] : [];
  });
  const text = bindExpression(read.by, condition, ctx.reporter);
  if (!text || of.length < read.names.length || !isTextOrTexts(text, ctx)) return undefined;
  return { made: { of, text }, otherwise: otherwise ? [otherwise, ...more] : [] };
}

function isTextOrTexts({ node: { type }, position }: Expression, { reporter }: BuildContext): boolean {
  const item = type.kind === "list" ? type.of : type;
  if (isText(item) || item.kind === "any") return true;
  const expected = "a string or a list of strings";
  reporter.report("expressions/wrong-type", position, { found: describeType(type), expected });
  return false;
}

/** Splits keys at commas, except for the comma in `by query.direction, else ascending`. */
function keyPhrases(head: Phrase): Phrase[] {
  const whole = unquote(head);
  const keys: Phrase[] = [];
  for (const piece of splitOutside(whole, ",")) {
    const before = keys.at(-1);
    if (before && afterWord(piece, "else")) {
      keys[keys.length - 1] = slice(whole, indexOf(whole, before), indexOf(whole, piece) + piece.text.length);
    } else keys.push(piece);
  }
  return keys;
}

/** The offset of a piece in its phrase. */
function indexOf(whole: Phrase, piece: Phrase): number {
  if (!whole.offsets) return piece.start - whole.start;
  return Math.max(0, whole.offsets.indexOf(piece.start));
}

function readKey(
  phrase: Phrase,
  resource: DeclaredResource,
  scope: Scope,
  condition: Scope,
  ctx: BuildContext,
): OrderKey | undefined {
  if (/^(newest|latest|oldest) first$/i.test(phrase.text)) return reportMissingKey(phrase, resource, ctx);
  const at = findWord(phrase.text, "by");
  if (at !== -1) return readRequestedKey(phrase, at, resource, scope, condition, ctx);
  // created_at descending
  //           ^ the last blank that a word follows
  const last = /\s+([A-Za-z]+)$/.exec(phrase.text);
  const word = last && slice(phrase, phrase.text.length - (last[1] as string).length);
  const direction = word ? readDirection(word, ctx) : "ascending";
  const by = direction && bindKey(last ? trim(slice(phrase, 0, last.index)) : phrase, resource, scope, ctx);
  return by && { by, descending: direction === "descending" };
}

/** Reports `newest first` without a field. If only one field can be meant, the hint names it. */
function reportMissingKey(phrase: Phrase, resource: DeclaredResource, { reporter }: BuildContext): undefined {
  const times = [...resource.fields].filter(([, { type }]) => type?.kind === "timestamp");
  const [only, ...others] = times.map(([name]) => name);
  const field = only !== undefined && others.length === 0 ? only : "FIELD";
  const direction = /^oldest/i.test(phrase.text) ? "ascending" : "descending";
  reporter.report("endpoints/unreadable", positionIn(phrase), {
    text: phrase.text,
    expected: `\`${field} ${direction}\`${field === "FIELD" ? ", with the field that has the time of creation" : ""}`,
  });
  return undefined;
}

/** Reads `updated_at by query.direction, else ascending`. */
function readRequestedKey(
  phrase: Phrase,
  at: number,
  resource: DeclaredResource,
  scope: Scope,
  condition: Scope,
  ctx: BuildContext,
): OrderKey | undefined {
  const [requested, otherwise, ...more] = splitOutside(trim(slice(phrase, at + "by".length)), ",");
  const word = otherwise && afterWord(otherwise, "else");
  if (!requested || more.length > 0 || (otherwise && !word)) {
    const expected = "`created_at by query.direction, else ascending`";
    ctx.reporter.report("endpoints/unreadable", positionIn(phrase), { text: phrase.text, expected });
    return undefined;
  }
  const fallback = word ? readDirection(unquote(word), ctx) : "ascending";
  const direction = bindExpression(unquote(requested), condition, ctx.reporter, types.string);
  if (direction) reportOtherWords(direction.node.type, requested, ctx);
  const by = bindKey(trim(slice(phrase, 0, at)), resource, scope, ctx);
  return fallback && direction && by && { by, descending: fallback === "descending", direction };
}

/** Reports an input with values such as `up`, which would never be read as a direction. */
function reportOtherWords(type: Type, at: Phrase, { reporter }: BuildContext): void {
  const values = type.kind === "enum" ? type.values.filter((word) => !parseDirection(word)) : [];
  for (const text of values)
    reporter.report("endpoints/unknown-word", positionIn(at), {
      text,
      what: "direction",
      nearest: undefined,
      known: directions,
    });
}

function readDirection(word: Phrase, { reporter }: BuildContext): (typeof directions)[number] | undefined {
  const text = keyText(word);
  const found = directions.find((direction) => direction === text);
  if (found) return found;
  const near =
    text.startsWith("desc") || text === "down"
      ? "descending"
      : text.startsWith("asc") || text === "up"
        ? "ascending"
        : nearest(text, directions);
  reporter.report("endpoints/unknown-word", positionIn(word), {
    text: word.text,
    what: "direction",
    nearest: near,
    known: directions,
  });
  return undefined;
}

/** An order key is the name of a field, or an expression over the candidate. */
function bindKey(
  phrase: Phrase,
  resource: DeclaredResource,
  scope: Scope,
  ctx: BuildContext,
): OrderKey["by"] | undefined {
  const key = unquote(phrase);
  const isName = /^[A-Za-z_]\w*$/.test(key.text);
  if (
    isName &&
    !resource.fields.has(key.text) &&
    !Object.hasOwn(scope.named, key.text) &&
    key.text !== "this"
  ) {
    if (resource.gap && resource.fields.size === 0) return undefined;
    const params = {
      name: key.text,
      resource: resource.name,
      ...nearestHint(key.text, resource.fields.keys()),
    };
    ctx.reporter.report("endpoints/unknown-field", positionIn(key), params);
    return undefined;
  }
  const by = bindExpression(
    isName && resource.fields.has(key.text) ? withGeneratedText("this.", key, "") : key,
    scope,
    ctx.reporter,
  );
  if (!by) return undefined;
  const { type } = by.node;
  if (unordered.includes(type.kind)) {
    ctx.reporter.report("endpoints/not-ordered", positionIn(key), { text: key.text, type: type.kind });
    return undefined;
  }
  if (readsName(by.node, { name: "this" })) return by;
  const fields = [...resource.fields.values()].filter(
    (field) => field.role === "plain" && !unordered.includes(field.type?.kind ?? ""),
  );
  const params = { text: key.text, isText: isText(type), fields: fields.slice(0, 2).map(({ name }) => name) };
  ctx.reporter.report("endpoints/constant-order", positionIn(key), params);
  return undefined;
}
