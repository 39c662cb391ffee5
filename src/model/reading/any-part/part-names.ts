/**
 * Names of resources, fields and shapes in parts 5 to 9: resolved, or reported with the nearest
 * known name.
 */
import { type Phrase, positionIn } from "../../../source/phrase.ts";
import { isNotShown } from "../../../syntax/read.ts";
import type { DeclaredResource } from "../declarations.ts";
import { type PartReader, suggestion } from "./part-reader.ts";

/** A resource that has records. Any other name is reported. */
export function recordsNamed(
  reader: PartReader<"authentication" | "events" | "limits">,
  phrase: Phrase,
): DeclaredResource | undefined {
  if (isNotShown(phrase)) return reader.unreadable(phrase, "the name of a resource");
  const { part, context } = reader;
  const { declarations, reporter } = context;
  const resource = declarations.resources.get(phrase.text);
  if (resource && !resource.isValue) return resource;
  if (resource) reporter.report(`${part}/value-for-record`, positionIn(phrase), { resource: resource.name });
  else
    reporter.report(
      `${part}/unknown-resource`,
      positionIn(phrase),
      suggestion(phrase.text, declarations.resources.keys()),
    );
  return undefined;
}

export function reportUnknownField(
  { part, context }: PartReader<"authentication" | "events" | "errors" | "versioning">,
  phrase: Phrase,
  resource: string,
  known: Iterable<string>,
): void {
  const params = { ...suggestion(phrase.text, known), resource };
  context.reporter.report(`${part}/unknown-field`, positionIn(phrase), params);
}

export function reportUnknownShape(
  { part, context }: PartReader<"events" | "errors" | "versioning">,
  phrase: Phrase,
  known: Iterable<string>,
): void {
  context.reporter.report(`${part}/unknown-shape`, positionIn(phrase), suggestion(phrase.text, known));
}
