/**
 * `- Returns: 201 Parcel`, `200 Page of Parcel`, `204 nothing`, `` 200 `{"user": User(this)}` ``,
 * `card_error when <expr>`.
 */
import { bindExpression } from "../../../../expressions/bind.ts";
import type { Expression } from "../../../../expressions/node.ts";
import { type Scope, withFixed } from "../../../../expressions/scope.ts";
import { type Type, types } from "../../../../expressions/type.ts";
import { type Phrase, positionIn, slice, trim, unquote } from "../../../../source/phrase.ts";
import { nearest } from "../../../../support/nearest.ts";
import type { ItemNode } from "../../../../syntax/nodes.ts";
import { afterWord, hasNotShown, isNotShown, keyText } from "../../../../syntax/read.ts";
import type { DeclaredShape } from "../../declarations.ts";
import type { OpenReturn, Pagination, Return } from "../../../model.ts";
import type { BuildContext } from "../../any-part/context.ts";
import { isErrorCode } from "../../effects/fail-rule.ts";
import { nearestHint } from "../../nearest-hint.ts";
import { isPageShape } from "../../shapes/shapes.ts";
import { whenClause } from "../../any-part/when-clause.ts";
import { bindCondition } from "../clauses.ts";
import { withGeneratedText } from "../composed-phrase.ts";
import { readEachElement } from "./list-body-answer.ts";
import { anyPageType, recordsPageType } from "../../scopes/page-type.ts";

/** The possible content of a response. */
export interface ReturnsOf {
  readonly endpoint: string;
  /** The resource of the listed records. Absent if it lists none. */
  readonly lists: string | undefined;
  /** The request's body may be a list, and each of its elements makes a record. */
  readonly orList: boolean;
  readonly pagination: Pagination | undefined;
  /** A handler's result is known only by the shape of the response. */
  readonly handler: boolean;
  readonly scope: Scope;
}

export interface ReadReturns {
  readonly returns: readonly Return[];
  /** What is stated of responses that are partly not shown. */
  readonly openReturns: readonly OpenReturn[];
  /** The part of a response that is not shown. */
  readonly open?: Phrase;
  /** A part couldn't be read, or was reported. */
  readonly faulty: boolean;
}

export function readReturns(items: readonly ItemNode[], of: ReturnsOf, ctx: BuildContext): ReadReturns {
  const isOpen = (item: ItemNode) => hasNotShown(unquote(item.value));
  const open = items.filter(isOpen);
  const stated = items.filter((item) => !isOpen(item));
  const [first] = open;
  const returns = stated.flatMap((item) => readReturn(item, of, ctx) ?? []);
  return {
    returns,
    openReturns: open.flatMap((item) => readOpenReturn(unquote(item.value), of, ctx) ?? []),
    ...(first ? { open: unquote(first.value) } : {}),
    faulty: returns.length < stated.length,
  };
}

/** `202 not shown` states a status, `202 Run when not shown` also a body. */
function readOpenReturn(value: Phrase, of: ReturnsOf, ctx: BuildContext): OpenReturn | undefined {
  const { head, when } = whenClause(value);
  const [, code] = /^([2-5]\d\d)\s+(.*)$/s.exec(head.text) ?? [];
  if (code === undefined || (when && !isNotShown(unquote(when)))) return undefined;
  const position = positionIn(head);
  if (isNotShown(trim(slice(head, code.length))))
    return { kind: "not shown", status: Number(code), position };
  if (hasNotShown(head)) return undefined;
  const answer = readAnswer(unquote(head), of, ctx);
  return answer && returnAt(answer, head);
}

/**
 * The responses of an endpoint whose `Does` is not shown. They are stated all the same: each names
 * the shape of what it is about, as a response of a handler does.
 *
 * @param open reports names of shapes that do not exist; other texts may read names that only the
 * effects would give
 */
