/** Test plan of a seed: where its document runs, and with how many requests. */
import type { Kind } from "./worlds.ts";

/**
 * In memory, and on two instances that receive requests alternately. Every fourth seed also runs on
 * one instance of PostgreSQL.
 */
export function kindsOf(seed: number): readonly Kind[] {
  return seed % 4 === 0 ? ["SQLite", "PostgreSQL", "two instances"] : ["SQLite", "two instances"];
}

export function requestsOf(seed: number): number {
  return seed % 10 === 0 ? 60 : 20;
}

/**
 * The worlds that show a violation of an invariant: memory, unless the invariant names another
 * world.
 */
export function kindsFor(invariant: string, kinds: readonly Kind[]): readonly Kind[] {
  const named = kinds.filter((kind) => kind !== "SQLite" && invariant.includes(kind));
  return ["SQLite", ...named];
}
