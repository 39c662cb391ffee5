/**
 * Edits of parts: what a stored change does to the parts and values inside one column. All of them
 * happen at once, over the names before the step, so parts may swap names or take a removed one.
 */
import type { Value } from "../../../expressions/value.ts";
import type { ReferencePlace } from "../../../model/resources/reference-places.ts";
import type { JsonPart, JsonShape } from "../../json-shape.ts";
import type { StoredChange } from "../../../model/model.ts";
import type { StoredRule } from "./rule-changes.ts";

/** A renamed or removed part, or a renamed value. */
export type NestedChange = {
  /** The name of the column after the step. */
  readonly column: string;
  /** The path inside the column, with all names before the step. */
  readonly path: readonly string[];
  readonly position: StoredChange["position"];
} & (
  | { readonly kind: "part" /** Undefined if it is removed. */; readonly to: string | undefined }
  | { readonly kind: "value"; readonly from: string; readonly to: string }
);

/** The edits at one place of a value. A value that contains itself has its edits again inside, in a circle. */
export interface PartEdits {
  /** The new name of the part. */
  to?: string;
  isRemoved?: true;
  /** New texts by former ones. */
  readonly values: Map<string, string>;
  /** By the name before the step; `[]` for each element of a list or a map. */
  inner: Map<string, PartEdits>;
}

/**
 * The edits of a column; undefined if the step has none there.
 * @param column its name after the step
 * @param shape its shape before the step
 * @param obstacles collects names that the store lacks
 */
export function partEdits(
  column: string,
  inside: readonly NestedChange[],
  shape: JsonShape | undefined,
  obstacles: string[] = [],
): PartEdits | undefined {
  const own = inside.filter((change) => change.column === column);
  if (own.length === 0) return undefined;
  const edits = noEdits();
  for (const change of own) {
    const { node, isThere } = placeOf(edits, change.path, shape);
    if (change.kind === "value") node.values.set(change.from, change.to);
    else if (!isThere) obstacles.push(`${lineOf(change)}: the store has no ${nameOf(change)}`);
    else if (change.to === undefined) node.isRemoved = true;
    else node.to = change.to;
  }
  if (shape && !repeatEdits(edits, shape, [])) obstacles.push(unknownInner(own));
  const name = shape && nameTwice(shape, edits);
  const rename = own.find((change) => change.kind === "part" && change.to === name);
  if (name !== undefined && rename) obstacles.push(`${lineOf(rename)}: ${alreadyThere(column, name)}`);
  return edits;
}

/** Why a rename is refused: one of two values would be lost. */
export function alreadyThere(owner: string, name: string): string {
  return `${owner} already has ${name}; rename or remove it in the same stored change`;
}

/** The name that two parts of one object would have after the edits. */
function nameTwice(shape: JsonShape, edits: PartEdits): string | undefined {
  const inner = (name: string): PartEdits => edits.inner.get(name) ?? noEdits();
  if ("each" in shape) return nameTwice(shape.each, inner("[]"));
  const kept = shape.parts.filter(({ name }) => !inner(name).isRemoved);
  const names = kept.map(({ name }) => inner(name).to ?? name);
  const twice = names.find((name, at) => names.indexOf(name) !== at);
  if (twice !== undefined) return twice;
  const within = kept.map((part) => part.shape && nameTwice(part.shape, inner(part.name)));
  return within.find((name) => name !== undefined);
}

function noEdits(): PartEdits {
  return { values: new Map(), inner: new Map() };
}

function lineOf({ position }: NestedChange): string {
  return `line ${position.start.line}`;
}

function nameOf({ column, path }: NestedChange): string {
  return [column, ...path].join(".").replaceAll(".[]", "[]");
}

function unknownInner(own: readonly NestedChange[]): string {
  const [first] = own as readonly [NestedChange];
  return `${lineOf(first)}: the store is of an earlier release, and does not show where ${first.column} contains a value again; serve it once with the former document`;
}

function innerOf({ inner }: PartEdits, step: string): PartEdits {
  const there = inner.get(step) ?? noEdits();
  inner.set(step, there);
  return there;
}

/** The place of a path, and whether the store has it. A path may omit `[]` where the shape shows a list or a map. */
function placeOf(edits: PartEdits, path: readonly string[], shape: JsonShape | undefined) {
  let [node, at, isThere] = [edits, shape, true];
  for (const step of path) {
    for (; step !== "[]" && at && "each" in at; at = at.each) node = innerOf(node, "[]");
    node = innerOf(node, step);
    if (step === "[]") {
      at = at && "each" in at ? at.each : undefined;
      continue;
    }
    const part: JsonPart | undefined =
      at && "parts" in at ? at.parts.find(({ name }) => name === step) : undefined;
    isThere &&= part !== undefined;
    at = part?.shape;
  }
  return { node, isThere };
}

