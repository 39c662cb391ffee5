/**
 * Version files: the OpenAPI files of a document, one for each served version, and the files that
 * apply to a request.
 */
import type { Model } from "../../src/model/model.ts";
import { openapiDocument } from "../../src/outputs/openapi/openapi.ts";
import { wireOf } from "../../src/outputs/wire/build-wire.ts";
import { createJudge, type Judge, type OpenapiFile } from "./openapi-judge.ts";
import type { SentRequest } from "../../src/verify/scenario-failure.ts";

export interface Versions {
  /** Returns the files that may apply: several if the document leaves the version to the caller. */
  of(request: SentRequest): readonly Judge[];
}

/** The generator of the files: the export code, or a copy of it with a fault. */
export interface Exporter {
  readonly wireOf: typeof wireOf;
  readonly openapiDocument: typeof openapiDocument;
}

export const exporter: Exporter = { wireOf, openapiDocument };

export function versionsOf(model: Model, { wireOf: view, openapiDocument: write } = exporter): Versions {
  const current = view(model);
  const names = current.versions.length === 0 ? [undefined] : current.versions.map((version) => version.name);
  const judges = new Map(
    names.map((name) => {
      const wire = name === undefined ? current : view(model, name);
      const judge = createJudge(write(wire, "3.1", []) as unknown as OpenapiFile);
      return [name, { judge, version: wire.version }] as const;
    }),
  );
  const all = [...judges.values()];
  return {
    of(request) {
      const wanted = all.filter(({ version }) => version && speaks(request, version.requested));
      if (wanted.length > 0) return wanted.map((candidate) => candidate.judge);
      const byDefault = all.filter(({ version }) => version?.isDefault);
      return (byDefault.length > 0 ? byDefault : all).map((candidate) => candidate.judge);
    },
  };
}

type RequestedValue = NonNullable<ReturnType<typeof wireOf>["version"]>["requested"];

function speaks(request: SentRequest, wanted: RequestedValue): boolean {
  const header = (name: string) =>
    request.headers.find(([headerName]) => headerName.toLowerCase() === name.toLowerCase())?.[1];
  switch (wanted.in) {
    case "path":
      return request.target === wanted.prefix || request.target.startsWith(`${wanted.prefix}/`);
    case "header":
      return header(wanted.name) === wanted.value;
    case "query":
      return new URLSearchParams(request.target.split("?")[1] ?? "").get(wanted.name) === wanted.value;
    case "media type":
      return (header("accept") ?? "").includes(wanted.name);
    default:
      return false;
  }
}
