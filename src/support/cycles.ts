/** Dependency cycles in a graph, found in time linear in its edges. */

/** The successors of each name. */
export type Edges = ReadonlyMap<string, Iterable<string>>;

/** Names of a cycle: each leads to the next, and the last to the first. */
export type Cycle = readonly [string, ...string[]];

/**
 * The cycles of a graph, one for each edge that closes one. The name with that edge is both first
 * and last.
 */
export function cyclesIn(steps: Edges): readonly Cycle[] {
  const circles: Cycle[] = [];
  const done = new Set<string>();
  const path: string[] = [];
  const onPath = new Set<string>();
  const visit = (name: string): void => {
    if (onPath.has(name)) circles.push([path.at(-1) ?? name, ...path.slice(path.indexOf(name))]);
    if (onPath.has(name) || done.has(name)) return;
    path.push(name);
    onPath.add(name);
    for (const next of steps.get(name) ?? []) visit(next);
    path.pop();
    onPath.delete(name);
    done.add(name);
  };
  for (const name of steps.keys()) visit(name);
  return circles;
}
