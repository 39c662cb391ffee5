/** Conditions and names of an endpoint: `Where`, `Allowed`, `Fails`, `Let` and `Header`. */
import { nonNull } from "../../../support/non-null.ts";
import { bindExpression } from "../../../expressions/bind.ts";
import type { Expression, Node } from "../../../expressions/node.ts";
import { randomFunctions } from "../../../expressions/functions/random.ts";
import { someNode } from "../../../expressions/nodes.ts";
import { type Scope, withNamed } from "../../../expressions/scope.ts";
import { types } from "../../../expressions/type.ts";
import { type Phrase, positionIn, slice, splitOutside, trim, unquote } from "../../../source/phrase.ts";
import { nearest } from "../../../support/nearest.ts";
import type { ItemNode } from "../../../syntax/nodes.ts";
import { isNotShown, keyText } from "../../../syntax/read.ts";
import type { Allowed, Endpoint, FailRule, HeaderItem } from "../../model.ts";
import { isHeaderName, mayBeHeaderMap } from "../../endpoints/header-names.ts";
import type { BuildContext } from "../any-part/context.ts";
import { withoutRecord } from "./scopes.ts";
import { isErrorCode } from "../effects/fail-rule.ts";
import { nearestHint } from "../nearest-hint.ts";
import { afterAnyOf, reportAnyOf } from "./lists/where-choice.ts";
import { splitAtWord, whenClause } from "../any-part/when-clause.ts";
import { mentions } from "../any-part/mentions.ts";

export function bindCondition(
  phrase: Phrase,
  scope: Scope,
  { reporter }: BuildContext,
): Expression | undefined {
  return bindExpression(unquote(phrase), scope, reporter, types.boolean);
}

export function bindConditions(
  phrases: readonly Phrase[],
  scope: Scope,
  ctx: BuildContext,
): readonly Expression[] {
  return phrases.flatMap((phrase) => {
    if (!afterAnyOf(phrase)) return bindCondition(phrase, scope, ctx) ?? [];
    reportAnyOf(phrase, ctx);
    return [];
  });
}

const allowedWords = ["anyone", "any caller"] as const;

/** What documents of other tools say, by the word that means it here. */
const allowedSynonyms: ReadonlyMap<string, (typeof allowedWords)[number]> = new Map(
  Object.entries({
    authenticated: "any caller",
    "logged in": "any caller",
    "signed in": "any caller",
    all: "anyone",
    everybody: "anyone",
    everyone: "anyone",
    public: "anyone",
  } as const),
);

/** Conditions on the fields of the caller that can have this value. */
function conditionsOnCaller(value: string, { fixed: { caller }, vocabulary }: Scope): readonly string[] {
  const fields = caller?.kind === "record" ? vocabulary.resource(caller.resource)?.fields : undefined;
  return [...(fields?.values() ?? [])].flatMap(({ name, type }) => {
    if (type.kind === "enum" && type.values.includes(value)) return [`caller.${name} == "${value}"`];
    const isListed = type.kind === "list" && type.of.kind === "enum" && type.of.values.includes(value);
    return isListed ? [`"${value}" in caller.${name}`] : [];
  });
}

export function readAllowed(items: readonly ItemNode[], scope: Scope, ctx: BuildContext): readonly Allowed[] {
  return items.flatMap((item) => readAllowedItem(item, scope, ctx) ?? []);
}

function readAllowedItem(item: ItemNode, scope: Scope, ctx: BuildContext): Allowed | undefined {
  const phrase = unquote(item.value);
  const position = positionIn(phrase);
  const word = keyText(phrase);
  const kind = allowedWords.find((known) => known === word);
  if (kind) return { kind, position };
  const near = /^[a-z]+( [a-z]+)*$/i.test(word)
    ? (allowedSynonyms.get(word) ?? nearest(word, allowedWords))
    : undefined;
  // A word without a meaning, or several words without an operator, is a misspelt keyword.
  const isWord =
    /^[A-Za-z]+$/.test(phrase.text) &&
    !Object.hasOwn(scope.named, phrase.text) &&
    !Object.hasOwn(scope.fixed, phrase.text);
  const isWords = /^[a-z]+( [a-z]+)+$/i.test(phrase.text) && !/ in /.test(phrase.text);
  if (near || (isWord && !["true", "false"].includes(phrase.text)) || isWords) {
    ctx.reporter.report("endpoints/unknown-word", position, {
      text: phrase.text,
      what: "kind of caller",
      nearest: near,
      known: [...conditionsOnCaller(phrase.text, scope), ...allowedWords],
    });
    return undefined;
  }
  for (const name of ["body", "query"] as const) {
    if (!mentions(phrase.text, name) || scope.fixed[name]) continue;
    ctx.reporter.report("endpoints/too-early", position, { name });
    return undefined;
  }
  const condition = bindCondition(phrase, scope, ctx);
  return condition && { kind: "condition", condition, position };
}

