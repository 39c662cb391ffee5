/**
 * Recorded traffic, matched with the endpoints of a document. Credentials only distinguish callers
 * here, and are never written.
 */
import { parameterNames } from "../../model/endpoints/path-text.ts";
import type { RecordedEntry } from "../../inputs/recordings/har-exchanges.ts";
import type { Endpoint, Model } from "../../model/model.ts";

/** A recorded request to an endpoint of the document. */
export interface Exchange extends RecordedEntry {
  readonly endpoint: Endpoint;
  /** `GET /pets/{id}` */
  readonly name: string;
  readonly parameters: ReadonlyMap<string, string>;
  readonly query: ReadonlyMap<string, string>;
  /** Distinguishes callers. */
  readonly caller: string;
}

export type JsonObject = Readonly<Record<string, unknown>>;

/** Whether a value is a JSON object. */
export function isObject(value: unknown): value is JsonObject {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

/** The entries that match endpoints of the document, in their order. */
export function exchangesOf(model: Model, recorded: readonly RecordedEntry[]): readonly Exchange[] {
  const routes = model.endpoints
    .map((endpoint) => ({ endpoint, ...routeOf(model, endpoint) }))
    .toSorted((a, b) => a.parameters.length - b.parameters.length);
  return recorded.flatMap((entry): readonly Exchange[] => {
    const [path = "", search = ""] = entry.target.split(/\?(.*)/s);
    for (const { endpoint, form, parameters } of routes) {
      if (endpoint.method !== entry.method.toUpperCase()) continue;
      const match = form.exec(path);
      if (!match) continue;
      const values = parameters.map((name, index) => [name, decoded(match[index + 1] ?? "")] as const);
      return [
        {
          ...entry,
          endpoint,
          name: `${endpoint.method} ${endpoint.path.text}`,
          parameters: new Map(values),
          query: new Map(new URLSearchParams(search)),
          caller: callerOf(entry),
        },
      ];
    }
    return [];
  });
}

/** A path as a pattern: each parameter is one segment, a part of one, or the rest. */
function routeOf({ endpointsPart }: Model, { path }: Endpoint): { form: RegExp; parameters: string[] } {
  const text = endpointsPart.basePath.text + path.text;
  const pieces = text.split(/(\{[^}]+\})/).map((piece) => {
    if (piece.startsWith("{")) return piece.endsWith("...}") ? "(.+?)" : "([^/]+)";
    return piece.replace(/[.*+?^${}()|[\]\\]/g, "\\$&");
  });
  return {
    form: new RegExp(`^${pieces.join("").replace(/\/$/, "")}/?$`),
    parameters: [...parameterNames(text)],
  };
}

function decoded(text: string): string {
  try {
    return decodeURIComponent(text);
  } catch {
    return text;
  }
}

function callerOf({ sentHeaders }: RecordedEntry): string {
  const names = [...sentHeaders.keys()].filter((name) => /authorization|cookie|key|token/.test(name));
  return names.map((name) => `${name}=${sentHeaders.get(name)}`).join("\n");
}
