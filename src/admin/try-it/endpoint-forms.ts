/**
 * Endpoint forms: the inputs of each endpoint with their rules, its media types, and requests of
 * the document's scenarios.
 */
import { parameterNames } from "../../model/endpoints/path-text.ts";
import { hasRule } from "../../fields/rule.ts";
import type { FieldType } from "../../fields/type.ts";
import { needsCaller, servingSchemes } from "../../model/authentication/caller-type.ts";
import { acceptedTypes } from "../../model/endpoints/media-type.ts";
import type { Endpoint, Input, Model, Version } from "../../model/model.ts";
import { requestedVersion } from "../../model/versions/request-version.ts";
import { versionHasEndpoint } from "../../model/versions/version-endpoints.ts";
import { createVersionMapping } from "../../model/versions/version-mapping.ts";
import { exchangesOf } from "../../outputs/wire/examples.ts";
import { clientRules, formType } from "../form-type.ts";
import { examplesOf } from "./examples.ts";
import type { TriedEndpoint } from "./form-schema.ts";

type TriedInput = TriedEndpoint["inputs"][number];

/**
 * The forms of a version's endpoints, with the names of that version.
 * @param version undefined if the document has no versions
 */
export function endpointForms(model: Model, version: Version | undefined): TriedEndpoint[] {
  const view = createVersionMapping(model, version);
  const endpoints = model.endpoints
    .filter((endpoint) => !endpoint.gap && (!version || versionHasEndpoint(model, version, endpoint)))
    .map((endpoint) => endpointForm(model, view?.endpoint(endpoint) ?? endpoint));
  const exchanges = exchangesOf(model).filter(
    ({ request }) => requestedVersion(model.versioning, request) === version?.name,
  );
  return endpoints.map((endpoint) => ({ ...endpoint, examples: examplesOf(exchanges, endpoint, endpoints) }));
}

const forms: readonly string[] = ["application/x-www-form-urlencoded", "multipart/form-data"];

const isWritten = (type: string) => /[/+]json\b/.test(type) || forms.includes(type);

function endpointForm(model: Model, endpoint: Endpoint): Omit<TriedEndpoint, "examples"> {
  const base = model.endpointsPart.basePath.text.replace(/\/$/, "");
  const parameters = parameterNames(base + endpoint.path.text);
  const known = new Set(
    endpoint.inputs.filter((input) => input.in === "path").map(({ name }) => name.join(".")),
  );
  return {
    key: `${endpoint.method} ${endpoint.path.text}`,
    method: endpoint.method,
    path: base + endpoint.path.text,
    prose: endpoint.prose,
    line: endpoint.position.start.line,
    caller: needsCaller(model, endpoint),
    schemes: servingSchemes(model, endpoint).map(({ name }) => name),
    body_in: endpoint.bodyIn ?? null,
    body_is: endpoint.bodyIs ?? null,
    types: acceptedTypes(model.endpointsPart, endpoint).filter((type) => isWritten(type)),
    inputs: [
      ...parameters
        .filter((name) => !known.has(name))
        .map((name) => ({
          name,
          in: "path" as const,
          type: "string",
          required: true,
          when_made: false,
          secret: false,
          rules: [],
          values: null,
          shape: { kind: "string" },
          line: endpoint.position.start.line,
        })),
      ...endpoint.inputs.map((input) => inputForm(model, input)),
    ],
  };
}

function inputForm(
  model: Model,
  { name, in: location, type, required, requiredWhenMade, rules, position }: Input,
): TriedInput {
  return {
    name: name.join("."),
    in: location,
    type: wordsOf(type),
    required: required || location === "path" || hasRule(rules, "required"),
    when_made: requiredWhenMade ?? false,
    rules: clientRules(rules, type),
    secret: type.kind === "password" || type.kind === "credential",
    values: valuesOf(type),
    shape: formType(type, (name) => model.resources.find((resource) => resource.name === name)?.fields ?? []),
    line: position.start.line,
  };
}

function wordsOf(type: FieldType): string {
  switch (type.kind) {
    case "list":
      return `list of ${wordsOf(type.of)}`;
    case "map":
      return `map of ${wordsOf(type.of)}`;
    case "reference":
    case "value":
      return type.resource;
    case "json":
      return type.either ? type.either.map(wordsOf).join(" or ") : "json";
    case "enum":
      return "one of";
    default:
      return type.kind;
  }
}

function valuesOf(type: FieldType): string[] | null {
  if (type.kind === "enum") return [...type.values];
  if (type.kind === "state") return [...type.states];
  return type.kind === "boolean" ? ["true", "false"] : null;
}