/** The fields and inputs that a `Fails` may blame. */
export interface ErrorFields {
  readonly names: readonly string[];
  has(name: string): boolean;
}

export function readFails(
  items: readonly ItemNode[],
  scope: Scope,
  blamable: ErrorFields,
  ctx: BuildContext,
): readonly FailRule[] {
  return items.flatMap((item) => readFailsItem(item, scope, blamable, ctx) ?? []);
}

/** `Fails: 400, 409 when not shown`: the statuses are stated, and their condition is a gap. */
export function readOpenFails(
  items: readonly ItemNode[],
  { reporter }: BuildContext,
): NonNullable<Endpoint["openFails"]> {
  return items.flatMap((item) => {
    const { head, when } = whenClause(unquote(item.value));
    if (!when || !isNotShown(unquote(when)) || !/^\d/.test(head.text)) return [];
    return splitOutside(head, ",").flatMap((piece) => {
      const [text, position] = [piece.text.trim(), positionIn(piece)];
      if (/^[2-5]\d\d$/.test(text)) return [{ status: Number(text), position }];
      reporter.report("endpoints/unreadable", position, { text, expected: "a status from 200 to 599" });
      return [];
    });
  });
}

function readFailsItem(
  item: ItemNode,
  scope: Scope,
  blamable: ErrorFields,
  ctx: BuildContext,
): FailRule | undefined {
  const { head, when } = whenClause(unquote(item.value));
  const [code, on] = (splitAtWord(head, "on") ?? [head, undefined]).map((part) => part && unquote(part));
  if (!code || !when || !/^[^\s`"]+$/.test(code.text) || (on && !/^[\w.[\]-]+$/.test(on.text))) {
    const expected = "`code on field when <condition>` (`on field` is optional)";
    ctx.reporter.report("endpoints/unreadable", positionIn(item.value), { text: item.value.text, expected });
    return undefined;
  }
  const known = isErrorCode(code, "endpoints", ctx);
  if (on && !blamable.has(on.text)) {
    ctx.reporter.report("endpoints/unknown-input", positionIn(on), {
      name: on.text,
      ...nearestHint(on.text, blamable.names),
    });
  }
  const condition = bindCondition(when, scope, ctx);
  if (!condition || !known) return undefined;
  return { code: code.text, ...(on ? { on: on.text } : {}), when: condition, position: positionIn(code) };
}

/**
 * The scope of `Where` and `Order` with the names of `Let`. They are evaluated before the endpoint's
 * record is found, so a name stands for its expression, unless that reads the record or differs
 * each time. `readLets` reports the mistakes.
 */
export function withLets(items: readonly ItemNode[], scope: Scope, ctx: BuildContext): Scope {
  if (items.length === 0) return scope;
  return ctx.reporter.silently(() => {
    let given: Readonly<Record<string, Node>> = scope.given ?? {};
    const notYet: string[] = [];
    for (const item of items) {
      const [read] = readLets([item], { ...withoutRecord(scope), given }, [], ctx).lets;
      const name = read?.name ?? /^`?\s*([A-Za-z_]\w*)/.exec(item.value.text)?.[1];
      if (read && !someNode(read.value.node, isNewEachTime))
        given = { ...given, [read.name]: read.value.node };
      else if (name !== undefined) notYet.push(name);
    }
    return { ...scope, given, notYet };
  }).value;
}

function isNewEachTime(node: Node): boolean {
  return node.op === "call" && randomFunctions.some(({ name }) => name === node.function);
}

