/**
 * `export jsonschema`: a file of JSON Schema 2020-12 for each resource, shape and event. Each is
 * self-contained: referenced schemas are in its `$defs` under their own `$id`. `index.json` lists
 * the files, and what the document doesn't show.
 */
import type { JsonSchema } from "../../fields/json-schema.ts";
import type { Model } from "../../model/model.ts";
import { fileText } from "../file-text.ts";
import {
  type Generated,
  type Output,
  type OutputFile,
  versionOption,
  type OutputOptions,
} from "../output.ts";
import { reachedFrom, withRefs } from "../wire/json-schemas.ts";
import { createNames, kebab } from "../wire/names.ts";
import type { Wire } from "../wire/wire.ts";
import { wireOf } from "../wire/build-wire.ts";

export const jsonSchemaOutput: Output = {
  name: "jsonschema",
  summary: "JSON Schema 2020-12, a file for each resource, shape and event",
  gives: "folder",
  options: [versionOption],
  generate,
};

const dialect = "https://json-schema.org/draft/2020-12/schema";

interface Described {
  readonly name: string;
  readonly kind: "schema" | "event";
  readonly schema: JsonSchema;
}

function generate(model: Model, { version }: OutputOptions): Generated {
  const wire = wireOf(model, version);
  const all: readonly Described[] = [
    ...Object.entries(wire.schemas).map(([name, schema]) => ({ name, kind: "schema" as const, schema })),
    ...wire.events.map(({ name, schema }) => ({ name, kind: "event" as const, schema })),
  ];
  const paths = createPaths();
  const files = all.map((described): OutputFile & Described => ({
    ...described,
    path: paths(described),
    text: fileText(schemaFile(wire, described), "json"),
  }));
  const index = {
    title: wire.title,
    ...(wire.version ? { version: wire.version.name } : {}),
    schemas: files.map(({ name, kind, path }) => ({ name, kind, path, $id: idOf(wire, { name, kind }) })),
    gaps: wire.gaps.map(({ subject, position }) => ({ subject, line: position.start.line })),
  };
  return {
    files: [
      { path: "index.json", text: fileText(index, "json") },
      ...files.map(({ path, text }) => ({ path, text })),
    ],
    notes: wire.notes,
  };
}

function schemaFile(wire: Wire, described: Described): JsonSchema {
  const refOf = (name: string) => idOf(wire, { name, kind: "schema" });
  const definitions = reachedFrom([described.schema], wire.schemas).filter(
    (name) => described.kind === "event" || name !== described.name,
  );
  const defs = definitions.map((name): [string, JsonSchema] => [
    name,
    { $id: refOf(name), ...withRefs(wire.schemas[name] ?? {}, refOf) },
  ]);
  return {
    $schema: dialect,
    $id: idOf(wire, described),
    title: described.name,
    ...withRefs(described.schema, refOf),
    ...(defs.length === 0 ? {} : { $defs: Object.fromEntries(defs) }),
  };
}

/** `urn:ninefold:parcel-desk:2026-11-01:Parcel`: an identifier that can't be fetched. */
function idOf({ title, version }: Wire, { name, kind }: Pick<Described, "name" | "kind">): string {
  const parts = [kebab(title) || "document", version?.name ?? "", kind === "event" ? `event:${name}` : name];
  return `urn:ninefold:${parts.map((part) => part.split(":").map(encodeURIComponent).join(":")).join(":")}`;
}

/** Names that differ only in case are one file on some file systems. */
function createPaths(): (described: Described) => string {
  const names = createNames();
  const at = { start: { line: 1, column: 1, offset: 0 }, end: { line: 1, column: 1, offset: 0 } };
  return ({ name, kind }) => {
    const plain = (kind === "event" ? "events/" : "") + name.replaceAll(/[^A-Za-z0-9._-]/g, "-");
    const uniqueName = names.take([plain.toLowerCase()], { subject: name, position: at });
    return `${plain}${uniqueName.slice(plain.length)}.json`;
  };
}
