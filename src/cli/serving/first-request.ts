/** Looks for a first request that can be pasted as it is: it is tried before it is printed, so that the line works. */
import { createRequest, type HeaderLine } from "../../engine/http/message.ts";
import type { Service } from "../../engine/service.ts";
import type { Endpoint, Model, Placement } from "../../model/model.ts";
import type { GivenStep } from "../../model/read-given.ts";

/** Requests tried at most. */
const triesMax = 40;

/** @param given the seed's items, which may hold a credential in plain text */
export async function firstRequest(
  service: Service,
  given: readonly GivenStep[],
  origin: string,
): Promise<string | undefined> {
  const { model } = service;
  const credentials = [[], ...credentialLines(model, given)];
  let best: { readonly line: string; readonly length: number } | undefined;
  let tries = 0;
  for (const endpoint of readable(model)) {
    for (const lines of credentials) {
      tries += 1;
      if (tries > triesMax) return best?.line;
      const headers: HeaderLine[] = [...lines, ...versionLines(model)];
      const target = `${versionPrefix(model)}${model.endpointsPart.basePath.text.replace(/\/$/, "")}${endpoint.path.text}`;
      const answer = await service.fetch(
        createRequest({ method: "GET", target, headers, remoteAddress: "127.0.0.1" }),
      );
      const length = typeof answer.body === "string" ? answer.body.length : 0;
      if (answer.status !== 200 || (best && best.length >= length)) continue;
      best = { line: curl(`${origin}${target}`, headers), length };
    }
  }
  // Where nothing can be answered yet, a request that says why.
  return best?.line ?? (model.endpoints.length === 0 ? `curl -s ${origin}/` : undefined);
}

function curl(url: string, headers: readonly HeaderLine[]): string {
  const quoted = (text: string) => `'${text.replaceAll("'", "'\\''")}'`;
  const options = headers.map(([name, value]) => ` -H ${quoted(`${name}: ${value}`)}`).join("");
  return `curl -s${options} ${/^[\w:/.\-?=&]+$/.test(url) && !/[?&]/.test(url) ? url : quoted(url)}`;
}

/** Lists, records and answers whose path can be written without knowing anything. */
function readable(model: Model): readonly Endpoint[] {
  return model.endpoints.filter(
    (endpoint) =>
      endpoint.method === "GET" &&
      !endpoint.gap &&
      endpoint.does.length > 0 &&
      endpoint.does.every((does) => does.kind === "list" || does.kind === "read" || does.kind === "answer") &&
      !endpoint.path.segments.some((segment) => segment.kind === "parameter") &&
      !endpoint.inputs.some((input) => input.required),
  );
}

function credentialLines(model: Model, given: readonly GivenStep[]): readonly (readonly HeaderLine[])[] {
  return model.authentication.schemes.flatMap((scheme) => {
    const { credentials, placement } = scheme;
    if (!credentials || !placement) return [];
    return given
      .filter((step) => step.resource === credentials.resource)
      .flatMap((step) => {
        const texts = credentials.by.map((name) => literalOf(step, name));
        return texts.every((text) => text !== undefined) ? [linesFor(placement, texts)] : [];
      });
  });
}

function literalOf(step: GivenStep, field: string): string | undefined {
  const node = step.fields.find((one) => one.field === field)?.value.node;
  return node?.op === "literal" && typeof node.value === "string" ? node.value : undefined;
}

function linesFor(placement: Placement, texts: readonly string[]): readonly HeaderLine[] {
  const [first = ""] = texts;
  switch (placement.kind) {
    case "header":
      return [[placement.name, behindPrefix(placement.prefixes[0], first)]];
    case "cookie":
      return [["Cookie", `${placement.name}=${first}`]];
    case "basic":
      return [["Authorization", `Basic ${Buffer.from(`${first}:${texts[1] ?? ""}`).toString("base64")}`]];
    case "query":
      return [];
  }
}

function versionLines(model: Model): readonly HeaderLine[] {
  const { scheme } = model.versioning;
  const current = currentVersion(model);
  return scheme?.kind === "header" && current !== undefined ? [[scheme.name, current]] : [];
}

function versionPrefix(model: Model): string {
  const current = currentVersion(model);
  return model.versioning.scheme?.kind === "path prefix" && current !== undefined ? `/${current}` : "";
}

function currentVersion(model: Model): string | undefined {
  return model.versioning.versions.find((version) => version.status === "current")?.name;
}

/** Part 5: one blank behind a prefix, and none behind one that ends in `=`. */
function behindPrefix(prefix: string | undefined, credential: string): string {
  if (prefix === undefined) return credential;
  return prefix.endsWith("=") ? `${prefix}${credential}` : `${prefix} ${credential}`;
}
