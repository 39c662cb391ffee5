/** The resource of each path of a document, by what its endpoints return. */
import { isNamedAfter, normalizedName, singular } from "../../support/alike-names.ts";
import type { SourceDocument, SourceEndpoint, SourceResource } from "../document/source-document.ts";

export interface ReturnedRecords {
  readonly resource: SourceResource | undefined;
  readonly isList: boolean;
  readonly isEmpty: boolean;
  /** Whether it returns 200 or 201, and nothing shows when. */
  readonly isFoundOrCreated?: boolean;
  /** The response of a record in an envelope that only the comment of an import shows. */
  readonly wrapped?: string;
}

export interface Addresses {
  /** The resource whose records an item's path (`/pets/{id}`) selects by their identifier. */
  itemAt(path: string): SourceResource | undefined;
  /** The resource whose items are beneath this path. */
  collectionAt(path: string): SourceResource | undefined;
  /** The path beneath which the items of a resource are. Undefined if there are several. */
  collectionOf(resource: SourceResource): string | undefined;
  /** What an endpoint returns that has a single stated response, or 200 and 201 with the same record. */
  returned(endpoint: SourceEndpoint): ReturnedRecords | undefined;
  resource(name: string): SourceResource | undefined;
  /** Endpoints that return a single record of a resource at its item. */
  readers(resource: SourceResource): readonly SourceEndpoint[];
}

export function addressesOf({ endpoints, resources }: SourceDocument): Addresses {
  const byName = new Map(resources.map((resource) => [resource.name, resource]));
  const returned = (endpoint: SourceEndpoint): ReturnedRecords | undefined => {
    const [answer, more] = endpoint.returns;
    const either = foundOrCreated(endpoint);
    const record = either === undefined ? undefined : byName.get(either);
    if (record) return { resource: record, isList: false, isEmpty: false, isFoundOrCreated: true };
    if (!answer || more) return undefined;
    const text = answer.value.text.replaceAll("`", "").trim();
    if (/^2\d\d nothing$/.test(text)) return { resource: undefined, isList: false, isEmpty: true };
    // `200 has Pet in "data"`
    const [, status, name = "", key] =
      /\b(2\d\d) has (\w+) in "([\w-]+)"(?:;| -->)/.exec(endpoint.comments) ?? [];
    const noted = byName.get(name);
    if (noted && !text.includes("{"))
      return {
        resource: noted,
        isList: false,
        isEmpty: false,
        wrapped: `${status} \`{"${key}": ${name}(this)}\``,
      };
    const [, list, plain] = /^2\d\d (list of )?([A-Za-z_]\w*)$/.exec(text) ?? [];
    const wrapped = /^2\d\d \{"[\w-]+": ([A-Za-z_]\w*)\(this\)\}$/.exec(text)?.[1];
    const resource = byName.get(plain ?? wrapped ?? "");
    return resource && { resource, isList: list !== undefined, isEmpty: false };
  };
  const items = new Map<string, SourceResource>();
  const collections = new Map<string, SourceResource>();
  const readers = new Map<SourceResource, SourceEndpoint[]>();
  for (const endpoint of endpoints) {
    const found = endpoint.method === "GET" ? returned(endpoint) : undefined;
    const above =
      found?.resource && !found.isList ? collectionPath(endpoint.path, found.resource) : undefined;
    if (above === undefined || !found?.resource) continue;
    items.set(endpoint.path, found.resource);
    collections.set(above, found.resource);
    readers.set(found.resource, [...(readers.get(found.resource) ?? []), endpoint]);
  }
  return {
    itemAt: (path) => items.get(path),
    collectionAt: (path) => collections.get(path),
    collectionOf: (resource) => {
      const [only, more] = [...collections].filter(([, of]) => of === resource);
      return more ? undefined : only?.[0];
    },
    returned,
    resource: (name) => byName.get(name),
    readers: (resource) => readers.get(resource) ?? [],
  };
}

/** `Pet`, if an endpoint returns `200 Pet when not shown` and `201 Pet when not shown`. */
function foundOrCreated({ returns }: SourceEndpoint): string | undefined {
  const texts = returns.map(({ value }) => value.text.trim()).toSorted();
  const [, name] = /^200 (\w+) when not shown$/.exec(texts[0] ?? "") ?? [];
  return name !== undefined && texts.length === 2 && texts[1] === `201 ${name} when not shown`
    ? name
    : undefined;
}

/** `/pets` for `/pets/{petId}`, if the parameter is named after the resource's identifier. */
function collectionPath(path: string, { name, identifier }: SourceResource): string | undefined {
  const [, above = "", parameter, ending = ""] = /^(.*)\/\{([^}/]+)\}(\.\w+)?$/.exec(path) ?? [];
  if (parameter === undefined) return undefined;
  const words = above.split("/").filter((segment) => segment !== "" && !segment.startsWith("{"));
  const records = [name, singular(words.at(-1) ?? "")];
  const isOwn =
    records.some((record) => isNamedAfter(parameter, record, identifier.field)) ||
    records.map(normalizedName).includes(normalizedName(parameter));
  return isOwn ? above + ending : undefined;
}
