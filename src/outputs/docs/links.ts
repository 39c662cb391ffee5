/**
 * All links: the pages of the site, and an anchor for each thing that can be linked to. Anchors
 * derive from names in the document, and never from headings or positions. So a link lasts as long
 * as the name, even if the thing moves to another page.
 */
import type { Model } from "../../model/model.ts";
import type { Operation, Wire } from "../wire/wire.ts";

export interface Links {
  /** The operations on each page, in the order of the pages. */
  readonly operationPages: readonly OperationPage[];
  pageOfResource(resource: string): string;
  /** `resource-Parcel.html#Parcel.status`; undefined if there is no such anchor. */
  to(anchor: string): string | undefined;
  /**
   * The title of an operation, a verb and its object, which is unique. `listParcels` → `List
   * Parcels`
   */
  titleOf(operation: Operation): string;
}

/**
 * A page of a resource, or of a group of operations without a resource; a very large group has
 * several pages.
 */
export interface OperationPage {
  readonly path: string;
  readonly group: string;
  /** Absent for a group of operations without a resource. */
  readonly resource?: string;
  /** 1, and 2 … where the operations fill more than one. */
  readonly number: number;
  readonly operations: readonly Operation[];
}

/** The limit keeps pages below megabytes. */
const operationsOfPageMax = 40;

export function createLinks(model: Model, wire: Wire): Links {
  const operationPages = pagesOf(wire);
  const pages = new Map<string, string>();
  const put = (anchor: string, page: string) => {
    if (!pages.has(anchor)) pages.set(anchor, page);
  };
  const first = new Map<string, string>();
  for (const page of operationPages) {
    if (page.resource !== undefined && !first.has(page.resource)) first.set(page.resource, page.path);
    for (const operation of page.operations) put(anchorOf.operation(operation), page.path);
  }
  const pageOfResource = (resource: string) => first.get(resource) ?? "resources.html";
  for (const resource of model.resources) {
    const page = pageOfResource(resource.name);
    put(resource.name, page);
    for (const state of resource.states?.states ?? []) put(anchorOf.state(resource.name, state.name), page);
    for (const transition of resource.states?.transitions ?? [])
      put(anchorOf.transition(resource.name, transition.name), page);
  }
  for (const error of wire.errors) put(anchorOf.error(error.name), "errors.html");
  for (const event of wire.events) put(anchorOf.event(event.name), "events.html");
  for (const scheme of wire.security) put(anchorOf.scheme(scheme.name), "authentication.html");
  for (const scenario of model.scenarios) put(anchorOf.scenario(scenario.name), "scenarios.html");
  for (const version of model.versioning.versions) put(anchorOf.version(version.name), "versions.html");
  for (const entry of model.ledger) put(anchorOf.item(entry.item), "gaps.html");
  return {
    operationPages,
    pageOfResource,
    titleOf,
    to(anchor) {
      const page = pages.get(anchor);
      return page === undefined ? undefined : `${page}#${encodeURIComponent(anchor)}`;
    },
  };
}

/** Ids can't contain whitespace. */
function slug(text: string): string {
  return text.trim().replace(/\s+/g, "-");
}

export const anchorOf = {
  operation: (operation: Operation) => operation.id,
  field: (owner: string, path: string) => slug(`${owner}.${path}`),
  state: (resource: string, state: string) => slug(`${resource}.is.${state}`),
  transition: (resource: string, transition: string) => slug(`${resource}.do.${transition}`),
  error: (name: string) => slug(`error-${name}`),
  event: (name: string) => slug(`event-${name}`),
  scheme: (name: string) => slug(`scheme-${name}`),
  scenario: (name: string) => slug(`scenario-${name.toLowerCase().replace(/[^\p{L}\p{N}]+/gu, "-")}`),
  version: (name: string) => slug(`version-${name}`),
  item: (item: string) => slug(`item-${item}`),
};

function pagesOf(wire: Wire): readonly OperationPage[] {
  const resources = wire.resources.map((resource) => resource.name);
  const otherGroups = [...new Set(wire.operations.map((operation) => operation.group))].filter(
    (group) => !resources.includes(group),
  );
  const byGroup = Map.groupBy(wire.operations, (operation) => operation.group);
  const usedNames = new Set<string>();
  return [
    ...resources.map((group) => ({ group, prefix: "resource-", resource: group })),
    ...otherGroups.map((group) => ({ group, prefix: "endpoints-" })),
  ].flatMap(({ group, prefix, ...rest }) => {
    const stem = unusedName(prefix + (group.replace(/[^\w-]+/g, "-") || "root"), usedNames);
    return chunksOf(byGroup.get(group) ?? []).map((operations, at) => ({
      path: `${stem}${at === 0 ? "" : `.${at + 1}`}.html`,
      group,
      number: at + 1,
      operations,
      ...rest,
    }));
  });
}

function titleOf({ id }: Operation): string {
  const words = id.replace(/([a-z\d])([A-Z])/g, "$1 $2");
  return words.slice(0, 1).toUpperCase() + words.slice(1);
}

/** Some file systems don't distinguish `apikey` and `ApiKey`. */
function unusedName(name: string, usedNames: Set<string>): string {
  let unused = name;
  for (let number = 2; usedNames.has(unused.toLowerCase()); number += 1) unused = `${name}-${number}`;
  usedNames.add(unused.toLowerCase());
  return unused;
}

function chunksOf(operations: readonly Operation[]): readonly (readonly Operation[])[] {
  const count = Math.max(1, Math.ceil(operations.length / operationsOfPageMax));
  return Array.from({ length: count }, (_, at) =>
    operations.slice(at * operationsOfPageMax, (at + 1) * operationsOfPageMax),
  );
}
