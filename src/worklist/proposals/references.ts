/**
 * Proposes references: a text field that is named after another resource, `author_id`, or a record
 * beneath another one in the path, `/shelves/{shelfId}/books`. The latter belongs to its parent: the
 * proposal writes the reference, the path and the scope of the identifier.
 */
import { itemsOf, keyText } from "../../syntax/read.ts";
import { parameterNames } from "../../model/endpoints/path-text.ts";
import { normalizedName } from "../../support/alike-names.ts";
import { addressesOf, type Addresses } from "./addresses.ts";
import type { Proposal } from "../document/answers.ts";
import { type CellEdit, cellEdit } from "../document/cell-edit.ts";
import type { Edit } from "../document/edits.ts";
import { evidenceOf } from "../document/evidence.ts";
import { fieldOfParent, pathReferences } from "./parents.ts";
import {
  headingLine,
  lineOf,
  type SourceDocument,
  type SourceEndpoint,
  type SourceField,
  type SourceResource,
} from "../document/source-document.ts";

/** @param operations proposals about operations, which come before those about their parents */
export function proposeReferences(
  document: SourceDocument,
  operations: readonly Proposal[],
): readonly Proposal[] {
  const addresses = addressesOf(document);
  const children = childrenIn(document, addresses);
  return [
    ...document.resources.flatMap((resource) =>
      resource.fields.flatMap((field) =>
        isParentField(document, addresses, resource, field)
          ? []
          : (referenceTo(document, resource, field) ?? []),
      ),
    ),
    ...children.flatMap((child) => belongingOf(document, child, operations) ?? []),
  ];
}

// ── References by name ──────────────────────────────────────────────────────────────────────────

function referenceTo(
  document: SourceDocument,
  resource: SourceResource,
  field: SourceField,
): Proposal | undefined {
  const [, stem, ending] = /^(\w+?)(?:_?(id|Id|ID|sid|Sid|uuid|guid))?$/.exec(field.name) ?? [];
  const word = normalizedName(stem ?? "");
  const named = document.resources.filter(({ name }) => normalizedName(name) === word);
  const [target, more] = named;
  if (!target || more || !canReferTo(field, resource, target)) return undefined;
  const edit = referenceEdit(document, field, target);
  return (
    edit && {
      kind: ending === undefined ? "references-by-name" : "references",
      subject: `${resource.name}.${field.name}`,
      at: lineOf(field.row),
      edits: [edit],
      evidence: [`line ${lineOf(field.row)}`, `line ${headingLine(target.section)}`],
    }
  );
}

/**
 * Whether a path of the resource's own selects by the field. Its operations compare the field with
 * the path, so that it can only become a reference together with the path (`belongs-to`).
 */
function isParentField(
  { endpoints }: SourceDocument,
  addresses: Addresses,
  resource: SourceResource,
  field: SourceField,
): boolean {
  return endpoints.some(
    (endpoint) =>
      (addresses.itemAt(endpoint.path) === resource || addresses.returned(endpoint)?.resource === resource) &&
      parameterNames(endpoint.path).some(
        (parameter) => fieldOfParent(endpoint.path, parameter, resource) === field.name,
      ),
  );
}

function canReferTo(field: SourceField, { identifier }: SourceResource, target: SourceResource): boolean {
  const key = target.fields.find(({ name }) => name === target.identifier.field);
  const isFree = !field.rules.some((rule) => /^(=|default(?! not shown)|sent as|each|items)/.test(rule));
  return field.name !== identifier.field && isFree && key?.type === field.type;
}

/** The row with the resource as its type. Its own bounds are those of the identifier. */
function referenceEdit(
  document: SourceDocument,
  field: SourceField,
  { name }: SourceResource,
): CellEdit | undefined {
  const rules = field.rules.filter((rule) => !/^(length|pattern|trimmed|lower case|-?[\d.]*\.\.)/.test(rule));
  const typed = cellEdit(document, field, "type", name);
  return typed && cellEdit(document, field, "rules", [...rules, "on delete not shown"].join(", "), typed);
}

// ── Records beneath others ──────────────────────────────────────────────────────────────────────

interface Child {
  readonly resource: SourceResource;
  readonly parent: SourceResource;
  /** The item of the parent: `/shelves/{shelfId}`. */
  readonly above: string;
  /** Its last parameter. */
  readonly parameter: string;
  /** The field that names the parent, if there is one. */
  readonly field: SourceField | undefined;
  readonly endpoints: readonly SourceEndpoint[];
}

