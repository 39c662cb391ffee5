/** `Renamed` of a stored change: after the step the new name exists, and the old one doesn't. */
import { type Phrase, positionIn } from "../../../../source/phrase.ts";
import type { Type } from "../../../../expressions/type.ts";
import type { StoredForm } from "../../../stored/form.ts";
import {
  each,
  findPath,
  type Found,
  fieldsWithValue,
  isStored,
  type StoredPath,
  writePath,
} from "../../../stored/path.ts";
import {
  isStatedOnce,
  ownerOf,
  reportNoResource,
  reportNotThere,
  reportStillThere,
  type Step,
} from "./step.ts";
import type { StoredName } from "./stored-items.ts";

type Pair = readonly [from: StoredName, to: StoredName];

/** Resolves `Person to User`: the names before and after the step. It comes first, because all other items use them. */
export function resolveResourceRename(
  step: Step,
  [from, to]: Pair,
  resources: Map<string, string>,
): undefined {
  const { after, written, renamed } = step;
  const target = after.resources.get(to.resource.text);
  if (!target) return reportNoResource(step, to.resource);
  const isInUse = written.renames.some(([, name]) => !name.path && name.resource.text === from.resource.text);
  if (after.resources.has(from.resource.text) && !isInUse)
    return reportStillThere(step, from.resource.text, "renamed", from.resource);
  const isNew = isStatedOnce(step, "from", from.resource.text, from.resource);
  if (!isStatedOnce(step, "to", to.resource.text, to.resource) || !isNew) return;
  resources.set(to.resource.text, from.resource.text);
  const position = positionIn(from.phrase);
  renamed.push({ kind: "resource", from: from.resource.text, to: to.resource.text, position });
}

/** Resolves `User.name to User.full_name`, and parts: `User.address.street to User.address.road`. */
export function resolveFieldRename(step: Step, pair: Pair): undefined {
  const [from, to] = pair;
  const owner = resolveOwner(step, pair);
  if (owner === undefined) return;
  const found = findPath(step.after, owner, to.path as StoredPath);
  if (!found) return reportNotThere(step, owner, to.path as StoredPath, to.member as Phrase);
  if (found.ofValue !== undefined) return reportOfValue(step, found, to);
  const old = throughLists(from.path as StoredPath, found.path);
  if (!isBesides(step, owner, old, found.path)) return reportElsewhere(step, from, to);
  if (isStillThere(step, owner, from, found))
    return reportStillThere(step, `${owner}.${writePath(old)}`, "renamed", from.member as Phrase);
  const isNew = isStatedOnce(step, "from", `${owner}.${writePath(old)}`, from.phrase);
  if (!isStatedOnce(step, "to", `${owner}.${writePath(found.path)}`, to.phrase) || !isNew) return;
  const position = positionIn(from.phrase);
  for (const { resource, before, path } of placesOf(step, owner))
    step.renamed.push({
      kind: "field",
      resource,
      from: [...before, ...old],
      to: [...path, ...found.path],
      position,
    });
}

function resolveOwner(step: Step, [from, to]: Pair): string | undefined {
  const { resources, after } = step;
  const owner = to.resource.text;
  if (!after.resources.has(owner)) return reportNoResource(step, to.resource);
  if (from.resource.text === owner || from.resource.text === resources.get(owner)) return owner;
  return reportElsewhere(step, from, to);
}

function reportElsewhere({ reader }: Step, from: StoredName, to: StoredName): undefined {
  const params = { from: from.phrase.text, to: to.phrase.text };
  reader.context.reporter.report("versioning/stored-elsewhere", positionIn(from.phrase), params);
}

function reportOfValue({ reader }: Step, found: Found, to: StoredName): undefined {
  const params = { value: found.ofValue as string, part: found.path.at(-1) as string };
  reader.context.reporter.report("versioning/stored-of-value", positionIn(to.phrase), params);
}

/** Adds the `[]` of the path after the step to the one before it: `lines.price` for `lines[].cost`. */
function throughLists(written: StoredPath, like: StoredPath): StoredPath {
  const names = written.filter((step) => step !== "[]");
  let at = 0;
  const path = like.map((step) => (step === "[]" ? step : (names[at++] ?? step)));
  return like.filter((step) => step !== "[]").length === names.length ? path : written;
}

/**
 * A renamed part keeps its location: only its own name changes, apart from other renames of the
 * step on its path.
 */
