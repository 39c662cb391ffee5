/**
 * Proposes that a value is a resource: an item path returns one, other endpoints return it too, and
 * one of its fields is named after the parameter.
 */
import { isNamedAfter, normalizedName, singular } from "../../support/alike-names.ts";
import type { Proposal } from "../document/answers.ts";
import { cellEdit } from "../document/cell-edit.ts";
import type { Edit } from "../document/edits.ts";
import { evidenceOf } from "../document/evidence.ts";
import {
  lineOf,
  type SourceDocument,
  type SourceEndpoint,
  type SourceValue,
} from "../document/source-document.ts";

/** One proposal for each value that may be a resource. */
export function proposeResources(document: SourceDocument): readonly Proposal[] {
  const returning = Map.groupBy(document.endpoints, shapeReturned);
  const parts = new Set(
    [...document.values, ...document.resources].flatMap(({ fields }) =>
      fields.flatMap(({ type }) => type.match(/\w+/g) ?? []),
    ),
  );
  return document.values.flatMap((value) => {
    const endpoints = returning.get(value.name) ?? [];
    const [read, ...more] = endpoints.filter(isRead);
    // A value within other values would become a reference to its record.
    if (!read || more.length > 0 || parts.has(value.name)) return [];
    const isShared = endpoints.length > 1;
    if (!isShared && !isNamedByPath(document, value, read)) return [];
    const field = identifierOf(value, read);
    if (field === undefined) return [];
    const line = lineOf(value.item);
    return [
      {
        kind: isShared ? ("resources" as const) : ("resources-by-name" as const),
        subject: value.name,
        at: line,
        edits: [
          { line, text: `- Identifier: ${field}, made by not shown` },
          ...filledRows(document, value, field, read),
        ],
        evidence: evidenceOf(document, read, endpoints),
      },
    ];
  });
}

/**
 * The rows of fields that no creation sends, so that the service sets them. `required` of a value
 * means only that they are present.
 */
function filledRows(
  document: SourceDocument,
  { fields }: SourceValue,
  identifier: string,
  read: SourceEndpoint,
): readonly Edit[] {
  const above = collectionOf(read);
  const creations = document.endpoints.filter(({ method, path }) => method === "POST" && path === above);
  const sent = new Set(
    creations.flatMap(({ inputs }) =>
      inputs.flatMap(({ name, in: place }) => (place === "body" ? [name] : [])),
    ),
  );
  return fields.flatMap((field): readonly Edit[] => {
    if (field.name === identifier) {
      // How it is made says what its rules left open.
      const rules = field.rules.filter((rule) => rule !== "not shown");
      const edit = cellEdit(document, field, "rules", rules.join(", "));
      return edit && rules.length < field.rules.length ? [edit] : [];
    }
    const isUnsent = creations.length > 0 && !sent.has(field.name);
    if (!isUnsent || field.rules.some((rule) => rule.endsWith("not shown") || rule.startsWith("=")))
      return [];
    const otherRules = field.rules.filter((rule) => rule !== "required");
    const rules = [
      ...(otherRules.length < field.rules.length ? ["required"] : []),
      "on create not shown",
      ...otherRules,
    ];
    const edit = cellEdit(document, field, "rules", rules.join(", "));
    return edit ? [edit] : [];
  });
}

/** `/pets` for `/pets/{petId}`. */
function collectionOf({ path }: SourceEndpoint): string {
  return path.replace(/\/\{[^}/]+\}(?=(\.\w+)?$)/, "");
}

/** Whether the path is named after the value, and records are created or changed there. */
function isNamedByPath({ endpoints }: SourceDocument, { name }: SourceValue, read: SourceEndpoint): boolean {
  const above = collectionOf(read);
  const word = singular(
    above
      .replace(/\.\w+$/, "")
      .split("/")
      .at(-1) ?? "",
  );
  const isWritten = endpoints.some(
    ({ method, path }) => method !== "GET" && (path === above || path === read.path),
  );
  return isWritten && normalizedName(word) === normalizedName(name);
}

function shapeReturned({ returns }: SourceEndpoint): string {
  const [answer, more] = returns;
  const text = answer && !more ? answer.value.text.trim() : "";
  return /^2\d\d (?:list of )?([A-Za-z_]\w*)$/.exec(text)?.[1] ?? "";
}

function isRead({ method, path, returns }: SourceEndpoint): boolean {
  return (
    method === "GET" && /\/\{[^}/]+\}(\.\w+)?$/.test(path) && !/ list of /.test(returns[0]?.value.text ?? "")
  );
}

function identifierOf({ name, fields }: SourceValue, { path }: SourceEndpoint): string | undefined {
  const [, word = "", parameter = ""] = /([^/{}]*)\/\{([^}/]+)\}(?:\.\w+)?$/.exec(path) ?? [];
  const found = fields.find((field) =>
    [name, singular(word)].some((record) => isNamedAfter(parameter, record, field.name)),
  );
  return found && ["string", "uuid", "integer"].includes(found.type) ? found.name : undefined;
}
