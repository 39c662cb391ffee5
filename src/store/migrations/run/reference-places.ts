/** Reference places: where keys of other records occur inside a field's value. */
import type { Value } from "../../../expressions/value.ts";
import type { ReferencePlace, Step } from "../../../model/resources/reference-places.ts";
import type { JsonShape } from "../../json-shape.ts";

/** The value with the keys at the places replaced. */
export function mapKeysAt(
  value: Value,
  [step, ...steps]: readonly Step[],
  change: (key: Value) => Value,
): Value {
  if (!step) return change(value);
  if (typeof value !== "object" || value === null) return value;
  if (step.step === "each" && Array.isArray(value))
    return value.map((item: Value) => mapKeysAt(item, steps, change));
  const isChanged = (name: string): boolean => step.step === "each" || step.name === name;
  const parts = Object.entries(value as { readonly [name: string]: Value }).map(([name, part]) => [
    name,
    isChanged(name) ? mapKeysAt(part, steps, change) : part,
  ]);
  return Object.fromEntries(parts) as Value;
}

/** Replaces the keys in a field's value. */
export type MapKeys = (value: Value, change: (key: Value, to: string) => Value) => Value;

/** What an embedded value has by itself: keys, and other embedded values. */
interface Content {
  readonly keys: Pick<ReferencePlace, "steps" | "to">[];
  readonly values: { readonly steps: readonly Step[]; readonly name: string }[];
}

/** The content of the field itself; no value has this name. */
const ofField = "";

/**
 * Replaces the keys in the values of a field, at any depth of values that contain themselves.
 * @param places of the field; those of such a value end at some depth
 */
export function keysWithin(
  places: readonly Pick<ReferencePlace, "steps" | "to">[],
  shape: JsonShape | undefined,
): MapKeys {
  const contents = contentsOf(shape);
  for (const { steps, to } of places) {
    const { content, rest } = innermost(contents, steps);
    const isKnown = content.keys.some((key) => key.to === to && isSame(key.steps, rest));
    if (!isKnown) content.keys.push({ steps: rest, to });
  }
  const within = (value: Value, name: string, change: Parameters<MapKeys>[1]): Value => {
    const { keys, values } = contentIn(contents, name);
    let last = value;
    for (const { steps, to } of keys) last = mapKeysAt(last, steps, (key) => change(key, to));
    for (const inner of values)
      last = mapKeysAt(last, inner.steps, (part) =>
        part === null ? null : within(part, inner.name, change),
      );
    return last;
  };
  return (value, change) => within(value, ofField, change);
}

/** Reads the keys of a place, at any depth of a value that contains itself. */
export function readKeysWithin(
  place: Pick<ReferencePlace, "steps" | "to">,
  shape: JsonShape | undefined,
): (value: Value) => readonly Value[] {
  const mapKeys = keysWithin([place], shape);
  return (value) => {
    const keys: Value[] = [];
    mapKeys(value, (key) => {
      if (key !== null) keys.push(key);
      return key;
    });
    return keys;
  };
}

function contentsOf(shape: JsonShape | undefined): Map<string, Content> {
  const contents = new Map<string, Content>();
  const look = (inner: JsonShape, name: string, steps: readonly Step[]): void => {
    if ("each" in inner) look(inner.each, name, [...steps, { step: "each" }]);
    else if (inner.value === undefined) lookIn(inner, name, steps);
    else {
      contentIn(contents, name).values.push({ steps, name: inner.value });
      if (!contents.has(inner.value)) lookIn(inner, inner.value, []);
    }
  };
  const lookIn = (
    { parts }: Extract<JsonShape, { readonly parts: unknown }>,
    name: string,
    steps: readonly Step[],
  ): void => {
    const own = contentIn(contents, name);
    for (const part of parts) {
      const there: readonly Step[] = [...steps, { step: "part", name: part.name }];
      if (part.shape) look(part.shape, name, there);
      else if (part.again !== undefined) {
        const depth = part.form.split(" of ").length - 1;
        const each = Array.from({ length: depth }, (): Step => ({ step: "each" }));
        own.values.push({ steps: [...there, ...each], name: part.again });
      }
    }
  };
  if (shape) look(shape, ofField, []);
  return contents;
}

function contentIn(contents: Map<string, Content>, name: string): Content {
  const content = contents.get(name) ?? { keys: [], values: [] };
  contents.set(name, content);
  return content;
}

/** The last value that steps enter, and the steps inside it. */
function innermost(contents: Map<string, Content>, steps: readonly Step[]) {
  let content = contentIn(contents, ofField);
  let rest = steps;
  for (;;) {
    const next = content.values.find((value) => isSame(value.steps, rest.slice(0, value.steps.length)));
    if (!next) return { content, rest };
    content = contentIn(contents, next.name);
    rest = rest.slice(next.steps.length);
  }
}

function isSame(left: readonly Step[], right: readonly Step[]): boolean {
  return JSON.stringify(left) === JSON.stringify(right);
}
