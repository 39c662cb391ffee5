/** Literals of a document: numbers and texts of its expressions, and values of its scenarios. */
import { expressionsIn } from "../../expressions/analysis/expressions-in.ts";
import { nodesWithin } from "../../expressions/analysis/nodes-within.ts";
import type { Node } from "../../expressions/node.ts";
import { isOpen } from "../../expressions/relations.ts";
import type { Model } from "../../model/model.ts";
import type { Json } from "../../support/json.ts";
import { isList, isMap } from "../comparison/compare-responses.ts";
import type { GivenStep } from "../comparison/implementation.ts";
import { chainOf } from "./chains.ts";
import { jsonOf } from "./story.ts";

export interface Literals {
  /** The numbers with their neighbours, because mistakes in guards are mostly at a bound. */
  readonly numbers: readonly number[];
  readonly texts: readonly string[];
  /** Values that scenarios send, by input name. */
  readonly examples: ReadonlyMap<string, readonly Json[]>;
  /** Keys that expressions read from fields and inputs of any JSON, by the name of the field. */
  readonly jsonKeys: ReadonlyMap<string, ReadonlySet<string>>;
  /** Texts with which expressions compare a field or input, by its name. */
  readonly compared: ReadonlyMap<string, ReadonlySet<string>>;
}

const numberMax = 1_000_000;

/** @param hints records whose values serve as additional examples */
export function literalsOf(model: Model, hints: readonly GivenStep[] = []): Literals {
  const numbers = new Set<number>();
  const texts = new Set<string>();
  const jsonKeys = new Map<string, Set<string>>();
  const compared = new Map<string, Set<string>>();
  const pieces = [model.endpoints, model.resources];
  for (const { expression } of pieces.flatMap(expressionsIn))
    for (const node of nodesWithin(expression.node)) {
      if (node.op === "field" && node.of.op === "field" && isOpen(node.of.type)) {
        const keys = jsonKeys.get(node.of.name) ?? new Set();
        jsonKeys.set(node.of.name, keys.add(node.name));
      }
      for (const [name, text] of comparedIn(node)) {
        const known = compared.get(name) ?? new Set();
        compared.set(name, known.add(text));
      }
      if (node.op !== "literal") continue;
      if (typeof node.value === "number" && Math.abs(node.value) <= numberMax)
        for (const neighbour of [node.value, node.value - 1, node.value + 1]) numbers.add(neighbour);
      if (typeof node.value === "string" && /^[\w.-]{1,30}$/.test(node.value)) texts.add(node.value);
    }
  return { numbers: [...numbers], texts: [...texts], examples: examplesOf(model, hints), jsonKeys, compared };
}

/** The field that a comparison reads, with the text that it is compared with. */
function comparedIn(node: Node): readonly (readonly [name: string, text: string])[] {
  if (node.op !== "binary" || (node.operator !== "==" && node.operator !== "!=")) return [];
  return [
    [node.left, node.right],
    [node.right, node.left],
  ].flatMap(([side, other]) => {
    const name = side && chainOf(side)?.fields.at(-1);
    const isText = other?.op === "literal" && typeof other.value === "string";
    return name !== undefined && isText ? [[name, String(other.value)] as const] : [];
  });
}

function examplesOf(model: Model, hints: readonly GivenStep[]): ReadonlyMap<string, readonly Json[]> {
  const examples = new Map<string, Json[]>();
  const note = (name: string, value: Json): void => {
    const known = examples.get(name) ?? [];
    if (known.length < 8 && !JSON.stringify(value).includes("{{")) examples.set(name, [...known, value]);
    if (isMap(value)) for (const [key, part] of Object.entries(value)) note(key, part);
    else if (isList(value)) for (const part of value) if (isMap(part)) note("", part);
  };
  for (const { field, value } of hints.flatMap(({ fields }) => fields))
    if (value.node.op === "literal" && typeof value.node.value === "string") note(field, value.node.value);
  for (const step of model.scenarios.flatMap(({ steps }) => steps)) {
    if (step.kind !== "exchange") continue;
    const body = step.request.body && jsonOf(step.request.body.text);
    if (body !== undefined) note("", body);
    for (const [name, value] of new URLSearchParams(step.request.target.split("?")[1] ?? ""))
      note(name, value);
  }
  return examples;
}
