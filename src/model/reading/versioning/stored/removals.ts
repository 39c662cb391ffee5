/** `Removed` of a stored change: the name doesn't exist after the step. */
import { type Phrase, positionIn, slice } from "../../../../source/phrase.ts";
import { findPath, isStored, type StoredPath, writePath } from "../../../stored/path.ts";
import { placesOf } from "./renames.ts";
import { isStatedOnce, ownerOf, reportNotThere, reportStillThere, type Step } from "./step.ts";
import type { StoredName } from "./stored-items.ts";

export function resolveRemoval(step: Step, name: StoredName): undefined {
  if (name.path) removeField(step, name, name.path);
  else removeResource(step, name);
}

function removeResource(step: Step, { resource, phrase }: StoredName): undefined {
  const { after, written } = step;
  const isInUse = written.renames.some(([, to]) => !to.path && to.resource.text === resource.text);
  if (after.resources.has(resource.text) && !isInUse)
    return reportStillThere(step, resource.text, "removed", resource);
  if (isStatedOnce(step, "from", resource.text, phrase))
    step.removed.push({ resource: resource.text, position: positionIn(phrase) });
}

function removeField(step: Step, name: StoredName, written: StoredPath): undefined {
  const owner = ownerOf(step, name.resource);
  if (owner === undefined) return;
  const at = name.member as Phrase;
  const around = findPath(step.after, owner, written.slice(0, -1));
  if (written.length > 1 && !around) return reportNotThere(step, owner, written.slice(0, -1), at);
  const inner = around?.type.kind === "list" || around?.type.kind === "map" ? around.type.of : around?.type;
  const last = written.at(-1) as string;
  if (inner?.kind === "value") {
    const params = { value: inner.resource, part: last };
    step.reader.context.reporter.report("versioning/stored-of-value", positionIn(name.phrase), params);
    return;
  }
  const through = inner === around?.type ? [] : ["[]"];
  const path = [...(around?.path ?? []), ...through, last];
  const isInUse = step.written.renames.some(
    ([, to]) => to.path && !to.value && to.resource.text === owner && writePath(to.path) === writePath(path),
  );
  if (isStored(step.after, owner, path) && !isInUse)
    return reportStillThere(
      step,
      `${owner}.${writePath(path)}`,
      "removed",
      slice(at, at.text.length - last.length),
    );
  if (!isStatedOnce(step, "from", `${owner}.${writePath(path)}`, name.phrase)) return;
  for (const { resource, path: within } of placesOf(step, owner))
    step.removed.push({ resource, field: [...within, ...path], position: positionIn(name.phrase) });
}
