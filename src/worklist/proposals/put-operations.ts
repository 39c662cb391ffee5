/**
 * Whether a PUT at an item updates or replaces the record: by the words of its description, by a
 * PATCH at the same path, or because no input is optional.
 */
import type { SourceDocument, SourceEndpoint } from "../document/source-document.ts";

/** The operation of a PUT. Undefined if the document shows neither. */
export function operationOfPut(
  { endpoints }: SourceDocument,
  { path, prose, inputs }: SourceEndpoint,
): "update" | "replace" | undefined {
  if (/\bpartial(ly)?\b|\bonly the\b/i.test(prose)) return "update";
  if (/\b(replac|overwrit)(e|es|ing)\b/i.test(prose)) return "replace";
  // A second operation that changes only some fields would be needless.
  if (endpoints.some((other) => other.method === "PATCH" && other.path === path)) return "replace";
  // Without an optional input, none can be left out: what is not sent is the service's.
  const isComplete = inputs.every(({ in: place, rules }) => place !== "body" || rules.includes("required"));
  return isComplete || /\b(updat|edit|modif|chang)(e|es|y|ies|ing)?\b/i.test(prose) ? "update" : undefined;
}