export function readReturnsOfUnknown(
  items: readonly ItemNode[],
  of: ReturnsOf,
  ctx: BuildContext,
  open: BuildContext,
): ReadReturns {
  const read = items.map((item): ReadReturns => {
    const given = givenByAnswer([item], ctx) ?? types.any;
    const lists = listedByAnswer(item, ctx);
    const isNamed = /^\d{3} (?:\S+ of )?`?[A-Z]\w*`?$/.test(unquote(item.value).text);
    const scope = withFixed(of.scope, { this: given });
    return readReturns([item], { ...of, lists, handler: true, scope }, isNamed ? open : ctx);
  });
  const shown = read.find((candidate) => candidate.open)?.open;
  return {
    returns: read.flatMap(({ returns }) => returns),
    openReturns: read.flatMap(({ openReturns }) => openReturns),
    ...(shown ? { open: shown } : {}),
    faulty: read.some(({ faulty }) => faulty),
  };
}

function readReturn(item: ItemNode, of: ReturnsOf, ctx: BuildContext): Return | undefined {
  const { head, when } = whenClause(unquote(item.value));
  const condition = when && bindCondition(when, listScope(of), ctx);
  const answer = readAnswer(unquote(head), of, ctx);
  if (!answer || (when && !condition)) return undefined;
  return returnAt(answer, head, condition);
}

function returnAt(answer: Answer, head: Phrase, when?: Expression): Return {
  return { ...answer, ...(when ? { when } : {}), position: positionIn(head) } as Return;
}

type Answer = Return extends infer R ? (R extends Return ? Omit<R, "when" | "position"> : never) : never;

function readAnswer(head: Phrase, of: ReturnsOf, ctx: BuildContext): Answer | undefined {
  const blank = head.text.search(/\s/);
  const first = blank === -1 ? head : slice(head, 0, blank);
  const rest = blank === -1 ? slice(head, head.text.length) : trim(slice(head, blank));
  if (!/^\d+$/.test(first.text)) return readCode(head, ctx);
  const status = Number(first.text);
  if (first.text.length !== 3 || status < 200 || status > 599) {
    ctx.reporter.report("endpoints/unreadable", positionIn(first), {
      text: first.text,
      expected: "a status from 200 to 599",
    });
    return undefined;
  }
  if (rest.text === "") {
    const expected = `\`${status} nothing\`, or the body of the response after the status`;
    ctx.reporter.report("endpoints/unreadable", positionIn(head), { text: head.text, expected });
    return undefined;
  }
  if (keyText(rest) === "nothing") return { kind: "nothing", status };
  if (status === 204 || status === 304) {
    ctx.reporter.report("endpoints/answer-without-body", positionIn(rest), { status });
    return undefined;
  }
  return readBody(rest, status, of, ctx);
}

/** Reads a response without a status: a code of part 7. */
function readCode(code: Phrase, ctx: BuildContext): Answer | undefined {
  const { errorCodes } = ctx.declarations;
  if (!errorCodes.has(code.text) && resourceOfShape(code.text, ctx) !== undefined) {
    ctx.reporter.report("endpoints/unreadable", positionIn(code), {
      text: code.text,
      expected: `a status in front of it: \`200 ${code.text}\``,
    });
    return undefined;
  }
  const listed = /^(list|page|array)\s+of\s+(\w+)/i.exec(code.text);
  if (listed) {
    const text = code.text;
    ctx.reporter.report("endpoints/unreadable", positionIn(code), { text, expected: listInOurWords(listed) });
    return undefined;
  }
  if (
    !/^[\w.:-]+$/.test(code.text) ||
    code.text === "none" ||
    (errorCodes.size === 0 && !errorCodes.has(code.text))
  ) {
    const expected = "a status and a body, such as `201 Parcel` or `204 nothing`, or a code of part 7";
    ctx.reporter.report("endpoints/unreadable", positionIn(code), { text: code.text, expected });
    return undefined;
  }
  return isErrorCode(code, "endpoints", ctx) ? { kind: "error", code: code.text } : undefined;
}

