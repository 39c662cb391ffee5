/**
 * Proposes that a value is a resource: a single one is read at an item, other endpoints return it
 * too, and one of its fields is called like the parameter.
 */
import { normalizedName, singular } from "../support/alike-names.ts";
import type { Proposal } from "./answers.ts";
import { evidenceOf } from "./evidence.ts";
import { lineOf, type WrittenDocument, type WrittenEndpoint, type WrittenValue } from "./written.ts";

/** One proposal for each value that may be a resource. */
export function proposeResources(document: WrittenDocument): readonly Proposal[] {
  const returning = Map.groupBy(document.endpoints, shapeReturned);
  const parts = new Set(
    [...document.values, ...document.resources].flatMap(({ fields }) =>
      fields.flatMap(({ type }) => type.match(/\w+/g) ?? []),
    ),
  );
  return document.values.flatMap((value) => {
    const endpoints = returning.get(value.name) ?? [];
    const [read, ...more] = endpoints.filter(isRead);
    // A value within others would become a reference to its record.
    if (!read || more.length > 0 || endpoints.length < 2 || parts.has(value.name)) return [];
    const field = identifierOf(value, read);
    if (field === undefined) return [];
    const line = lineOf(value.item);
    return [
      {
        kind: "resources" as const,
        subject: value.name,
        at: line,
        edits: [{ line, text: `- Identifier: ${field}, made by not shown` }],
        evidence: evidenceOf(document, read, endpoints),
      },
    ];
  });
}

function shapeReturned({ returns }: WrittenEndpoint): string {
  const [answer, more] = returns;
  const text = answer && !more ? answer.value.text.trim() : "";
  return /^2\d\d (?:list of )?([A-Za-z_]\w*)$/.exec(text)?.[1] ?? "";
}

function isRead({ method, path, returns }: WrittenEndpoint): boolean {
  return (
    method === "GET" && /\/\{[^}/]+\}(\.\w+)?$/.test(path) && !/ list of /.test(returns[0]?.value.text ?? "")
  );
}

function identifierOf({ name, fields }: WrittenValue, { path }: WrittenEndpoint): string | undefined {
  const [, word = "", parameter = ""] = /([^/{}]*)\/\{([^}/]+)\}(?:\.\w+)?$/.exec(path) ?? [];
  const low = normalizedName(parameter);
  const own = [name, singular(word)].map(normalizedName);
  const found = fields.find((field) => {
    const key = normalizedName(field.name);
    return key === low || own.some((candidate) => low === candidate + key);
  });
  return found && ["string", "uuid", "integer"].includes(found.type) ? found.name : undefined;
}
