/** Where a seed's document runs, and with how many requests. */
import type { Kind } from "./worlds.ts";

/** In memory, and on two instances that take turns; every fourth on one instance of PostgreSQL, too. */
export function kindsOf(seed: number): readonly Kind[] {
  return seed % 4 === 0 ? ["SQLite", "PostgreSQL", "two instances"] : ["SQLite", "two instances"];
}

export function requestsOf(seed: number): number {
  return seed % 10 === 0 ? 60 : 20;
}

/** Where a violated invariant can be seen: everywhere in memory, unless it names a place. */
export function kindsFor(invariant: string, kinds: readonly Kind[]): readonly Kind[] {
  const named = kinds.filter((kind) => kind !== "SQLite" && invariant.includes(kind));
  return ["SQLite", ...named];
}
