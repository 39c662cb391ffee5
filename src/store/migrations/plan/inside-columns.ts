/**
 * Nested changes: what a stored change states about parts and values inside the columns of a table.
 */
import type { StoredChange, StoredRename } from "../../../model/model.ts";
import type { JsonShape } from "../../json-shape.ts";
import type { StoredRule } from "./rule-changes.ts";
import type { Column } from "../../table.ts";

type FieldRename = Extract<StoredRename, { readonly kind: "field" }>;
type ValueRename = Extract<StoredRename, { readonly kind: "value" }>;

export type NestedChange =
  | FieldRename
  | ValueRename
  | { readonly kind: "gone"; readonly from: readonly string[]; readonly position: StoredChange["position"] };

/** Changes inside the columns of a resource. `name` is the resource's name after the step. */
export function nestedChanges(name: string, step: StoredChange): readonly NestedChange[] {
  return [
    ...step.renamed.filter(
      (storedRename): storedRename is FieldRename | ValueRename =>
        storedRename.kind !== "resource" &&
        storedRename.resource === name &&
        (storedRename.kind === "value" || storedRename.from.length > 1),
    ),
    ...step.removed.flatMap(({ resource, field, position }) =>
      resource === name && field && field.length > 1
        ? [{ kind: "gone" as const, from: calledAfter(field, name, step), position }]
        : [],
    ),
  ];
}

/** A path whose first name is the column's name after the step. */
function calledAfter(path: readonly string[], resource: string, step: StoredChange): readonly string[] {
  const renamed = step.renamed.find(
    (storedRename) =>
      storedRename.kind === "field" &&
      storedRename.resource === resource &&
      storedRename.from.length === 1 &&
      storedRename.from[0] === path[0],
  );
  return renamed?.kind === "field" ? [renamed.to[0] as string, ...path.slice(1)] : path;
}

/** A column with renamed parts or values. */
export function applyNestedChanges(
  column: Column,
  inside: readonly NestedChange[],
  obstacles: string[],
): Column {
  let changed = column;
  for (const insideChange of inside) {
    const path = insideChange.kind === "value" ? insideChange.field : insideChange.from;
    if (path[0] !== column.name) continue;
    if (insideChange.kind === "value") {
      if (path.length === 1 && changed.values) {
        const values = changed.values.map((value) => (value === insideChange.from ? insideChange.to : value));
        const fill = changed.fill === insideChange.from ? { fill: insideChange.to } : {};
        changed = { ...changed, values: [...new Set(values)], ...fill };
      }
      if (path.slice(1).every((part) => part === "[]"))
        changed = { ...changed, type: typeWithValue(changed.type, insideChange) };
      changed = withRules(changed, (rule) =>
        rule.at === placeOf(path) ? valueRenamed(rule, insideChange) : rule,
      );
      continue;
    }
    const to = insideChange.kind === "gone" ? undefined : (insideChange.to.at(-1) as string);
    const shape = changed.shape && shapeRenamed(changed.shape, path.slice(1), to);
    if (shape)
      changed = withRules({ ...changed, shape }, (rule) =>
        to === undefined ? rule : { ...rule, at: atRenamed(rule.at, placeOf(path), to) },
      );
    else
      obstacles.push(
        `line ${insideChange.position.start.line}: the store has no ${path.join(".").replaceAll(".[]", "[]")}`,
      );
  }
  return changed;
}

function withRules(column: Column, change: (rule: StoredRule) => StoredRule): Column {
  return column.rules ? { ...column, rules: column.rules.map(change) } : column;
}

/** The path at which the rules of a value apply. */
function placeOf(path: readonly string[]): string {
  return path
    .slice(1)
    .map((step) => (step === "[]" ? step : `.${step}`))
    .join("");
}

function atRenamed(at: string, from: string, to: string): string {
  const isInside = at === from || at.startsWith(`${from}.`) || at.startsWith(`${from}[`);
  return isInside ? `${from.slice(0, from.lastIndexOf("."))}.${to}${at.slice(from.length)}` : at;
}

/** `list of one of low, normal` with another value. */
function typeWithValue(type: string, { from, to }: ValueRename): string {
  return type.replace(/(?<=one of ).*$/, (values) => {
    const renamed = values.split(", ").map((value) => (value === from ? to : value));
    return [...new Set(renamed)].join(", ");
  });
}

function valueRenamed(rule: StoredRule, { from, to }: ValueRename): StoredRule {
  if (!rule.values?.includes(from)) return rule;
  const values = [...new Set(rule.values.map((value) => (value === from ? to : value)))];
  const [kind] = /^one of|^state/.exec(rule.words) ?? [];
  return { ...rule, values, ...(kind !== undefined && { words: `${kind} ${values.join(", ")}` }) };
}

/** @param to undefined if the part is removed */
function shapeRenamed(
  shape: JsonShape,
  path: readonly string[],
  to: string | undefined,
): JsonShape | undefined {
  const [first, ...rest] = path;
  if ("each" in shape) {
    const each = shapeRenamed(shape.each, first === "[]" ? rest : path, to);
    return each && { each };
  }
  const part = shape.parts.find(({ name }) => name === first);
  if (!part) return undefined;
  const inner = rest.length > 0 && part.shape ? shapeRenamed(part.shape, rest, to) : undefined;
  if (rest.length > 0 && !inner) return undefined;
  if (rest.length === 0 && to === undefined)
    return { ...shape, parts: shape.parts.filter((jsonPart) => jsonPart !== part) };
  const changed =
    rest.length === 0 ? { ...part, name: to as string } : { ...part, shape: inner as JsonShape };
  return { ...shape, parts: shape.parts.map((jsonPart) => (jsonPart === part ? changed : jsonPart)) };
}
