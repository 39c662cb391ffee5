/**
 * Places of a call in a model: the paths of the expressions that contain it, as
 * `expression-paths.ts` writes them.
 */
import type { Model } from "../../src/model/model.ts";

/** The paths of all expressions that call a function of the module. */
export function pathsOf(model: Model, called: string): ReadonlySet<string> {
  const found = new Set<string>();
  collect(model, "", (written) => written.includes(`"${called}"`), found);
  return found;
}

function collect(
  value: unknown,
  path: string,
  requests: (written: string) => boolean,
  found: Set<string>,
): void {
  if (value === null || typeof value !== "object") return;
  if (Array.isArray(value)) {
    for (const item of value) collect(item, `${path}[]`, requests, found);
    return;
  }
  const members = value as Readonly<Record<string, unknown>>;
  if ("node" in members && "position" in members) {
    if (requests(JSON.stringify(members["node"]))) found.add(path.slice(1));
    return;
  }
  const step = typeof members["rule"] === "string" ? `<${members["rule"]}>` : "";
  const isOpen = path.endsWith(".further");
  for (const [name, member] of Object.entries(members))
    collect(member, isOpen ? `${path}.*` : `${path}${step}.${name}`, requests, found);
}
