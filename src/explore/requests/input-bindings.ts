/**
 * Input bindings: with which field of a record the rules of an endpoint compare an input, as in
 * `Version.first(v, v.id == body.version)` or `body.owner != caller.username`. A value of that field
 * leads to requests that the rules accept.
 */
import { isDeepStrictEqual } from "node:util";
import { expressionsIn } from "../../expressions/analysis/expressions-in.ts";
import { nodesWithin } from "../../expressions/analysis/nodes-within.ts";
import type { Node } from "../../expressions/node.ts";
import type { RecordValue } from "../../expressions/value.ts";
import type { Endpoint, Input, Model } from "../../model/model.ts";
import { memoizeBy } from "../../support/memoize-by.ts";
import type { Caller } from "../stories/callers.ts";
import { inputKey } from "../stories/input-key.ts";
import { chainOf } from "../stories/chains.ts";
import { boundValue, type PathBinding } from "./path-bindings.ts";
import { identityOf, keyOf, resourceNamed, templateOfField } from "./record-keys.ts";
import type { StoryContext } from "../stories/story-context.ts";
import type { Template } from "../stories/story.ts";

/** How often a value of the record in the path is preferred, in percent. */
const thisPercent = 80;

interface InputBinding extends PathBinding {
  /** Whether the field is one of the caller, of the record in the path, or of any record. */
  readonly of: "caller" | "this" | "any";
  /** The field is a bound of the input, which may also be one above or below it. */
  readonly isBound: boolean;
}

/** The bindings of an endpoint's inputs, by `inputKey`. */
type InputBindings = ReadonlyMap<string, readonly InputBinding[]>;

/** Places of inputs by the name that stands for them in expressions. */
const places: Readonly<Record<string, string>> = { body: "body", query: "query", headers: "header" };

/** The bindings in the rules of an endpoint and in the guards of its transitions. */
const inputBindings = memoizeBy((model: Model) =>
  memoizeBy((endpoint: Endpoint): InputBindings => {
    const found = new Map<string, InputBinding[]>();
    const fields = endpoint.inputs.map((input) => ({ input, key: inputKey(input) }));
    const pieces = [endpoint, ...transitionsOf(model, endpoint)];
    for (const { expression } of pieces.flatMap((piece) => [...expressionsIn(piece)]))
      for (const { read, compared, isBound } of comparisonsIn(expression.node)) {
        const chain = chainOf(compared);
        const type = chain?.root.type;
        const known = fields.find(
          ({ input }) => places[read.place] === input.in && isSame(input.name, read.name),
        );
        if (!known || !chain || type?.kind !== "record") continue;
        const root = chain.root.op === "fixed" ? chain.root.name : undefined;
        const of = root === "caller" || root === "this" ? root : "any";
        const binding = { resource: type.resource, fields: chain.fields, of, isBound } as const;
        const others = found.get(known.key) ?? [];
        if (!others.some((other) => isDeepStrictEqual(other, binding)))
          found.set(known.key, [...others, binding]);
      }
    return found;
  }),
);

function isSame(a: readonly string[], b: readonly string[]): boolean {
  return a.join(".") === b.join(".");
}

function transitionsOf(model: Model, { does }: Endpoint): readonly object[] {
  return does.flatMap((operation) => {
    if (operation.kind !== "transition") return [];
    const { states } = model.resources.find(({ name }) => name === operation.resource) ?? {};
    return (states?.transitions ?? []).filter(({ name }) => name === operation.transition);
  });
}

interface ReadInput {
  readonly place: string;
  readonly name: readonly string[];
}

interface Comparison {
  readonly read: ReadInput;
  readonly compared: Node;
  readonly isBound: boolean;
}

/** Comparisons of an input, or of an element of one, with something else. */
function comparisonsIn(root: Node): readonly Comparison[] {
  const lists = new Map<string, ReadInput>();
  const all = [...nodesWithin(root)];
  for (const node of all) {
    const list = node.op === "macro" && node.variable !== undefined ? inputOf(node.of) : undefined;
    if (list && node.op === "macro") lists.set(`${node.variable} ${node.depth}`, list);
  }
  return all.flatMap((node): Comparison[] => {
    if (node.op !== "binary") return [];
    const isBound = ["<", "<=", ">", ">="].includes(node.operator);
    if (!isBound && !["==", "!=", "in"].includes(node.operator)) return [];
    return [
      { side: node.left, other: node.right },
      { side: node.right, other: node.left },
    ].flatMap(({ side, other }): Comparison[] => {
      const read = inputOf(side);
      if (read) return [{ read, compared: other, isBound }];
      const list = side.op === "local" ? lists.get(`${side.name} ${side.depth}`) : undefined;
      return list ? [{ read: list, compared: other, isBound }] : [];
    });
  });
}

/** The input that a node reads, also inside a conversion. */
function inputOf(node: Node): ReadInput | undefined {
  const chain = chainOf(node);
  return chain?.root.op === "fixed" && chain.root.name in places && chain.fields.length > 0
    ? { place: chain.root.name, name: chain.fields }
    : undefined;
}

/**
 * A value for an input that its endpoint compares with a field. Undefined if the endpoint compares
 * it with none, or the story can name no record with a value.
 * @param chain the records of the request's path, whose own records are preferred
 */
export function boundInput(
  endpoint: Endpoint,
  input: Input,
  caller: Caller,
  context: StoryContext,
  chain: ReadonlyMap<string, RecordValue>,
): Template | undefined {
  const { model, draw, records } = context;
  const binding = draw.oneOf(inputBindings(model)(endpoint).get(inputKey(input)) ?? []);
  if (!binding) return undefined;
  const own =
    binding.of === "caller"
      ? context.recordOfCaller(caller)
      : binding.of === "this" && draw.happens(thisPercent)
        ? chain.get(binding.resource)
        : undefined;
  const all = own ? [own] : (records.get(binding.resource) ?? []);
  const belonging = all.filter((record) => belongsTo(model, binding.resource, record, chain));
  const record = draw.oneOf(belonging.length > 0 ? belonging : all);
  const value = record && boundValue(model, records, binding, record);
  if (binding.isBound && typeof value === "number" && Number.isSafeInteger(value))
    return value + draw.below(3) - 1;
  const resource = resourceNamed(model, binding.resource);
  const [field, ...more] = binding.fields;
  const template =
    resource && record && more.length === 0 && !Array.isArray(value)
      ? field === undefined
        ? identityOf(context, resource, record)
        : templateOfField(context, resource, field, record)
      : context.templateOf(Array.isArray(value) ? draw.oneOf(value) : value);
  return template !== undefined && input.type.kind === "list" ? [template] : template;
}

/** Whether a record refers to the records of a path, wherever it refers to their resources. */
function belongsTo(
  model: Model,
  resource: string,
  record: RecordValue,
  chain: ReadonlyMap<string, RecordValue>,
): boolean {
  return (resourceNamed(model, resource)?.fields ?? []).every(({ name, type }) => {
    const parent = type.kind === "reference" ? chain.get(type.resource) : undefined;
    const target = type.kind === "reference" ? resourceNamed(model, type.resource) : undefined;
    return !parent || !target || record[name] === keyOf(model, target, parent);
  });
}