/** The advice for a list. It is an array; a page, with a name for its list, needs a shape. */
function listInOurWords([, , item]: RegExpExecArray): string {
  return `\`200 list of ${item}\`, or \`200 Page of ${item}\` and the shape of a page: \`### Shape: Page\`, with \`{"items": page.items, "next": page.next}\` in its block`;
}

function readBody(rest: Phrase, status: number, of: ReturnsOf, ctx: BuildContext): Answer | undefined {
  const { reporter } = ctx;
  // `List of Customer` is a page if the document has a shape of that name.
  const list = ctx.declarations.shapes.has(rest.text.split(/\s/, 1)[0] as string)
    ? undefined
    : afterWord(rest, "list of");
  if (of.orList) return readEachElement(rest, list, status, (name) => shapeOfThis(name, of, ctx), ctx);
  if (list) {
    const item =
      of.lists === undefined && !of.handler
        ? reportNoList(rest, of, ctx)
        : shapeOfItem(unquote(list), of, ctx);
    return item && { kind: "list", status, item };
  }
  const bracketed = /^(\w+)\[\]$/.exec(rest.text);
  if (bracketed) {
    const expected = `\`${status} list of ${bracketed[1]}\``;
    reporter.report("endpoints/unreadable", positionIn(rest), { text: rest.text, expected });
    return undefined;
  }
  const named = /^(list|page|\w+)\s+of\s+(\w+)\s+as\s+\w+$/i.exec(rest.text);
  if (named) {
    const { text } = rest;
    reporter.report("endpoints/unreadable", positionIn(rest), { text, expected: listInOurWords(named) });
    return undefined;
  }
  const page = /^(\S+)\s+of\s+(\S+)$/.exec(rest.text);
  if (page) return readPage(rest, page, status, of, ctx);
  const name = unquote(rest);
  if (/^[A-Za-z_]\w*$/.test(name.text)) {
    const body = shapeOfThis(name, of, ctx);
    return body && { kind: "expression", status, body };
  }
  const body = bindExpression(name, listScope(of), reporter);
  return body && { kind: "expression", status, body };
}

/** In the expression of a list endpoint, `page` exists and its items are records. */
function listScope({ lists, pagination, scope }: ReturnsOf): Scope {
  return lists === undefined ? scope : withFixed(scope, { page: recordsPageType(lists, pagination) });
}

/** Reads `Page of Parcel`: a shape that reads `page`, and the shape of each item. */
function readPage(
  rest: Phrase,
  [, nameText = "", itemText = ""]: RegExpExecArray,
  status: number,
  of: ReturnsOf,
  ctx: BuildContext,
): Answer | undefined {
  const name = unquote(slice(rest, 0, nameText.length));
  const item = unquote(slice(rest, rest.text.length - itemText.length));
  const { shapes, baseScope } = ctx.declarations;
  const shape = shapes.get(name.text);
  const takesOne = shape?.parameters?.length === 1;
  if (takesOne && of.lists === undefined) return readEnvelope(shape.name, item, status, of, ctx);
  if (!shape || !(takesOne || isPageShape(shape))) {
    const known = [...shapes.values()]
      .filter((shape) => shape.parameters?.length === 1 || isPageShape(shape))
      .map((shape) => shape.name);
    ctx.reporter.report("endpoints/unknown-page", positionIn(name), {
      name: name.text,
      ...nearestHint(name.text, known),
      ...(shape?.of === undefined ? {} : { recordShape: { of: shape.of, isListed: of.lists !== undefined } }),
    });
    return undefined;
  }
  if (of.lists === undefined) return reportNoList(rest, of, ctx);
  const shaped = shapeOfItem(item, of, ctx);
  if (takesOne) {
    const scope = withFixed(of.scope, { page: anyPageType });
    const applied = bindExpression(withGeneratedText("", name, "(page.items)"), scope, ctx.reporter);
    return shaped && applied && { kind: "page", status, item: shaped, page: applied };
  }
  const node = {
    op: "shape",
    shape: shape.name,
    type: baseScope.vocabulary.shape(shape.name)?.type() ?? types.any,
  } as const;
  const page: Expression = { text: name.text, position: positionIn(name), node };
  return shaped && { kind: "page", status, item: shaped, page };
}

