/**
 * `export openapi`: one version of the document as OpenAPI 3.1, which all tools read, or 3.2,
 * which covers streams and QUERY better. What neither can express is in extensions,
 * `x-ninefold-…`, whose schemas are in `docs/extensions/`.
 */
import type { JsonSchema } from "../../fields/json-schema.ts";
import type { Model } from "../../model/model.ts";
import { fileText } from "../file-text.ts";
import {
  formatOption,
  type Generated,
  type Output,
  type OutputNote,
  serviceUrl,
  urlOption,
  versionOption,
  type OutputOptions,
} from "../output.ts";
import { refsIn } from "../wire/json-schemas.ts";
import type { Wire } from "../wire/wire.ts";
import { wireOf } from "../wire/build-wire.ts";
import { errorsExtension } from "./error-table.ts";
import {
  documentExtension,
  gapsExtension,
  partExtension,
  resourceExtension,
  serviceExtension,
  statesExtension,
  versionExtension,
  withoutExtensions,
} from "./extensions.ts";
import { pathItems, type OpenapiVersion, openapiVersions } from "./path-items.ts";
import { securityRequirement, securitySchemeObject } from "./security.ts";
import { withVariants } from "./variants.ts";
import { webhookItems } from "./webhooks.ts";

export const openapiOutput: Output = {
  name: "openapi",
  summary: "OpenAPI, for generators, gateways, portals and test tools",
  gives: "file",
  options: [
    {
      name: "openapi",
      values: Object.keys(openapiVersions),
      summary: "3.2 describes streams and QUERY better, but fewer tools read it",
    },
    {
      name: "extensions",
      values: ["all", "none", "document"],
      unpublished: ["document"],
      summary:
        "`none` leaves out x-ninefold-…, which an import reads back; `document` adds the whole document",
    },
    versionOption,
    urlOption,
    formatOption,
  ],
  generate,
};

function generate(model: Model, options: OutputOptions): Generated {
  const { openapi, version, format, extensions } = options;
  const url = serviceUrl(options);
  const wire = wireOf(model, version);
  const notes: OutputNote[] = [...wire.notes];
  const document = openapiDocument(wire, (openapi as OpenapiVersion | undefined) ?? "3.1", notes);
  const served = url === undefined ? document : { ...document, servers: [{ url }] };
  const written =
    extensions === "none"
      ? withoutExtensions(served)
      : { ...served, ...(extensions === "document" ? documentExtension(model, served) : {}) };
  return { files: [{ path: `openapi.${format ?? "json"}`, text: fileText(written, format) }], notes };
}

export function openapiDocument(wire: Wire, version: OpenapiVersion, notes: OutputNote[]): JsonSchema {
  const paths = pathItems(wire, version, notes);
  const webhooks = webhookItems(wire);
  const schemas = usedSchemas(wire, [paths, webhooks]);
  const securitySchemes = Object.fromEntries(
    wire.security.map((securityScheme) => [securityScheme.key, securitySchemeObject(securityScheme)]),
  );
  const gaps = gapsExtension(wire.gaps);
  return {
    openapi: openapiVersions[version],
    info: {
      title: wire.title,
      version: wire.version?.name ?? "unversioned",
      ...descriptionOf(wire),
    },
    servers: [{ url: "/", description: "The server that returned this file." }],
    tags: tagsOf(wire, version),
    paths,
    ...(Object.keys(webhooks).length === 0 ? {} : { webhooks }),
    components: {
      schemas,
      ...(wire.security.length === 0 ? {} : { securitySchemes }),
    },
    security: securityRequirement(
      wire.security.map((securityScheme) => securityScheme.key),
      wire.security.length === 0,
    ),
    ...serviceExtension(wire),
    ...partExtension(wire),
    ...(wire.version ? versionExtension(wire.version) : {}),
    "x-ninefold-errors": errorsExtension(wire),
    ...(wire.pageShapes.length === 0 ? {} : { "x-ninefold-pages": wire.pageShapes }),
    ...(gaps.length === 0 ? {} : { "x-ninefold-gaps": gaps }),
  };
}

function descriptionOf({ purpose, domain, behaviour, version, versions, gaps }: Wire): JsonSchema {
  const sentences = [
    purpose,
    domain === undefined ? undefined : `Domain: ${domain}`,
    behaviour,
    version?.requested.in === "media type"
      ? `This is version ${version.name}: request it with \`Accept: application/json; version=${version.name}\`.`
      : undefined,
    version && versions.length > 1
      ? `Versions: ${versions.map((wireVersion) => wireVersion.name).join(", ")}.`
      : undefined,
    gaps.length === 0
      ? undefined
      : `The document doesn't show: ${gaps.map((gap) => gap.subject).join("; ")}. Nothing is made up for it.`,
  ].filter((text) => text !== undefined);
  return sentences.length === 0 ? {} : { description: sentences.join("\n\n") };
}

function tagsOf(wire: Wire, version: OpenapiVersion): readonly JsonSchema[] {
  const groups = [...new Set(wire.operations.map((operation) => operation.group))];
  return groups.map((name) => {
    const prose = wire.resources.find((resource) => resource.name === name)?.resource.prose.trim() ?? "";
    return {
      name,
      ...(version === "3.2" ? { summary: name, kind: "nav" } : {}),
      description: prose === "" ? `All methods of ${name}.` : prose,
    };
  });
}

/** The schemas that are referenced, with the states of their resources. */
function usedSchemas(wire: Wire, from: readonly JsonSchema[]): JsonSchema {
  const used = new Set<string>();
  const look = (schema: JsonSchema): void => {
    for (const name of refsIn(schema)) {
      if (used.has(name)) continue;
      used.add(name);
      look(wire.schemas[name] ?? {});
    }
  };
  for (const jsonSchema of from) look(jsonSchema);
  return Object.fromEntries(
    Object.entries(wire.schemas)
      .filter(([name]) => used.has(name))
      .map(([name, schema]) => {
        const resource = wire.resources.find((wireResource) => wireResource.shown === name);
        const states = resource && statesExtension(resource);
        const stated = resource && resourceExtension(resource, schema);
        return [
          name,
          {
            ...withVariants(wire, schema),
            ...(stated ? { "x-ninefold-resource": stated } : {}),
            ...(states ? { "x-ninefold-states": states } : {}),
          },
        ];
      }),
  );
}