interface Around {
  /** The name of the value; undefined for an object. */
  readonly value: string | undefined;
  readonly edits: PartEdits;
}

/**
 * Lets a value that contains itself have its edits at every depth.
 * @returns false if the store doesn't show which value is inside
 */
function repeatEdits(edits: PartEdits, shape: JsonShape, around: readonly Around[]): boolean {
  if ("each" in shape) return repeatEdits(innerOf(edits, "[]"), shape.each, around);
  const all = [...around, { value: shape.value, edits }];
  return shape.parts.every((part) => {
    if (part.shape) return repeatEdits(innerOf(edits, part.name), part.shape, all);
    const levels = part.form.split(" of ");
    if (levels.at(-1) !== "parts") return true;
    if (part.again === undefined) return !all.some((outer) => hasEdits(outer.edits));
    const outer = all.find(({ value }) => value === part.again)?.edits;
    const element = levels.slice(1).reduce((place) => innerOf(place, "[]"), innerOf(edits, part.name));
    if (outer) element.inner = outer.inner;
    return true;
  });
}

/** Whether anything inside is edited. */
function hasEdits({ inner }: PartEdits, seen: ReadonlySet<unknown> = new Set()): boolean {
  if (seen.has(inner)) return false;
  const within = new Set([...seen, inner]);
  return [...inner.values()].some(
    (part) =>
      part.to !== undefined || part.isRemoved === true || part.values.size > 0 || hasEdits(part, within),
  );
}

/** The value after the edits. */
export function editedValue(value: Value, edits: PartEdits): Value {
  if (typeof value === "string") return edits.values.get(value) ?? value;
  if (typeof value !== "object" || value === null || value instanceof Uint8Array) return value;
  const { inner } = edits;
  const each = inner.get("[]");
  if (Array.isArray(value)) return each ? value.map((item: Value) => editedValue(item, each)) : value;
  const entries = Object.entries(value as Readonly<Record<string, Value>>).flatMap(
    ([key, part]): (readonly [string, Value])[] => {
      const own = each ?? inner.get(key);
      if (!own) return [[key, part]];
      return own.isRemoved ? [] : [[own.to ?? key, editedValue(part, own)]];
    },
  );
  return Object.fromEntries(entries);
}

/** The shape after the edits. */
export function editedShape(shape: JsonShape, edits: PartEdits): JsonShape {
  if ("each" in shape) {
    const each = edits.inner.get("[]");
    return each ? { each: editedShape(shape.each, each) } : shape;
  }
  const parts = shape.parts.flatMap((part): readonly JsonPart[] => {
    const own = edits.inner.get(part.name);
    if (!own) return [part];
    if (own.isRemoved) return [];
    const inner = part.shape && { shape: editedShape(part.shape, own) };
    return [{ ...part, name: own.to ?? part.name, ...inner }];
  });
  return { ...shape, parts };
}

/** A path after the edits, and the edits at its end; undefined if the step removes the part. */
function editedPath(path: readonly string[], edits: PartEdits) {
  const after: string[] = [];
  let node: PartEdits | undefined = edits;
  for (const step of path) {
    node = node?.inner.get(step);
    if (node?.isRemoved) return undefined;
    after.push(node?.to ?? step);
  }
  return { path: after, edits: node };
}

/** The rule at its new path, with the new values of an enumeration. None for a removed part. */
export function editedRule(rule: StoredRule, edits: PartEdits): readonly StoredRule[] {
  const found = editedPath(rule.at.match(/\[\]|[^.[\]]+/g) ?? [], edits);
  if (!found) return [];
  const at = found.path.map((step) => (step === "[]" ? step : `.${step}`)).join("");
  const values = found.edits && rule.values && editedValues(rule.values, found.edits);
  if (!values) return [{ ...rule, at }];
  const [kind] = /^one of|^state/.exec(rule.words) ?? [];
  return [{ ...rule, at, values, ...(kind !== undefined && { words: `${kind} ${values.join(", ")}` }) }];
}

/** The values of an enumeration after the edits. */
export function editedValues(
  all: readonly string[],
  { values }: Pick<PartEdits, "values">,
): readonly string[] {
  return [...new Set(all.map((value) => values.get(value) ?? value))];
}

/** The steps to a reference after the edits; undefined if the step removes the part. */
export function editedSteps(
  steps: ReferencePlace["steps"],
  edits: PartEdits,
): ReferencePlace["steps"] | undefined {
  const names = steps.map((step) => (step.step === "each" ? "[]" : step.name));
  const found = editedPath(names, edits);
  return (
    found &&
    steps.map((step, at) => (step.step === "each" ? step : { ...step, name: found.path[at] as string }))
  );
}
