/**
 * Guards of path headings without a record. Their `Allowed` and `Fails` are evaluated with those of
 * the path's records, from the shortest path to the longest, before the body and the inputs.
 */
import type { Allowed, Endpoint, FailRule } from "../model.ts";

export interface PathGuards {
  readonly path: string;
  readonly allowed: readonly Allowed[];
  readonly fails: readonly FailRule[];
}

/** The path heading that states the guard. Undefined if the part or the endpoint states it. */
function pathOf({ of }: Pick<Allowed, "of"> | Pick<FailRule, "of">): string | undefined {
  return typeof of === "object" ? of.path : undefined;
}

export function pathGuards({ allowed, fails }: Endpoint): readonly PathGuards[] {
  const paths = new Set([...allowed, ...fails].flatMap((allowed) => pathOf(allowed) ?? []));
  return [...paths].map((path) => ({
    path,
    allowed: allowed.filter((allowed) => pathOf(allowed) === path),
    fails: fails.filter((fail) => pathOf(fail) === path),
  }));
}

/** The guards that no path heading states. */
export function ownGuards<G extends Allowed | FailRule>(guards: readonly G[]): readonly G[] {
  return guards.filter((guard) => pathOf(guard) === undefined);
}

/** Whether the path equals the other one or is a prefix of it. */
export function isPathPrefix(path: string, longer: string): boolean {
  return `${longer}/`.startsWith(`${path}/`);
}
