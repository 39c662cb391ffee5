/**
 * Proposes that a field is immutable: requests that create send it, and no request at or below the
 * item sends it, a similar name, or has it in its path.
 */
import { normalizedName } from "../../support/alike-names.ts";
import type { Proposal } from "../document/answers.ts";
import { addressesOf } from "./addresses.ts";
import { cellEdit } from "../document/cell-edit.ts";
import { lineOf, type SourceDocument, type SourceEndpoint } from "../document/source-document.ts";

export function proposeRules(document: SourceDocument): readonly Proposal[] {
  const addresses = addressesOf(document);
  return document.resources.flatMap((resource) => {
    const creates = document.endpoints.filter(
      ({ method, path }) => method === "POST" && addresses.collectionAt(path) === resource,
    );
    const updates = document.endpoints.filter(
      ({ method, path }) => /^(PATCH|PUT|POST)$/.test(method) && addresses.itemAt(path) === resource,
    );
    if (creates.length === 0 || updates.flatMap(sentNames).length === 0) return [];
    const changed = changedNames(document, updates);
    const made = new Set(creates.flatMap(sentNames));
    return resource.fields.flatMap((field): readonly Proposal[] => {
      const isFixed = made.has(field.name) && !changed.some((name) => isAlike(name, field.name));
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

/** Names that requests at or below the items send in a body, or have in their path. */
function changedNames({ endpoints }: SourceDocument, updates: readonly SourceEndpoint[]): readonly string[] {
  const below = endpoints.filter(
    ({ method, path }) => method !== "GET" && updates.some((update) => path.startsWith(`${update.path}/`)),
  );
  const segments = below.flatMap(({ path }) => path.split("/").filter((segment) => !segment.includes("{")));
  return [...[...updates, ...below].flatMap(sentNames), ...segments].map(normalizedName);
}

/** Whether an update sends the field, or a name that begins with its name. */
function isAlike(changed: string, field: string): boolean {
  const name = normalizedName(field);
  return changed === name || (name.length > 3 && changed.startsWith(name));
}

/** Names in the request body, as inputs or in the item `Body`. */
function sentNames({ inputs, body }: SourceEndpoint): readonly string[] {
  return [
    ...inputs.filter((input) => input.in === "body").map(({ name }) => name.split(".")[0] ?? ""),
    ...body,
  ];
}
