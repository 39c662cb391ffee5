/**
 * Names in the HTTP messages of scenarios. A field is sent and returned under its own name where an
 * input sets it, and where a response is the default representation of its resource. A state is the
 * value of its field.
 */
import { literalPattern } from "../../support/literal-pattern.ts";
import type { Endpoint, Model, ScenarioStep, TextAt } from "../../model/model.ts";
import { nodesWithin } from "../../expressions/analysis/nodes-within.ts";
import type { Analysis } from "../analysis.ts";
import type { Definition } from "./definitions.ts";
import type { Occurrence } from "./references.ts";

type Exchange = Extract<ScenarioStep, { kind: "exchange" }>;

export function wireOccurrences(analysis: Analysis, definition: Definition): readonly Occurrence[] {
  const { model } = analysis.compilation;
  if (!model || !["field", "state", "value"].includes(definition.kind)) return [];
  const exchanges = model.scenarios.flatMap(({ steps }) => steps.filter((step) => step.kind === "exchange"));
  return exchanges.flatMap((exchange) => {
    const endpoint = endpointOf(model, exchange);
    if (!endpoint) return [];
    const { kind, name, owner, field } = definition;
    if (kind !== "field")
      return endpoint.resource === owner
        ? [exchange.request.body, exchange.response.body].flatMap((body) => textsIn(body, name, field))
        : [];
    const isEmbedded = embeds(model, endpoint.resource, owner);
    if (!isEmbedded && endpoint.resource !== owner) return [];
    return [
      ...(isEmbedded || accepts(endpoint, name) ? keysIn(exchange.request.body, name) : []),
      ...(returnsOwn(endpoint, endpoint.resource) ? keysIn(exchange.response.body, name) : []),
    ];
  });
}

/** Whether a resource has a field of this value. */
function embeds(model: Model, resource: string | undefined, value: string | undefined): boolean {
  const fields = model.resources.find(({ name }) => name === resource)?.fields ?? [];
  const isValue = model.resources.some(
    ({ name, identifier }) => name === value && identifier.kind === "none",
  );
  return isValue && fields.some(({ type }) => JSON.stringify(type).includes(`"${value}"`));
}

/** The endpoint of a scenario's request, by its method and the form of its path. */
function endpointOf(model: Model, { request }: Exchange): Endpoint | undefined {
  const path = request.target.replace(/\?.*$/s, "").replace(/\/+$/, "");
  const base = model.endpointsPart.basePath.text;
  return model.endpoints
    .filter(({ method }) => method === request.method)
    .toSorted((a, b) => parametersIn(a) - parametersIn(b))
    .find((endpoint) => formOf(base + endpoint.path.text).test(path));
}

function parametersIn({ path }: Endpoint): number {
  return path.segments.filter(({ kind }) => kind === "parameter").length;
}

/** A captured value (`{{parcel}}`) stands for any segment. */
function formOf(template: string): RegExp {
  const pieces = template
    .split(/(\{[^{}]*\})/)
    .map((piece) =>
      piece.startsWith("{") ? (piece.endsWith("...}") ? ".+" : "[^/]+") : literalPattern(piece),
    );
  return new RegExp(`(?:^|\\}\\}|[^/])${pieces.join("")}$`);
}

function accepts({ inputs, bodyIs }: Endpoint, name: string): boolean {
  return (
    bodyIs === undefined &&
    inputs.some((input) => input.in === "body" && input.name[0] === name && input.sets === name)
  );
}

function returnsOwn({ returns }: Endpoint, resource: string | undefined): boolean {
  return returns.some((answer) => {
    const given = answer.kind === "expression" ? answer.body : "item" in answer ? answer.item : undefined;
    return (
      given !== undefined &&
      [...nodesWithin(given.node)].some((node) => node.op === "representation" && node.resource === resource)
    );
  });
}

/** The keys with that name in a JSON text. */
function keysIn(body: TextAt | undefined, name: string): readonly Occurrence[] {
  return quotedIn(body, name, "(?=\\s*:)");
}

/**
 * The values with that text in a JSON text: a state in any shape of its record.
 * @param field only under this key
 */
function textsIn(body: TextAt | undefined, name: string, field?: string): readonly Occurrence[] {
  const before = field === undefined ? "" : `(?<="${literalPattern(field)}"\\s*:\\s*)`;
  return quotedIn(body, name, "(?!\\s*:)", before);
}

function quotedIn(
  body: TextAt | undefined,
  name: string,
  behind: string,
  before = "",
): readonly Occurrence[] {
  if (!body) return [];
  const form = new RegExp(`${before}"${literalPattern(name)}"${behind}`, "g");
  return [...body.text.matchAll(form)].map(({ index }) => {
    const start = body.position.start.offset + index + 1;
    return { start, end: start + name.length, isDefinition: false, isSmall: false };
  });
}