/** `Envelope of Customer`, of one record: the shape of the record as the argument of the other. */
function readEnvelope(
  envelope: string,
  item: Phrase,
  status: number,
  of: ReturnsOf,
  ctx: BuildContext,
): Answer | undefined {
  if (!shapeOfThis(item, of, ctx)) return undefined;
  const call = resourceOfShape(item.text, ctx) === undefined ? "())" : "(this))";
  const body = bindExpression(withGeneratedText(`${envelope}(`, item, call), of.scope, ctx.reporter);
  return body && { kind: "expression", status, body };
}

function reportNoList(at: Phrase, { endpoint }: ReturnsOf, { reporter }: BuildContext): undefined {
  reporter.report("endpoints/nothing-listed", positionIn(at), { text: at.text, endpoint });
}

/** The shape of each record of a list; `this` is the record. */
function shapeOfItem(name: Phrase, of: ReturnsOf, ctx: BuildContext): Expression | undefined {
  if (of.lists !== undefined)
    return applied(
      name,
      withFixed(of.scope, { this: { kind: "record", resource: of.lists } }),
      of.lists,
      ctx,
    );
  // A handler returns the list. The type of `this` for its items is that of a single result.
  const resource = resourceOfShape(name.text, ctx);
  const self = of.scope.fixed.this;
  return applied(
    name,
    self ? of.scope : withFixed(of.scope, { this: types.any }),
    givenOf(self) ?? resource,
    ctx,
  );
}

/** `201 Parcel`: the shape of `this`. */
function shapeOfThis(name: Phrase, of: ReturnsOf, ctx: BuildContext): Expression | undefined {
  const { reporter } = ctx;
  const shape = ctx.declarations.shapes.get(name.text);
  const shapedResource = resourceOfShape(name.text, ctx);
  if (shape && shapedResource === undefined) return withoutThis(shape, name, of, ctx);
  if (shapedResource === undefined) {
    // A known name is an expression of one word. Any other is a misspelt shape.
    if (Object.hasOwn(of.scope.named, name.text) || name.text === "this")
      return bindExpression(name, of.scope, reporter);
    reportUnknownShape(name, ctx);
    return undefined;
  }
  if (of.lists !== undefined) {
    const page = [...ctx.declarations.shapes.values()].find(isPageShape)?.name;
    reporter.report("endpoints/list-answered-as-one", positionIn(name), { name: name.text, page });
    return undefined;
  }
  const self = of.scope.fixed.this;
  if (!self) {
    reporter.report("endpoints/shape-without-record", positionIn(name), {
      name: name.text,
      endpoint: of.endpoint,
    });
    return undefined;
  }
  return applied(name, of.scope, givenOf(self), ctx);
}

/** The resource of a record or a value. */
function givenOf(type: Type | undefined): string | undefined {
  return type?.kind === "record" || type?.kind === "value" ? type.resource : undefined;
}

/**
 * The result of a handler, or of a `Does` that is not shown, is known by the shapes that its
 * responses apply to `this`: `200 Quote`, `200 list of Quote`, `` 200 `{"quote": Quote(this)}` ``.
 * The first that names a resource decides; shapes of others are then reported.
 */
