/** Pages of lists: the query parameters that select them, and the bounds of their sizes. */
import type { Endpoint, Model } from "../../model/model.ts";

export function isCreating({ does, resource }: Endpoint, wanted: string | undefined): boolean {
  return resource === wanted && does.some(({ kind }) => kind === "create");
}

/** The query parameters that select a page by a cursor. */
export function cursorNames(pagination: NonNullable<Endpoint["pagination"]>): readonly string[] {
  if (pagination.kind === "identifier")
    return [pagination.after, pagination.before].filter((name) => name !== undefined);
  return pagination.kind === "cursor"
    ? [pagination.after, pagination.before, pagination.at].filter((name) => name !== undefined)
    : [];
}

/** The query parameter for the size of a page. */
export function sizeParameter({ pagination }: Endpoint): string | undefined {
  return pagination && "size" in pagination ? pagination.size : undefined;
}

/** The maximum page bound that a story reaches. */
const pageBoundMax = 120;

export function pageBound({ limits }: Model): number {
  const bounds = limits.pages.flatMap(({ maximum, default: usual }) => [maximum ?? 0, usual ?? 0]);
  return Math.max(0, ...bounds.filter((bound) => bound <= pageBoundMax));
}