function isBesides(step: Step, owner: string, from: StoredPath, to: StoredPath): boolean {
  if (from.length !== to.length) return false;
  return from.slice(0, -1).every((name, at) => name === to[at] || nameBefore(step, owner, to, at) === name);
}

/** The former name at that position of a path. */
function nameBefore({ written }: Step, owner: string, to: StoredPath, at: number): string | undefined {
  const whole = writePath(to.slice(0, at + 1));
  const pair = written.renames.find(
    ([, name]) => name.path && !name.value && name.resource.text === owner && writePath(name.path) === whole,
  );
  return pair?.[0].path?.at(-1);
}

function isStillThere({ after, written }: Step, owner: string, from: StoredName, found: Found): boolean {
  const path = [...found.path.slice(0, -1), from.path?.at(-1) as string];
  if (!isStored(after, owner, path)) return false;
  if (path.length === 1 && written.assigns.get(owner)?.has(path[0] as string)) return false;
  return !written.renames.some(
    ([, name]) =>
      name.path && !name.value && name.resource.text === owner && writePath(name.path) === writePath(path),
  );
}

/** The records of a resource. For a value, every field that contains one, by its path before and after the step. */
export function placesOf(
  step: Step,
  owner: string,
): readonly { readonly resource: string; readonly before: StoredPath; readonly path: StoredPath }[] {
  if (!step.after.resources.get(owner)?.isValue) return [{ resource: owner, before: [], path: [] }];
  return fieldsWithValue(step.after, owner).map(({ resource, path }) => ({
    resource,
    path,
    before: path.map((name, at) => nameBefore(step, resource, path, at) ?? name),
  }));
}

/** Resolves `Ticket.priority "normal" to "medium"`. */
export function resolveValueRename(step: Step, [from, to]: Pair): undefined {
  const owner = ownerOf(step, from.resource);
  if (owner === undefined) return;
  const path = pathAfter(step, owner, from.path as StoredPath);
  const found = findPath(step.after, owner, path);
  if (!found) return reportNotThere(step, owner, path, from.member as Phrase);
  const type = elementsOf(found.type);
  const name = `${owner}.${writePath(path)}`;
  const [old, value] = [from.value as Phrase, to.value as Phrase];
  if (type.kind !== "any" && type.kind !== "enum") {
    step.reader.context.reporter.report("versioning/stored-not-values", positionIn(from.phrase), { name });
    return;
  }
  if (type.kind === "enum" && !type.values.includes(value.text))
    return reportNoValue(step, name, type.values, value);
  const isNamed = step.written.renames.some(([, name]) => name.value?.text === old.text);
  if (type.kind === "enum" && isOfPart2(step.after) && type.values.includes(old.text) && !isNamed)
    return reportStillThere(step, `${name} "${old.text}"`, "renamed", old, true);
  if (!isStatedOnce(step, "from", `${name} "${old.text}"`, old)) return;
  for (const { resource, path: within } of placesOf(step, owner))
    step.renamed.push({
      kind: "value",
      resource,
      field: [...within, ...found.path, ...levelsOf(found.type)],
      from: old.text,
      to: value.text,
      position: positionIn(from.phrase),
    });
}

/** The path after the step. Either of a field's two names is allowed. */
function pathAfter({ written, after }: Step, owner: string, path: StoredPath): StoredPath {
  if (findPath(after, owner, path)) return path;
  const pair = written.renames.find(
    ([name]) => name.path && !name.value && writePath(name.path) === writePath(path),
  );
  return pair?.[1].path ?? path;
}

/** The steps from a list or a map to the values in it, at any depth. */
function levelsOf(type: Type): StoredPath {
  return type.kind === "list" || type.kind === "map" ? [each, ...levelsOf(type.of)] : [];
}

function elementsOf(type: Type): Type {
  return type.kind === "list" || type.kind === "map" ? elementsOf(type.of) : type;
}

/** Whether the form is that of part 2. Enumerations of earlier forms have the new values, too, because those may have existed. */
function isOfPart2({ isGuess }: StoredForm): boolean {
  return isGuess !== true;
}

function reportNoValue(step: Step, name: string, values: readonly string[], at: Phrase): undefined {
  step.reader.context.reporter.report("versioning/stored-not-there", positionIn(at), {
    name: `"${at.text}"`,
    of: name,
    nearest: values.find((value) => value.startsWith(at.text.slice(0, 2))),
    known: values.slice(0, 12),
  });
}
