/**
 * An older version of the document in the words of its callers (part 9): the names, keys and inputs that they know, out of the current ones.
 * Answers are rewritten as expressions (`shown.ts`, `shown-entries.ts`), inputs by their names (`spoken-inputs.ts`). How what was sent in
 * old words becomes what is meant now is the engine's matter; which endpoints a version has is `served.ts`.
 */
import type { MapEntry } from "../../expressions/node.ts";
import type { ResourceSpec } from "../../fields/field-reader.ts";
import type { FieldType } from "../../fields/type.ts";
import type { Endpoint, Model, Version, VersionChange } from "../model.ts";
import { changesSince, pathOf, touchedResources, valueWithin } from "./changes.ts";
import { type Shown, shownEntries } from "./shown-entries.ts";
import { spokenInputs, spokenResource } from "./spoken-inputs.ts";

export interface SpokenVersion {
  readonly name: string;
  /** The entries of what is shown, as this version has them. */
  entries(shown: Shown, entries: readonly MapEntry[]): readonly MapEntry[];
  /** Whether things of the resource look otherwise in this version, or hold what does. */
  touches(resource: string): boolean;
  /** The endpoint with its inputs by this version's names. */
  endpoint(endpoint: Endpoint): Endpoint;
  /** The fields of an embedded value as this version sends them. */
  resource(spec: ResourceSpec): ResourceSpec;
  /** This version's name of a field, for error bodies. */
  fieldName(resource: string | undefined, field: string): string;
}

/** Undefined for a version that differs in nothing from the current one. */
export function spokenVersion(model: Model, version: Version): SpokenVersion | undefined {
  const changes = changesSince(model, version);
  if (changes.length === 0) return undefined;
  const touched = touchedResources(model, changes);
  const spoken = new Map<string, ResourceSpec>();
  return {
    name: version.name,
    entries: (shown, entries) => shownEntries(shown, entries, changes),
    touches: (resource) => touched.has(resource),
    endpoint(endpoint) {
      const inputs = spokenInputs(endpoint, changes);
      return inputs === endpoint.inputs ? endpoint : { ...endpoint, inputs };
    },
    resource(spec) {
      const known = spoken.get(spec.name) ?? spokenResource(spec, changes);
      spoken.set(spec.name, known);
      return known;
    },
    fieldName: (resource, field) =>
      resource === undefined ? field : nameBefore(model, changes, resource, field),
  };
}

/** `address.postcode` → `address.zip`: the names before, from the outermost to the innermost. */
function nameBefore(
  model: Model,
  changes: readonly VersionChange[],
  resource: string,
  field: string,
): string {
  const [, first = "", indexes = "", rest = ""] = /^([^.[]*)((?:\[[^\]]*\])*)(.*)$/s.exec(field) ?? [];
  const type = model.resources
    .find((one) => one.name === resource)
    ?.fields.find((one) => one.name === first)?.type;
  const inner = rest.startsWith(".") ? innerBefore(model, changes, type, rest.slice(1)) : undefined;
  let path = [first, ...(inner === undefined ? pathOf(rest.slice(1)) : [])].filter((part) => part !== "");
  for (const change of changes) {
    if (change.kind !== "renamed" || change.subject !== resource) continue;
    const to = pathOf(change.to);
    if (to.every((part, at) => part === path[at])) path = [...pathOf(change.from), ...path.slice(to.length)];
  }
  const [head = "", ...tail] = path;
  return head + indexes + (inner === undefined ? tail.map((part) => `.${part}`).join("") : `.${inner}`);
}

function innerBefore(
  model: Model,
  changes: readonly VersionChange[],
  type: FieldType | undefined,
  rest: string,
): string | undefined {
  const value = valueWithin(type);
  return value === undefined ? undefined : nameBefore(model, changes, value, rest);
}
