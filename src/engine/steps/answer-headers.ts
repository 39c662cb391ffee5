/**
 * Response headers (part 4, `Header` and `Headers`): evaluates those of an endpoint. Headers of a
 * map come first, so a named header replaces one of a map.
 */
import type { Expression, Node } from "../../expressions/node.ts";
import type { Endpoint } from "../../model/model.ts";
import { isFramingHeader, isHeaderName } from "../../model/endpoints/header-names.ts";
import type { Position } from "../../source/source.ts";
import { after, type Awaitable, forEachInOrder } from "../../support/awaitable.ts";
import type { EvaluationContext } from "../evaluation/context.ts";
import type { EngineContext } from "../evaluation/engine-context.ts";
import { evaluateHeader, evaluateHeaderMap } from "../evaluation/evaluate-header.ts";
import { type HeaderLine, mayRepeat } from "../http/message.ts";
import { Problem } from "../problem.ts";

/** The maximum number of headers that a map adds to a response. */
const givenHeadersMax = 50;

/** Sets headers, in the order of the document. */
export type SetHeaders = (evaluation: EvaluationContext, lines: HeaderLine[]) => Awaitable<void>;

/**
 * @param applies restricts the headers to those whose expression it accepts
 * @returns undefined if there are none
 */
export function planAnswerHeaders(
  context: EngineContext,
  endpoint: Endpoint,
  applies: (node: Node) => boolean = () => true,
): SetHeaders | undefined {
  const maps = endpoint.headerMaps.filter(({ value }) => applies(value.node));
  const named = endpoint.headers.filter(({ value }) => applies(value.node));
  if (maps.length + named.length === 0) return undefined;
  const stated = new Set(endpoint.headers.map(({ name }) => name.toLowerCase()));
  const setters = [
    ...maps.map((map) => planMap(context, map, stated)),
    ...named.map(({ name, value }) => planNamed(context, name, value)),
  ];
  return (evaluation, lines) => forEachInOrder(setters, (set) => set(evaluation, lines));
}

function planNamed(context: EngineContext, name: string, value: Expression): SetHeaders {
  const evaluate = evaluateHeader(context, value);
  return (evaluation, lines) =>
    after(evaluate(evaluation), (text) => {
      // Part 4: a header with a null value is omitted.
      if (text !== null) setHeader(lines, name, text);
    });
}

/** @param stated the names of `Header`, in lower case, whose values replace those of a map, null too */
function planMap(
  context: EngineContext,
  { value, position }: { readonly value: Expression; readonly position: Position },
  stated: ReadonlySet<string>,
): SetHeaders {
  const evaluate = evaluateHeaderMap(context, value);
  return (evaluation, lines) =>
    after(evaluate(evaluation), (texts) => {
      const problem = texts === undefined ? "has headers that are not a map" : problemOf(texts);
      if (problem !== undefined) throw new Problem({ condition: "internal", problem }, { because: position });
      for (const [name, text] of texts ?? []) {
        const small = name.toLowerCase();
        if (!stated.has(small) || mayRepeat(small)) setHeader(lines, name, text);
      }
    });
}

/** Why a response can't have these headers; undefined if it can. Their values may be secrets. */
function problemOf(texts: readonly HeaderLine[]): string | undefined {
  if (texts.length > givenHeadersMax) return `has more than ${givenHeadersMax} headers from a map`;
  const wrong = texts.find(([name]) => !isHeaderName(name) || isFramingHeader(name));
  return wrong && `has a header from a map that can't be named ${JSON.stringify(wrong[0].slice(0, 100))}`;
}

/** Sets a header: the document's value replaces the engine's. Cookies and links are added. */
export function setHeader(lines: HeaderLine[], name: string, value: string): void {
  const small = name.toLowerCase();
  const at = lines.findIndex(([headerName]) => headerName.toLowerCase() === small);
  if (at === -1 || mayRepeat(small)) lines.push([name, value]);
  else lines[at] = [name, value];
}
