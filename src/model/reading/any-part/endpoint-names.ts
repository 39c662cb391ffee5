/**
 * Endpoint names in other parts: `POST /hooks`, with method and path as their headings write them,
 * without the base path.
 */
import { type Phrase, positionIn, unquote } from "../../../source/phrase.ts";
import type { DocumentNode } from "../../../syntax/nodes.ts";
import { memoizeBy } from "../../../support/memoize-by.ts";
import { type PartReader, suggestion } from "./part-reader.ts";

export interface EndpointName {
  readonly method: string;
  /** As in the model: without a final slash, and empty for `/`. */
  readonly path: string;
}

/** Reads `post  /hooks/` as `POST /hooks`. Undefined for a text that is not a method and a path. */
export function parseEndpointName(text: string): EndpointName | undefined {
  const match = /^([A-Za-z]+)\s+(\/\S*)$/.exec(text.trim());
  if (!match) return undefined;
  return { method: (match[1] as string).toUpperCase(), path: (match[2] as string).replace(/\/+$/, "") };
}

/** The endpoints that have a heading in part 4. */
export const endpointNames = memoizeBy((document: DocumentNode): readonly EndpointName[] => {
  const sections = document.parts.endpoints?.sections ?? [];
  return sections.flatMap(
    (section) => parseEndpointName(unquote(section.heading).text.replaceAll("`", "")) ?? [],
  );
});

export function writtenName({ method, path }: EndpointName): string {
  return `${method} ${path || "/"}`;
}

/** Whether two paths are equal, regardless of the names of parameters. */
export function sameEndpoint(a: EndpointName, b: EndpointName): boolean {
  const form = (path: string) => path.replace(/\{[^{}]*\}/g, "{}");
  return a.method === b.method && form(a.path) === form(b.path);
}

/** Finds an endpoint by its name, as the document writes it. An unknown name is reported with the most similar one. */
export function knownEndpoint(
  reader: PartReader<"limits" | "versioning">,
  phrase: Phrase,
): EndpointName | undefined {
  const requested = parseEndpointName(phrase.text);
  if (!requested) return reader.unreadable(phrase, "the method and path of an endpoint, `POST /parcels`");
  const known = endpointNames(reader.context.document);
  const found = known.find((endpoint) => sameEndpoint(endpoint, requested));
  if (found) return found;
  const params = suggestion(writtenName(requested), known.map(writtenName));
  reader.context.reporter.report(`${reader.part}/unknown-endpoint`, positionIn(phrase), params);
  return undefined;
}
