/**
 * Proposes that a field is immutable: requests that create send it, and no request that updates
 * does.
 */
import type { Proposal } from "./answers.ts";
import { addressesOf } from "./addresses.ts";
import { cellEdit } from "./cell-edit.ts";
import { lineOf, type SourceDocument, type SourceEndpoint } from "./source-document.ts";

export function proposeRules(document: SourceDocument): readonly Proposal[] {
  const addresses = addressesOf(document);
  return document.resources.flatMap((resource) => {
    const creates = document.endpoints.filter(
      ({ method, path }) => method === "POST" && addresses.collectionAt(path) === resource,
    );
    const updates = document.endpoints.filter(
      ({ method, path }) => /^(PATCH|PUT|POST)$/.test(method) && addresses.itemAt(path) === resource,
    );
    const changed = new Set(updates.flatMap(sentNames));
    if (creates.length === 0 || changed.size === 0) return [];
    const made = new Set(creates.flatMap(sentNames));
    return resource.fields.flatMap((field): readonly Proposal[] => {
      const isFixed = made.has(field.name) && !changed.has(field.name);
      const isOpen = field.rules.some((rule) => /^(immutable|read-only|on create|=)/.test(rule));
      if (!isFixed || isOpen || field.name === resource.identifier.field) return [];
      const rules = field.rules.filter((rule) => rule !== "not shown");
      const rest = field.rules.length > rules.length ? ["not shown"] : [];
      const edit = cellEdit(document, field, "rules", [...rules, "immutable", ...rest].join(", "));
      return edit
        ? [
            {
              kind: "immutable",
              subject: `${resource.name}.${field.name}`,
              at: lineOf(field.row),
              edits: [edit],
              evidence: [...creates, ...updates].slice(0, 2).map(({ does, name }) => {
                const [item] = does;
                return item ? `line ${lineOf(item)}` : name;
              }),
            },
          ]
        : [];
    });
  });
}

/** Names in the request body, as inputs or in the item `Body`. */
function sentNames({ inputs, body }: SourceEndpoint): readonly string[] {
  return [
    ...inputs.filter((input) => input.in === "body").map(({ name }) => name.split(".")[0] ?? ""),
    ...body,
  ];
}
