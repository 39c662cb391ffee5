/**
 * Nested changes: what a stored change states about parts and values inside the columns of a table.
 */
import type { StoredChange } from "../../../model/model.ts";
import {
  editedRule,
  editedShape,
  editedValues,
  type NestedChange,
  partEdits,
  type PartEdits,
} from "./part-edits.ts";
import type { Column } from "../../table.ts";

/** Changes inside the columns of a resource. `name` is the resource's name after the step. */
export function nestedChanges(name: string, step: StoredChange): readonly NestedChange[] {
  const renamed = step.renamed.flatMap((rename): readonly NestedChange[] => {
    if (rename.kind === "resource" || rename.resource !== name) return [];
    const { position } = rename;
    const [column = "", ...inner] = rename.kind === "value" ? rename.field : rename.to;
    const path = pathBefore([column, ...inner], name, step);
    if (rename.kind === "value")
      return [{ kind: "value", column, path, from: rename.from, to: rename.to, position }];
    return inner.length === 0 ? [] : [{ kind: "part", column, path, to: inner.at(-1), position }];
  });
  const removed = step.removed.flatMap(({ resource, field, position }): readonly NestedChange[] => {
    if (resource !== name || !field || field.length < 2) return [];
    const path = [...pathBefore(field.slice(0, -1), name, step), field.at(-1) as string];
    return [{ kind: "part", column: field[0] as string, path, to: undefined, position }];
  });
  return [...renamed, ...removed];
}

/** The names before the step of a path after it, without the column. */
function pathBefore(path: readonly string[], resource: string, step: StoredChange): readonly string[] {
  const fields = step.renamed.filter((rename) => rename.kind === "field" && rename.resource === resource);
  const before = path.map((name, at) => {
    const whole = JSON.stringify(path.slice(0, at + 1));
    const rename = fields.find(({ to }) => JSON.stringify(to) === whole);
    return rename?.kind === "field" ? (rename.from.at(-1) as string) : name;
  });
  return before.slice(1);
}

/** A column with renamed parts or values. It already has its name after the step. */
export function applyNestedChanges(
  column: Column,
  inside: readonly NestedChange[],
  obstacles: string[],
): Column {
  const edits = partEdits(column.name, inside, column.shape, obstacles);
  if (!edits) return column;
  const { type, values, fill, shape, rules } = column;
  const isFill = typeof fill === "string" && edits.values.has(fill);
  return {
    ...column,
    type: typeWithValues(type, edits),
    ...(values && { values: editedValues(values, edits) }),
    ...(isFill && { fill: edits.values.get(fill) as string }),
    ...(shape && { shape: editedShape(shape, edits) }),
    ...(rules && { rules: rules.flatMap((rule) => editedRule(rule, edits)) }),
  };
}

/** `list of one of low, normal` with other values. */
function typeWithValues(type: string, edits: PartEdits): string {
  let elements: PartEdits | undefined = edits;
  for (let next = elements.inner.get("[]"); next; next = next.inner.get("[]")) elements = next;
  return type.replace(/(?<=one of ).*$/, (values) => editedValues(values.split(", "), elements).join(", "));
}
