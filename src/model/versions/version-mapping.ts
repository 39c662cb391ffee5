/**
 * Version mapping: a version of the document with its names, keys and inputs, derived from the
 * document's own: an older version (part 9), and names on the wire (`sent as`). `output-nodes.ts` and `versioned-entries.ts` rewrite responses as
 * expressions, `versioned-inputs.ts` renames inputs. The engine converts what was sent; `version-endpoints.ts`
 * lists a version's endpoints.
 */
import type { Expression, MapEntry } from "../../expressions/node.ts";
import type { ResourceSpec } from "../../fields/field-reader.ts";
import type { FieldPart } from "../../fields/type.ts";
import type { Endpoint, Model, Version, VersionChange } from "../model.ts";
import { changesSince, formerPath, namesOnWire, pathOf, touchedResources } from "./changes.ts";
import {
  partsBefore,
  type FieldLocation,
  type Representation,
  versionedEntries,
} from "./versioned-entries.ts";
import {
  inputsOnWire,
  resourceOnWire,
  versionedInputs,
  versionedResource,
  unknownDefault,
} from "./versioned-inputs.ts";

export interface VersionMapping {
  readonly name: string;
  /** The entries of a representation in this version. */
  entries(representation: Representation, entries: readonly MapEntry[]): readonly MapEntry[];
  /** Converts the parts of an object of a record to those of this version. Undefined if they don't differ. */
  parts(location: FieldLocation): ((entries: readonly MapEntry[]) => readonly MapEntry[]) | undefined;
  /** Whether records of the resource differ in this version, or embed one that does. */
  touches(resource: string): boolean;
  /** The endpoint with its inputs by this version's names. */
  endpoint(endpoint: Endpoint): Endpoint;
  /** The fields of an embedded value as this version sends them. */
  resource(spec: ResourceSpec): ResourceSpec;
  /** The default that the version has for an unknown field, or a part of one, by its current name. */
  unknownDefault(resource: string | undefined, path: readonly string[]): Expression | undefined;
  /** This version's name of a field, for error bodies. */
  fieldName(resource: string | undefined, field: string): string;
  /**
   * The name by which this version's clients may sort by a field or compare it; undefined if the
   * version doesn't have the field, or has other values in it.
   */
  comparedName(resource: string, field: string): string | undefined;
}

/**
 * Undefined if the version has the document's own names.
 * @param version undefined if the document has a single unnamed version
 */
export function createVersionMapping(model: Model, version: Version | undefined): VersionMapping | undefined {
  const changes = version ? changesSince(model, version) : [];
  const onWire = namesOnWire(model);
  const all = [...changes, ...onWire];
  if (all.length === 0 && !model.endpoints.some(({ inputs }) => inputsOnWire(inputs) !== inputs))
    return undefined;
  const touched = touchedResources(model, all);
  const resources = new Map<string, ResourceSpec>();
  return {
    name: version?.name ?? "",
    entries: (representation, entries) => versionedEntries(representation, entries, all),
    parts: (location) => partsBefore(location, all),
    touches: (resource) => touched.has(resource),
    endpoint(endpoint) {
      const inputs = inputsOnWire(versionedInputs(endpoint, changes));
      return inputs === endpoint.inputs ? endpoint : { ...endpoint, inputs };
    },
    resource(spec) {
      const known = resources.get(spec.name) ?? resourceOnWire(versionedResource(spec, changes));
      resources.set(spec.name, known);
      return known;
    },
    unknownDefault: (resource, path) =>
      unknownDefault(
        changes.filter((change) => "subject" in change && change.subject === resource),
        path,
      ),
    fieldName: (resource, field) =>
      resource === undefined ? field : nameBefore(model, all, resource, field),
    comparedName: (resource, field) =>
      isSameBefore(changes, resource, field) ? nameBefore(model, all, resource, field) : undefined,
  };
}

/** Whether no change since added the field, or changed its values. */
function isSameBefore(changes: readonly VersionChange[], resource: string, field: string): boolean {
  let name = field;
  for (const change of changes) {
    if (!("subject" in change) || change.subject !== resource) continue;
    if (change.kind === "renamed") {
      if (change.to === name) name = change.from;
    } else if (change.kind !== "default" && change.name.split(".")[0] === name) return false;
  }
  return true;
}

/** The former names of a path, from the outermost to the innermost: `address.postcode` → `address.zip`. */
function nameBefore(
  model: Model,
  changes: readonly VersionChange[],
  resource: string,
  field: string,
): string {
  const segments = field.split(".").map((segment) => /^([^[]*)(.*)$/s.exec(segment) ?? ["", segment, ""]);
  const names = segments.map(([, name = ""]) => name);
  const { own, value } = untilValue(model, resource, names);
  let path = names.slice(0, own);
  for (const change of changes) {
    if (change.kind !== "renamed" || change.subject !== resource) continue;
    const to = pathOf(change.to);
    if (to.every((part, at) => part === path[at])) path = [...formerPath(change), ...path.slice(to.length)];
  }
  const before = path.map((name, at) => name + (segments[at]?.[2] ?? ""));
  const inner = field.split(".").slice(own).join(".");
  if (inner !== "") before.push(value === undefined ? inner : nameBefore(model, changes, value, inner));
  return before.join(".");
}

/** How many of the names belong to the resource itself, and the embedded value that the others belong to. */
function untilValue(
  model: Model,
  resource: string,
  names: readonly string[],
): { readonly own: number; readonly value?: string } {
  let parts: readonly FieldPart[] =
    model.resources.find((candidate) => candidate.name === resource)?.fields ?? [];
  for (let own = 1; own <= names.length; own += 1) {
    let type = parts.find((part) => part.name === names[own - 1])?.type;
    for (; type?.kind === "list" || type?.kind === "map"; type = type.of) if (type.kind === "map") own += 1;
    if (type?.kind === "value") return { own, value: type.resource };
    parts = type?.kind === "object" ? type.parts : [];
  }
  return { own: names.length };
}
