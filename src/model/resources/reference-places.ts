/**
 * Reference places: where records hold identifiers of other records, which are fields, and places
 * inside lists, maps, objects and embedded values. A deletion must check them; each database's folder
 * builds the statements.
 */
import { ruleOf, type FieldRule } from "../../fields/rule.ts";
import type { FieldType } from "../../fields/type.ts";
import { memoizeBy } from "../../support/memoize-by.ts";
import type { Field, Model } from "../model.ts";

/** A step from a column inwards: to every element of a list or map, or to the part of that name. */
export type Step = { readonly step: "each" } | { readonly step: "part"; readonly name: string };

export interface ReferencePlace {
  /** The resource whose records have the reference. */
  readonly resource: string;
  readonly field: string;
  /** Empty for a field that is a reference itself. */
  readonly steps: readonly Step[];
  /** The target resource. */
  readonly to: string;
  readonly onDelete: "cascade" | "restrict" | "clear";
  /** Whether the document states `on delete`; the notation's default is `restrict`. */
  readonly stated: boolean;
}

/**
 * Embedded values may contain themselves. They are followed up to this depth along one path; deeper
 * references are not searched.
 */
const repeatsMax = 2;

/** All places, in the document's order. */
export function referencePlaces(model: Model): readonly ReferencePlace[] {
  return walkReferences(model, () => {});
}

/** References inside values that contain themselves, which are not searched below `repeatsMax`. */
export function deepReferences(model: Model): readonly DeepReference[] {
  const deep = new Map<string, DeepReference>();
  const fieldsOf = (name: string): readonly Field[] =>
    model.resources.find((candidate) => candidate.name === name)?.fields ?? [];
  const refersTo = (type: FieldType, inside: readonly string[]): boolean => {
    switch (type.kind) {
      case "list":
      case "map":
        return refersTo(type.of, inside);
      case "object":
        return type.parts.some((part) => refersTo(part.type, inside));
      case "value":
        return (
          !inside.includes(type.resource) &&
          fieldsOf(type.resource).some((field) => refersTo(field.type, [...inside, type.resource]))
        );
      default:
        return type.kind === "reference";
    }
  };
  walkReferences(model, ({ resource, name }) => {
    for (const field of fieldsOf(name))
      if (refersTo(field.type, [name])) deep.set(`${name}.${field.name}`, { resource, value: name, field });
  });
  return [...deep.values()];
}

export interface DeepReference {
  /** The resource whose records contain the value. */
  readonly resource: string;
  /** The value that contains itself, and its field with the reference. */
  readonly value: string;
  readonly field: Field;
}

/** @param onCut receives each value that isn't followed further */
function walkReferences(
  model: Model,
  onCut: (cut: { readonly resource: string; readonly name: string }) => void,
): readonly ReferencePlace[] {
  const places: ReferencePlace[] = [];
  for (const resource of model.resources) {
    if (resource.identifier.kind === "none") continue;
    const cut = (name: string): void => onCut({ resource: resource.name, name });
    for (const field of resource.fields) {
      if (ruleOf(field.rules, "computed")) continue;
      walk(field.type, field.rules, [], [], {
        cut,
        found(to, rules, steps) {
          const stated = ruleOf(rules, "on delete");
          places.push({
            resource: resource.name,
            field: field.name,
            steps,
            to,
            onDelete: stated?.then ?? "restrict",
            stated: stated !== undefined,
          });
        },
      });
    }
  }
  return places;

  function walk(
    type: FieldType,
    rules: readonly FieldRule[],
    steps: readonly Step[],
    inside: readonly string[],
    visit: Visit,
  ): void {
    switch (type.kind) {
      case "reference":
        visit.found(type.resource, rules, steps);
        return;
      case "list":
      case "map":
        walk(type.of, rules, [...steps, { step: "each" }], inside, visit);
        return;
      case "object":
        for (const part of type.parts)
          walk(part.type, part.rules, [...steps, { step: "part", name: part.name }], inside, visit);
        return;
      case "value": {
        if (inside.filter((name) => name === type.resource).length >= repeatsMax) {
          visit.cut(type.resource);
          return;
        }
        const value = model.resources.find((candidate) => candidate.name === type.resource);
        for (const field of value?.fields ?? []) {
          walk(
            field.type,
            field.rules,
            [...steps, { step: "part", name: field.name }],
            [...inside, type.resource],
            visit,
          );
        }
      }
    }
  }
}

interface Visit {
  found(to: string, rules: readonly FieldRule[], steps: readonly Step[]): void;
  /** A value that isn't followed further. */
  cut(value: string): void;
}

/** The resources of which a deletion may be refused, because of a reference to the record or to one that is deleted with it. */
export const restrictedResources = memoizeBy((model: Model): ReadonlySet<string> => {
  const places = referencePlaces(model);
  return new Set(model.resources.flatMap(({ name }) => (mayBeRefused(model, places, name) ? [name] : [])));
});

/** A deletion that only marks the record follows what the document states for a reference. */
function mayBeRefused({ resources }: Model, places: readonly ReferencePlace[], resource: string): boolean {
  const marked = new Set(resources.flatMap(({ name, deleted }) => (deleted === "marked" ? [name] : [])));
  const removed = new Set([resource]);
  // The iteration over a set includes entries that are added meanwhile.
  for (const name of removed)
    for (const { resource: referrer, to, onDelete, stated } of places) {
      if (to !== name || !(stated || !marked.has(name))) continue;
      if (onDelete === "restrict") return true;
      if (onDelete === "cascade") removed.add(referrer);
    }
  return false;
}