export function givenByAnswer(items: readonly ItemNode[], ctx: BuildContext): Type | undefined {
  for (const item of items) {
    const { text } = unquote(whenClause(unquote(item.value)).head);
    const [, envelope, found] = /^\d{3}\s+(?:(?:list|(\w+)) of\s+)?`?([A-Za-z_]\w*)`?$/i.exec(text) ?? [];
    const isOfOne = envelope === undefined || ctx.declarations.shapes.get(envelope)?.parameters !== undefined;
    const alone = isOfOne ? found : undefined;
    const applied = [...text.matchAll(/([A-Za-z_]\w*)\s*\(\s*this\s*\)/g)].map((hit) => hit[1] as string);
    for (const name of alone === undefined ? applied : [alone]) {
      const resource = resourceOfShape(name, ctx);
      if (resource === undefined) continue;
      return { kind: ctx.declarations.resources.get(resource)?.isValue ? "value" : "record", resource };
    }
  }
  return undefined;
}

/** The resource of a page's items, if `Does` is not shown: `200 Page of Parcel`. */
function listedByAnswer(item: ItemNode, ctx: BuildContext): string | undefined {
  const { text } = unquote(whenClause(unquote(item.value)).head);
  const [, page = "", name = ""] = /^\d{3}\s+(\S+)\s+of\s+`?([A-Za-z_]\w*)`?$/.exec(text) ?? [];
  const shape = ctx.declarations.shapes.get(page.replaceAll("`", ""));
  return shape && isPageShape(shape) ? resourceOfShape(name, ctx) : undefined;
}

/** A shape without an argument is used alone. A shape over `page` needs its item. */
function withoutThis(
  shape: DeclaredShape,
  name: Phrase,
  of: ReturnsOf,
  ctx: BuildContext,
): Expression | undefined {
  if (isPageShape(shape)) {
    ctx.reporter.report("endpoints/page-of-what", positionIn(name), { name: shape.name, resource: of.lists });
    return undefined;
  }
  const type = ctx.declarations.baseScope.vocabulary.shape(shape.name)?.type() ?? types.any;
  return { text: name.text, position: positionIn(name), node: { op: "shape", shape: shape.name, type } };
}

/** Applies the shape of that name to the scope's `this`, which is a record of `resource`. */
function applied(
  name: Phrase,
  scope: Scope,
  resource: string | undefined,
  ctx: BuildContext,
): Expression | undefined {
  const shapedResource = resourceOfShape(name.text, ctx);
  if (shapedResource === undefined) {
    reportUnknownShape(name, ctx);
    return undefined;
  }
  if (resource !== undefined && shapedResource !== resource) {
    ctx.reporter.report("endpoints/shape-of-other", positionIn(name), {
      shape: name.text,
      of: shapedResource,
      resource,
    });
    return undefined;
  }
  return bindExpression(withGeneratedText("", name, "(this)"), scope, ctx.reporter);
}

/** The resource of a shape's argument. A resource's name means its default representation. */
function resourceOfShape(name: string, { declarations }: BuildContext): string | undefined {
  const shape = declarations.shapes.get(name);
  if (shape) return shape.of;
  return declarations.resources.has(name) ? name : undefined;
}

function reportUnknownShape(name: Phrase, { declarations, reporter }: BuildContext): void {
  const known = new Set([...declarations.shapes.keys(), ...declarations.resources.keys()]);
  if (keyText(name) === "none" || nearest(name.text.toLowerCase(), ["nothing"])) {
    reporter.report("endpoints/unreadable", positionIn(name), {
      text: name.text,
      expected: "`nothing` for a response without a body",
    });
    return;
  }
  reporter.report("endpoints/unknown-shape", positionIn(name), {
    name: name.text,
    ...nearestHint(name.text, known),
  });
}

/** `as OpenPlace` or `as {"id": this.id}` of a stream. */
export function readShapeOrExpression(
  phrase: Phrase,
  scope: Scope,
  ctx: BuildContext,
): Expression | undefined {
  const name = unquote(phrase);
  const self = scope.fixed.this;
  const isShape = /^[A-Za-z_]\w*$/.test(name.text) && resourceOfShape(name.text, ctx) !== undefined;
  if (!isShape) return bindExpression(name, scope, ctx.reporter);
  return applied(name, scope, self?.kind === "record" ? self.resource : undefined, ctx);
}
