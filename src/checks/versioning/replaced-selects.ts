/**
 * Part 9, `Replaced`: `new` converts what older clients send in bodies and queries. Paths select by
 * the current values. Filters and orders compare the current values, where older clients may see
 * several values as one, or in another order.
 */
import { compileNode } from "../../expressions/compiling/compile.ts";
import { rootContext } from "../../expressions/compiling/context.ts";
import { emptyFrame } from "../../expressions/frame.ts";
import type { Node } from "../../expressions/node.ts";
import { partsOfNode } from "../../expressions/nodes.ts";
import type { Value } from "../../expressions/value.ts";
import type { FieldType } from "../../fields/type.ts";
import { meaningOf } from "../../model/meaning.ts";
import type { Endpoint, Model, VersionChange } from "../../model/model.ts";
import type { Position } from "../../source/source.ts";
import type { Check } from "../check.ts";
import { type Conversion, conversionBy } from "../../model/versions/conversion.ts";

type Replaced = Extract<VersionChange, { readonly kind: "replaced" }>;

interface Selection {
  readonly endpoint: string;
  readonly by: "path" | "filter" | "range" | "order";
  readonly position: Position;
}

export const replacedSelects: Check = (model, reporter) => {
  for (const change of model.versioning.versions.flatMap(({ changes }) => changes)) {
    if (change.kind !== "replaced") continue;
    const name = `${change.subject}.${change.name}`;
    const [first] = [...pathsBy(change, model), ...filtersBy(change, model), ...ordersBy(change, model)];
    if (!first) continue;
    const { position, ...words } = first;
    const related = [{ position, message: "Here." }];
    reporter.report("versioning/replaced-selects", change.position, { name, ...words }, related);
  }
};

function pathsBy({ subject, name }: Replaced, { endpoints }: Model): readonly Selection[] {
  return endpoints
    .filter(({ records }) => records.some(({ resource, by }) => resource === subject && by?.field === name))
    .map((endpoint) => selection(endpoint, "path", endpoint.position));
}

function filtersBy(change: Replaced, model: Model): readonly Selection[] {
  const { subject, name } = change;
  const { isOneToOne, keepsOrder } = conversionOf(change, model);
  if (isOneToOne && keepsOrder) return [];
  return model.endpoints
    .filter(({ resource }) => resource === subject)
    .flatMap((endpoint) =>
      endpoint.inputs.flatMap(({ filter, position }) => {
        if (!filter || filter.kind === "condition" || filter.field !== name) return [];
        if (filter.kind === "range") return [selection(endpoint, "range", position)];
        return isOneToOne ? [] : [selection(endpoint, "filter", position)];
      }),
    );
}

/**
 * An order holds for older versions even where they see several values as one. A caller of an older
 * version can't choose the field.
 */
function ordersBy(change: Replaced, model: Model): readonly Selection[] {
  const { subject, name } = change;
  if (conversionOf(change, model).keepsOrder) return [];
  return model.endpoints
    .filter(({ resource }) => resource === subject)
    .flatMap((endpoint) =>
      endpoint.order.flatMap(({ keys, position }) =>
        keys.some(({ by }) => isOwnField(by.node, name)) ? [selection(endpoint, "order", position)] : [],
      ),
    );
}

function selection({ method, path }: Endpoint, by: Selection["by"], position: Position): Selection {
  return { endpoint: `${method} ${path.text}`, by, position };
}

function isOwnField(node: Node, name: string): boolean {
  return node.op === "field" && node.name === name && node.of.op === "fixed" && node.of.name === "this";
}

function conversionOf({ subject, name, old }: Replaced, model: Model): Conversion {
  const resource = model.resources.find((resource) => resource.name === subject);
  const type = resource?.fields.find((field) => field.name === name)?.type;
  const seen = type && valuesSeen(old.node, type, model);
  if (!seen) return conversionBy(old.node, model);
  return {
    isOneToOne: new Set(seen.map(({ before }) => before)).size === seen.length,
    keepsOrder: seen.every(({ value, before }) => value === before),
  };
}

/** What older versions see of each of the values that the type lists, if that follows from the value alone. */
function valuesSeen(
  old: Node,
  type: FieldType,
  model: Model,
): readonly { readonly value: string; readonly before: string }[] | undefined {
  const values: readonly Value[] =
    type.kind === "enum" ? type.values : type.kind === "state" ? type.states : [];
  if (values.length === 0 || !readsOnlyNew(old)) return undefined;
  const evaluate = compileNode(old, rootContext(meaningOf(model)));
  return values.map((value) => ({
    value: JSON.stringify(value),
    before: JSON.stringify(evaluate({ ...emptyFrame, named: { new: value } })),
  }));
}

/** Whether the value follows from `new` and literals, by conditions and comparisons alone. */
function readsOnlyNew(node: Node): boolean {
  if (node.op === "literal") return true;
  if (node.op === "named") return node.name === "new";
  return ["if", "binary", "and", "or", "not"].includes(node.op) && partsOfNode(node).every(readsOnlyNew);
}
