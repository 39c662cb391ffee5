/**
 * Lists with pages to fill: the endpoints that create their records, and the number of records that
 * they need.
 */
import type { Endpoint, Model } from "../model/model.ts";
import type { Case } from "./cases.ts";
import type { StoryContext } from "./story-context.ts";

export function isList({ endpoint }: Case): boolean {
  return endpoint.does.some(({ kind }) => kind === "list");
}

export function isCreating({ does, resource }: Endpoint, wanted: string | undefined): boolean {
  return resource === wanted && does.some(({ kind }) => kind === "create");
}

export function isOfPages({ aspect, name }: Case): boolean {
  return aspect === "pagination" || name === "valid";
}

export function countOf({ records }: StoryContext, { resource }: Endpoint): number {
  return resource === undefined ? 0 : (records.get(resource)?.length ?? 0);
}

/** The maximum page bound that a story reaches. */
const pageBoundMax = 120;

export function pageBound({ limits }: Model): number {
  const bounds = limits.pages.flatMap(({ maximum, default: usual }) => [maximum ?? 0, usual ?? 0]);
  return Math.max(0, ...bounds.filter((bound) => bound <= pageBoundMax));
}
