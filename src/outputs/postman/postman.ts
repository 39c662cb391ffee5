/**
 * `export postman`: a collection in Postman's format 2.1, which other clients import as well. It
 * has a folder for each resource, and a request for each operation: from a scenario if there is
 * one, else with names as placeholders. Captures of scenarios become variables, because both use
 * `{{parcel}}`. The service's address and the credential are variables too, because no document has
 * them.
 */
import { nonNull } from "../../support/non-null.ts";
import { readCaptures } from "../../model/scenarios/captures.ts";
import type { Model } from "../../model/model.ts";
import type { Json } from "../../support/json.ts";
import type { RequestText } from "../docs/request-code.ts";
import { requestSkeleton } from "../docs/request-skeleton.ts";
import { exchangeOf } from "../docs/scenario-text.ts";
import { negotiatedRequest, negotiatedVersion } from "../docs/negotiated-request.ts";
import { fileText } from "../file-text.ts";
import {
  type Generated,
  type Output,
  type OutputOptions,
  serviceUrl,
  urlOption,
  versionOption,
} from "../output.ts";
import type { Operation, Wire } from "../wire/wire.ts";
import { wireOf } from "../wire/build-wire.ts";

export const postmanOutput: Output = {
  name: "postman",
  summary: "a collection for Postman and other tools that read its format 2.1",
  gives: "file",
  options: [versionOption, urlOption],
  generate,
};

function generate(model: Model, options: OutputOptions): Generated {
  const wire = wireOf(model, options["version"]);
  const url = serviceUrl(options) ?? "";
  const requests = new Map(
    wire.operations.map((operation) => [operation, requestOf(model, wire, operation)]),
  );
  const groups = Map.groupBy(wire.operations, (operation) => operation.group);
  const collection: Json = {
    info: {
      name: wire.version ? `${wire.title} ${wire.version.name}` : wire.title,
      ...described(
        [wire.purpose, wire.behaviour, gapWords(wire)]
          .filter((candidate) => candidate !== undefined)
          .join("\n\n"),
      ),
      schema: "https://schema.getpostman.com/json/collection/v2.1.0/collection.json",
    },
    item: [...groups].map(([name, operations]) => ({
      name,
      ...described(wire.resources.find((resource) => resource.name === name)?.resource.prose.trim() ?? ""),
      item: operations.map((operation) => itemOf(operation, nonNull(requests.get(operation)))),
    })),
    variable: variablesOf([...requests.values()]).map((key) => ({
      key,
      value: key === "baseUrl" ? url : "",
    })),
  };
  return { files: [{ path: "postman.json", text: fileText(collection, "json") }], notes: wire.notes };
}

function gapWords({ gaps }: Wire): string | undefined {
  if (gaps.length === 0) return undefined;
  return `Not shown, so it is left out: ${gaps.map(({ subject, position }) => `${subject} (line ${position.start.line})`).join("; ")}.`;
}

/** The first successful request of a scenario, else a rejected one, else one with placeholders. */
function requestOf(model: Model, wire: Wire, operation: Operation): RequestText {
  const skeleton = requestSkeleton(wire, operation);
  const shown = operation.examples
    .toSorted((a, b) => Number(a.response.status >= 400) - Number(b.response.status >= 400))
    .flatMap((example) => exchangeOf(model, example) ?? [])
    .find((exchange) => negotiatedVersion(model, exchange) === wire.version?.name);
  if (!shown) return skeleton;
  const request = negotiatedRequest(model, shown);
  // A scenario's own credential is not valid elsewhere.
  const credential = skeleton.headers.find(({ value }) => value.includes(credentialVariable));
  const headers = request.headers.map((header) =>
    credential?.name.toLowerCase() === header.name.toLowerCase() ? credential : header,
  );
  return { ...request, headers };
}

const credentialVariable = "{{credential}}";

function itemOf(
  { id, summary, description }: Operation,
  { method, target, headers, body }: RequestText,
): Json {
  return {
    name: summary === "" ? id : summary,
    request: {
      method,
      url: target.startsWith("/") ? `{{baseUrl}}${target}` : target,
      header: [
        ...headers.map(({ name, value }) => ({ key: name, value })),
        ...(body !== undefined && typeOf(headers) === undefined
          ? [{ key: "Content-Type", value: "application/json" }]
          : []),
      ],
      ...(body === undefined ? {} : { body: bodyOf(body, typeOf(headers)) }),
      ...described(description),
    },
  };
}

function typeOf(headers: RequestText["headers"]): string | undefined {
  return headers.find(({ name }) => name.toLowerCase() === "content-type")?.value;
}

/** Part 1: a body without `Content-Type` is JSON. */
function bodyOf(text: string, type: string | undefined): Json {
  if (type?.toLowerCase().startsWith("application/x-www-form-urlencoded"))
    return {
      mode: "urlencoded",
      urlencoded: [...new URLSearchParams(text)].map(([key, value]) => ({ key, value })),
    };
  if (type !== undefined && !/\bjson\b/i.test(type)) return { mode: "raw", raw: text };
  return { mode: "raw", raw: text, options: { raw: { language: "json" } } };
}

/** All variables of requests, the address first. */
function variablesOf(requests: readonly RequestText[]): readonly string[] {
  const texts = requests.flatMap(({ target, headers, body }) => [
    target,
    ...headers.map(({ value }) => value),
    body ?? "",
  ]);
  return [
    ...new Set(["baseUrl", ...texts.flatMap((text) => readCaptures(text).captures.map(({ name }) => name))]),
  ];
}

function described(description: string): { readonly description?: string } {
  return description === "" ? {} : { description };
}
