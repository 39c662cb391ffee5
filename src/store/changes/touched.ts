/** Which resources a stored change is about, by all names that they have before and after it. */
import type { StoredChange } from "../../model/model.ts";

export function resourcesOf({ renamed, forEach, removed }: StoredChange): ReadonlySet<string> {
  return new Set([
    ...renamed.flatMap((one) => (one.kind === "resource" ? [one.from, one.to] : [one.resource])),
    ...forEach.map(({ resource }) => resource),
    ...removed.map(({ resource }) => resource),
  ]);
}
