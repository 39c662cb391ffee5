/**
 * Part 9, `Replaced`: `new` converts what older clients send in bodies and queries. Paths select by
 * the current values. An equality filter finds the records of one value, where older clients may see
 * several values as one.
 */
import { compileNode } from "../../expressions/compiling/compile.ts";
import { rootContext } from "../../expressions/compiling/context.ts";
import { emptyFrame } from "../../expressions/frame.ts";
import type { Node } from "../../expressions/node.ts";
import { partsOfNode } from "../../expressions/nodes.ts";
import type { Value } from "../../expressions/value.ts";
import type { FieldType } from "../../fields/type.ts";
import { meaningOf } from "../../model/meaning.ts";
import type { Model, VersionChange } from "../../model/model.ts";
import type { Position } from "../../source/source.ts";
import type { Check } from "../check.ts";

type Replaced = Extract<VersionChange, { readonly kind: "replaced" }>;

interface Selection {
  readonly endpoint: string;
  readonly by: "path" | "filter";
  readonly position: Position;
}

export const replacedSelects: Check = (model, reporter) => {
  for (const change of model.versioning.versions.flatMap(({ changes }) => changes)) {
    if (change.kind !== "replaced") continue;
    const name = `${change.subject}.${change.name}`;
    const [first] = [...pathsBy(change, model), ...filtersBy(change, model)];
    if (!first) continue;
    const { position, ...words } = first;
    const related = [{ position, message: "Here." }];
    reporter.report("versioning/replaced-selects", change.position, { name, ...words }, related);
  }
};

function pathsBy({ subject, name }: Replaced, { endpoints }: Model): readonly Selection[] {
  return endpoints
    .filter(({ records }) => records.some(({ resource, by }) => resource === subject && by?.field === name))
    .map(({ method, path, position }) => ({
      endpoint: `${method} ${path.text}`,
      by: "path" as const,
      position,
    }));
}

function filtersBy({ subject, name, old }: Replaced, model: Model): readonly Selection[] {
  const type = model.resources
    .find((resource) => resource.name === subject)
    ?.fields.find((field) => field.name === name)?.type;
  if (!type || !hasTwoSeenAsOne(old.node, type, model)) return [];
  return model.endpoints
    .filter(({ resource }) => resource === subject)
    .flatMap(({ method, path, inputs }) =>
      inputs
        .filter(({ filter }) => filter && "field" in filter && filter.field === name)
        .map(({ position }) => ({ endpoint: `${method} ${path.text}`, by: "filter" as const, position })),
    );
}

/** Whether the expression gives the same for two of the values that the type lists. */
function hasTwoSeenAsOne(old: Node, type: FieldType, model: Model): boolean {
  const values: readonly Value[] =
    type.kind === "enum" ? type.values : type.kind === "state" ? type.states : [];
  if (values.length === 0 || !readsOnlyNew(old)) return false;
  const evaluate = compileNode(old, rootContext(meaningOf(model)));
  const seen = values.map((value) => JSON.stringify(evaluate({ ...emptyFrame, named: { new: value } })));
  return new Set(seen).size < seen.length;
}

/** Whether the value follows from `new` and literals, by conditions and comparisons alone. */
function readsOnlyNew(node: Node): boolean {
  if (node.op === "literal") return true;
  if (node.op === "named") return node.name === "new";
  return ["if", "binary", "and", "or", "not"].includes(node.op) && partsOfNode(node).every(readsOnlyNew);
}