/** Resources that endpoints beneath the item of another one return. */
function childrenIn(document: SourceDocument, addresses: Addresses): readonly Child[] {
  const found = new Map<string, Child>();
  for (const endpoint of document.endpoints) {
    const resource = addresses.returned(endpoint)?.resource;
    for (const parameter of resource ? parameterNames(endpoint.path) : []) {
      const above = endpoint.path.slice(0, endpoint.path.indexOf(`{${parameter}}`) + parameter.length + 2);
      const parent = addresses.itemAt(above);
      if (!resource || !parent || parent === resource || above === endpoint.path) continue;
      const key = `${resource.name} ${above}`;
      const name = fieldOfParent(endpoint.path, parameter, resource);
      const known = found.get(key);
      found.set(key, {
        resource,
        parent,
        above,
        parameter,
        field: resource.fields.find((field) => field.name === name),
        endpoints: [...(known?.endpoints ?? []), endpoint],
      });
    }
  }
  return [...found.values()];
}

function belongingOf(
  document: SourceDocument,
  child: Child,
  operations: readonly Proposal[],
): Proposal | undefined {
  const { resource, parent, above, parameter, field, endpoints } = child;
  const beneath = document.endpoints.filter(({ path }) => path.startsWith(`${above}/`));
  const isPending = beneath.some(({ name }) => operations.some(({ subject }) => subject === name));
  const refers = resource.fields.some(({ type }) => type === parent.name);
  const [first] = document.endpoints.filter(({ path }) => path === above || path.startsWith(`${above}/`));
  if (isPending || refers || !first || (field && !canReferTo(field, resource, parent))) return undefined;
  // An action beneath the parent may return a record of elsewhere: "create or retrieve", with 200.
  const isItsOwn = endpoints.some(
    ({ method, returns }) =>
      method === "GET" || returns.some(({ value }) => value.text.trim().startsWith("201 ")),
  );
  if (!isItsOwn) return undefined;
  const name = field?.name ?? normalizedVariable(parent.name);
  const isTaken = !field && resource.fields.some((other) => other.name === name);
  const row = field && referenceEdit(document, field, parent);
  if (isTaken || (field && !row)) return undefined;
  const edits: readonly Edit[] = [
    row ?? { internal: name, type: parent.name, resource: resource.name },
    ...(pathReferences(document).has(above)
      ? []
      : [{ after: headingLine(first.section) - 1, lines: [`### ${above}`, "", `- Is: ${parent.name}`, ""] }]),
    ...beneath.flatMap((endpoint) => withoutCondition(endpoint, name, parameter)),
    ...scopeEdits(child, name),
  ];
  return {
    kind: "belongs-to",
    subject: `${resource.name} of ${parent.name}`,
    at: headingLine(resource.section),
    edits,
    evidence: endpoints.slice(0, 2).flatMap((endpoint) => evidenceOf(document, endpoint, [])),
  };
}

function normalizedVariable(resource: string): string {
  return resource.charAt(0).toLowerCase() + resource.slice(1);
}

/** The items that select by the field or set it, which the path does now. */
function withoutCondition({ section }: SourceEndpoint, field: string, parameter: string): readonly Edit[] {
  const texts = [`where \`this.${field} == path.${parameter}\``, `set \`${field} = path.${parameter}\``];
  return itemsOf(section.body)
    .filter((item) => texts.includes(`${keyText(item.key)} ${item.value.text.trim()}`))
    .map((item) => ({ line: lineOf(item), text: undefined }));
}

/** Whether the identifier of a resource counts within a parent, as the reference to it states. */
export function countsWithinParent(document: SourceDocument, resource: SourceResource): boolean {
  return childrenIn(document, addressesOf(document)).some(
    (child) => child.resource === resource && scopeEdits(child, "").length > 0,
  );
}

/**
 * A number that isn't called an identifier (`/repos/{repo}/issues/{number}`) counts within its
 * parent.
 */
function scopeEdits({ resource, above, endpoints }: Child, reference: string): readonly Edit[] {
  const { item, field, isOpen } = resource.identifier;
  const isCounted = resource.fields.some(({ name, type }) => name === field && type === "integer");
  const isRead = endpoints.some(
    ({ method, path }) => method === "GET" && /\}$/.test(path) && path.startsWith(`${above}/`),
  );
  if (!isOpen || !isCounted || !isRead || /id$/i.test(field)) return [];
  return [{ line: lineOf(item), text: `- Identifier: ${field}, made by \`sequence(${reference})\`` }];
}
