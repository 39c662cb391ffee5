/** The parents in a path: the field of a record that refers to each. */
import { normalizedName, singular } from "../../support/alike-names.ts";
import { itemsOf, keyText } from "../../syntax/read.ts";
import type { Addresses } from "./addresses.ts";
import type { Edit } from "../document/edits.ts";
import type { SourceDocument, SourceEndpoint, SourceResource } from "../document/source-document.ts";

/** The resources of paths, by headings such as `### /shelves/{shelfId}` with `Is`. */
export function pathReferences({ parts }: SourceDocument): ReadonlyMap<string, string> {
  return new Map(
    (parts.endpoints?.sections ?? []).flatMap(({ heading, body }) => {
      const is = itemsOf(body).find(({ key }) => keyText(key) === "is");
      const path = heading.text.trim();
      return is && path.startsWith("/") ? [[path, is.value.text.trim()] as const] : [];
    }),
  );
}

interface ParentField {
  readonly name: string;
  /** Adds the field, if the records have none. */
  readonly edit?: Edit;
  /** Whether the path has the parent's resource, so that it selects by the reference. */
  readonly isOfPath?: true;
}

/**
 * The field of a record that refers to its parent. If it is missing, an internal field is added.
 * Undefined if the parent is a resource: that is a reference (`references.ts`).
 */
export function parentFieldOf(
  document: SourceDocument,
  { path, inputs }: SourceEndpoint,
  parameter: string,
  resource: SourceResource,
  addresses: Addresses,
): ParentField | undefined {
  const field = fieldOfParent(path, parameter, resource);
  if (field !== undefined) return { name: field };
  const above = path.slice(0, path.indexOf(`{${parameter}}`) + parameter.length + 2);
  const parent = pathReferences(document).get(above);
  const [reference, another] = resource.fields.filter(({ type }) => type === parent);
  if (reference && !another) return { name: reference.name, isOfPath: true };
  const isTaken = resource.fields.some(({ name }) => name === parameter);
  if (addresses.itemAt(above) || isTaken || !/^[a-z_]\w*$/i.test(parameter)) return undefined;
  const stated = inputs.find((input) => input.in === "path" && input.name === parameter)?.type;
  const type = stated === "integer" || stated === "uuid" ? stated : "string";
  return { name: parameter, edit: { internal: parameter, type, resource: resource.name } };
}

/**
 * The field of a record that refers to its parent, named after the parameter or after the path
 * segment before it.
 */
export function fieldOfParent(path: string, parameter: string, resource: SourceResource): string | undefined {
  const segments = path.split("/");
  const at = segments.findIndex((segment) => segment.startsWith(`{${parameter}}`));
  const word = normalizedName(singular(segments[at - 1] ?? ""));
  const low = normalizedName(parameter);
  const names = [low, ...(low === word ? [] : [word, `${word}id`, word + low])];
  const { identifier, fields } = resource;
  return names
    .map((name) =>
      fields.find((field) => normalizedName(field.name) === name && field.name !== identifier.field),
    )
    .find((field) => field && ["string", "uuid", "integer"].includes(field.type))?.name;
}
