/** A step while its items are read: its statements so far, and the shared reporters. */
import { type Phrase, positionIn } from "../../../../source/phrase.ts";
import type { Position } from "../../../../source/source.ts";
import type { StoredRemoval, StoredRename } from "../../../model.ts";
import type { StoredForm } from "../../../stored/form.ts";
import { namesAtPath, type StoredPath, writePath } from "../../../stored/path.ts";
import { nearestHint } from "../../nearest-hint.ts";
import type { VersioningReader } from "../version-members.ts";
import type { StoredName } from "./stored-items.ts";

export interface StepItems {
  readonly renames: readonly (readonly [StoredName, StoredName])[];
  readonly removals: readonly StoredName[];
  /** The fields that each `For each` sets, by the resource's name after the step. */
  readonly assigns: ReadonlyMap<string, ReadonlySet<string>>;
}

export interface Step {
  readonly reader: VersioningReader;
  readonly after: StoredForm;
  readonly written: StepItems;
  /** Names of resources after the step, with those before it. */
  readonly resources: ReadonlyMap<string, string>;
  readonly renamed: StoredRename[];
  readonly removed: StoredRemoval[];
  /** Statements about names before and after the step, with their positions. */
  readonly stated: Map<string, Position>;
}

/** Records what happens to a name. If it was stated already, reports that and returns false. */
export function isStatedOnce(
  { reader, stated }: Step,
  side: "from" | "to",
  name: string,
  at: Phrase,
): boolean {
  const key = `${side} ${name}`;
  const before = stated.get(key);
  if (!before) {
    stated.set(key, positionIn(at));
    return true;
  }
  const related = [{ position: before, message: "First defined here." }];
  reader.context.reporter.report("versioning/stored-contradiction", positionIn(at), { name }, related);
  return false;
}

export function reportNoResource({ reader, after }: Step, phrase: Phrase): undefined {
  const hint = nearestHint(phrase.text, after.resources.keys());
  const params = { name: phrase.text, of: undefined, ...hint };
  reader.context.reporter.report("versioning/stored-not-there", positionIn(phrase), params);
}

export function reportNotThere(
  { reader, after }: Step,
  resource: string,
  path: StoredPath,
  at: Phrase,
): undefined {
  const hint = nearestHint(path.at(-1) as string, namesAtPath(after, resource, path));
  const params = { name: writePath(path), of: resource, ...hint };
  reader.context.reporter.report("versioning/stored-not-there", positionIn(at), params);
}

export function reportStillThere(
  { reader }: Step,
  name: string,
  by: "renamed" | "removed",
  at: Phrase,
  value = false,
): undefined {
  reader.context.reporter.report("versioning/stored-still-there", positionIn(at), { name, by, value });
}

/** The resource of a field, by its name after the step. Either of its two names is allowed. */
export function ownerOf(step: Step, name: Phrase): string | undefined {
  if (step.after.resources.has(name.text)) return name.text;
  for (const [after, before] of step.resources) if (before === name.text) return after;
  return reportNoResource(step, name);
}
