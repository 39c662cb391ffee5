/**
 * Context for building the wire view: the model, the messages of the version, and the named
 * schemas, which are built on request.
 */
import type { WireForm } from "../../expressions/write-json.ts";
import type { JsonSchema } from "../../fields/json-schema.ts";
import type { Meaning } from "../../expressions/scope.ts";
import { meaningOf } from "../../model/meaning.ts";
import type { Model, Resource, Version } from "../../model/model.ts";
import { type VersionMapping, createVersionMapping } from "../../model/versions/version-mapping.ts";
import type { Position } from "../../source/source.ts";
import { refName, refTo } from "./json-schemas.ts";
import { createNames, type Names } from "./names.ts";

export interface WireContext {
  readonly model: Model;
  readonly meaning: Meaning;
  readonly resources: ReadonlyMap<string, Resource>;
  readonly version: Version | undefined;
  /** Absent for a version with the document's own names. */
  readonly view: VersionMapping | undefined;
  readonly form: WireForm;
  readonly schemas: NamedSchemas;
}

export interface NamedSchemas {
  readonly names: Names;
  /**
   * A reference to the schema with that key. The schema is built when it is first read, so that a
   * recursive one needs no more than its name.
   * @param preferred names for it, the best first
   */
  named(
    key: string,
    preferred: readonly string[],
    subject: { readonly subject: string; readonly position: Position },
    make: () => JsonSchema,
  ): JsonSchema;
  /** The name of a key's schema; undefined if it was never requested. */
  nameOf(key: string): string | undefined;
  /** By their names, in the order in which they were requested. */
  all(): Readonly<Record<string, JsonSchema>>;
  /**
   * The schema behind a reference, or the schema itself; undefined while that schema is being
   * built.
   */
  open(schema: JsonSchema): JsonSchema | undefined;
}

export function createWireContext(model: Model, version: Version | undefined): WireContext {
  const part = model.endpointsPart;
  return {
    model,
    meaning: meaningOf(model),
    resources: new Map(model.resources.map((resource) => [resource.name, resource])),
    version,
    view: createVersionMapping(model, version),
    form: { timestamps: part.timestamps ?? "milliseconds", nulls: part.nullFields !== "omitted" },
    schemas: createNamedSchemas(),
  };
}

function createNamedSchemas(): NamedSchemas {
  const names = createNames();
  const nameByKey = new Map<string, string>();
  const makers = new Map<string, () => JsonSchema>();
  const made = new Map<string, JsonSchema>();
  const making = new Set<string>();

  function schemaOf(name: string): JsonSchema | undefined {
    const make = makers.get(name);
    if (made.has(name) || making.has(name) || !make) return made.get(name);
    making.add(name);
    made.set(name, make());
    making.delete(name);
    return made.get(name);
  }

  return {
    names,
    named(key, preferred, subject, make) {
      const known = nameByKey.get(key);
      if (known !== undefined) return refTo(known);
      const name = names.take(preferred, subject);
      nameByKey.set(key, name);
      makers.set(name, make);
      return refTo(name);
    },
    nameOf: (key) => nameByKey.get(key),
    all() {
      // Building a schema may request more schemas, which are appended.
      for (const name of makers.keys()) schemaOf(name);
      return Object.fromEntries([...makers.keys()].map((name) => [name, made.get(name) ?? {}]));
    },
    open(schema) {
      const name = refName(schema);
      return name === undefined ? schema : schemaOf(name);
    },
  };
}