/** Reads `Let: total = <expr>`. Each one has the names of earlier ones. Returns the scope for what follows. */
export function readLets(
  items: readonly ItemNode[],
  scope: Scope,
  usedNames: readonly string[],
  ctx: BuildContext,
): { readonly lets: Endpoint["lets"]; readonly scope: Scope } {
  const lets: Endpoint["lets"][number][] = [];
  let inner = scope;
  for (const item of items) {
    const phrase = unquote(item.value);
    const match = /^([A-Za-z_]\w{0,63})\s*=(?!=)/.exec(phrase.text);
    if (!match) {
      ctx.reporter.report("endpoints/unreadable", positionIn(phrase), {
        text: phrase.text,
        expected: "`name = <expression>`",
      });
      continue;
    }
    const name = slice(phrase, 0, nonNull(match[1]).length);
    const value = bindExpression(unquote(trim(slice(phrase, match[0].length))), inner, ctx.reporter);
    if (
      usedNames.includes(name.text) ||
      Object.hasOwn(inner.named, name.text) ||
      Object.hasOwn(inner.fixed, name.text)
    ) {
      // If two things have the same name, it is unclear which is meant (decision "Names that meet").
      ctx.reporter.report("endpoints/name-taken", positionIn(name), { name: name.text });
      continue;
    }
    if (value) lets.push({ name: name.text, value, position: positionIn(name) });
    inner = withNamed(inner, name.text, value?.node.type ?? types.any);
  }
  return { lets, scope: inner };
}

/** Reads `Header: Location: <expr>`. `self` replaces `this`, for headers of a path. */
export function readHeader(
  item: ItemNode,
  scope: Scope,
  self: Node | undefined,
  ctx: BuildContext,
): HeaderItem | undefined {
  const whole = unquote(item.value);
  const colon = whole.text.indexOf(":");
  const name = unquote(colon === -1 ? whole : slice(whole, 0, colon));
  if (colon === -1 || !isHeaderName(name.text)) {
    const expected = "the name of a header, a colon and an expression: `Location: service.url + …`";
    ctx.reporter.report("endpoints/unreadable", positionIn(whole), { text: whole.text, expected });
    return undefined;
  }
  const value = bindExpression(unquote(trim(slice(whole, colon + 1))), scope, ctx.reporter);
  if (!value) return undefined;
  return {
    name: name.text,
    value: self ? { ...value, node: replaceThis(value.node, self) } : value,
    position: positionIn(name),
  };
}

/** `- Header: ETag: not shown`: only its name is stated. */
export function openHeader(item: ItemNode): NonNullable<Endpoint["openHeaders"]>[number] | undefined {
  const whole = unquote(item.value);
  const colon = whole.text.indexOf(":");
  if (colon === -1 || !isNotShown(trim(slice(whole, colon + 1)))) return undefined;
  const name = unquote(slice(whole, 0, colon));
  return isHeaderName(name.text) ? { name: name.text, position: positionIn(name) } : undefined;
}

/** `- Headers: this.metadata`: a map whose keys are names of headers. `self` as for `Header`. */
export function readHeaderMap(
  item: ItemNode,
  scope: Scope,
  self: Node | undefined,
  ctx: BuildContext,
): Endpoint["headerMaps"][number] | undefined {
  const whole = unquote(item.value);
  const value = bindExpression(whole, scope, ctx.reporter);
  if (!value) return undefined;
  if (!mayBeHeaderMap(value.node.type)) {
    const expected = "`this.metadata`: a field, or another map, whose keys are names of headers";
    ctx.reporter.report("endpoints/unreadable", positionIn(whole), { text: whole.text, expected });
    return undefined;
  }
  return {
    value: self ? { ...value, node: replaceThis(value.node, self) } : value,
    position: positionIn(whole),
  };
}

/** The expression with another record for `this`. */
function replaceThis<N>(node: N, self: Node): N {
  if (typeof node !== "object" || node === null) return node;
  if (Array.isArray(node)) return node.map((node: unknown) => replaceThis(node, self)) as N;
  const { op, name } = node as { readonly op?: unknown; readonly name?: unknown };
  if (op === "fixed" && name === "this") return self as N;
  return Object.fromEntries(
    Object.entries(node).map(([key, value]) => [key, key === "type" ? value : replaceThis(value, self)]),
  ) as N;
}
