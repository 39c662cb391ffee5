/**
 * Stored changes of part 9: steps that migrate the records of an older document's store to this
 * document. They are read from the last to the first, so that each is checked against the result of
 * the next; the last result is part 2.
 */
import { positionIn, trim } from "../../../../source/phrase.ts";
import type { Position } from "../../../../source/source.ts";
import { parseEffects } from "../../../../syntax/effects.ts";
import type { ItemNode, Section } from "../../../../syntax/nodes.ts";
import { isNotShown, itemsOf } from "../../../../syntax/read.ts";
import { digestOf } from "../../../../support/hashing/digest.ts";
import type { Resource, StoredChange, StoredForEach, Version } from "../../../model.ts";
import { bindPhrase } from "../../../stored/bind-for-each.ts";
import { type StoredForm, storedFormOf } from "../../../stored/form.ts";
import { formBefore } from "../../../stored/walk-back.ts";
import type { VersioningReader } from "../version-members.ts";
import { headingsInOrder, type StepHeading } from "./headings.ts";
import { resolveRemoval } from "./removals.ts";
import { resolveFieldRename, resolveResourceRename, resolveValueRename } from "./renames.ts";
import { isStatedOnce, reportNoResource, type Step } from "./step.ts";
import {
  forEachForms,
  forEachOf,
  readStoredRemovals,
  readStoredRename,
  removedForms,
  renamedForms,
  type StoredName,
  stepText,
} from "./stored-items.ts";
import { versionStep } from "./version-step.ts";

export function readStoredChanges(
  reader: VersioningReader,
  sections: readonly Section[],
  versions: readonly Version[],
  resources: readonly Resource[],
): readonly StoredChange[] {
  const changes: StoredChange[] = [];
  let after = storedFormOf(resources);
  for (const heading of headingsInOrder(reader, sections, versions).toReversed()) {
    const change =
      heading.kind === "version"
        ? versionStep(reader, heading, after)
        : readStep(reader, heading, versions, after);
    if (!change) continue;
    changes.push(change);
    const before = formBefore(after, change);
    if (heading.kind === "stored change") bindAll(reader, change, heading.section, { before, after });
    after = before;
  }
  return changes.reverse();
}

interface CollectedItems {
  readonly renames: (readonly [StoredName, StoredName])[];
  readonly removals: StoredName[];
  readonly forEach: ItemNode[];
}

function readStep(
  reader: VersioningReader,
  { name, section }: Extract<StepHeading, { kind: "stored change" }>,
  versions: readonly Version[],
  after: StoredForm,
): StoredChange | undefined {
  const { reporter } = reader.context;
  const items = itemsOf(section.body);
  if (items.length === 0) {
    reporter.report("versioning/stored-empty", positionIn(section.heading), { name: name.text });
    return undefined;
  }
  const written = readItems(reader, items);
  const forEach = written.forEach.flatMap((item) => readForEach(reader, item));
  const assigns = new Map<string, Set<string>>();
  for (const { resource, assigns: names } of forEach)
    assigns.set(resource, new Set([...(assigns.get(resource) ?? []), ...names]));
  const resources = new Map<string, string>();
  const step: Step = {
    reader,
    after,
    resources,
    written: { ...written, assigns },
    renamed: [],
    removed: [],
    stated: new Map(),
  };
  const renames = written.renames.filter((pair) => !isOfVersion(reader, pair, versions));
  for (const pair of renames) if (!pair[0].path) resolveResourceRename(step, pair, resources);
  for (const pair of renames) if (pair[0].path && !pair[0].value) resolveFieldRename(step, pair);
  for (const pair of renames) if (pair[0].value) resolveValueRename(step, pair);
  for (const removal of written.removals)
    if (!isRemovedByVersion(reader, removal, versions)) resolveRemoval(step, removal);
  return {
    name: name.text,
    of: "stored change",
    hash: digestOf(stepText(items)),
    renamed: step.renamed,
    forEach: forEach.filter((forEach) => isOfStep(step, forEach, written.forEach)),
    removed: step.removed,
    position: positionIn(trim(section.heading)),
  };
}

function readItems(reader: VersioningReader, items: readonly ItemNode[]): CollectedItems {
  const written: CollectedItems = { renames: [], removals: [], forEach: [] };
  const otherItems = items.filter((item) => {
    const isForEach = forEachOf(item) !== undefined;
    if (isForEach) written.forEach.push(item);
    return !isForEach;
  });
  reader.items(otherItems, [
    {
      key: "Renamed",
      expected: renamedForms,
      several: true,
      read({ value }) {
        const pair = readStoredRename(value);
        if (pair) written.renames.push(pair);
        else reader.unreadable(value, renamedForms);
      },
    },
    {
      key: "Removed",
      expected: removedForms,
      several: true,
      read({ value }) {
        const names = readStoredRemovals(value);
        if (names) written.removals.push(...names);
        else reader.unreadable(value, removedForms);
      },
    },
    {
      key: "For each …",
      expected: forEachForms,
      several: true,
      read: ({ value }) => reader.unreadable(value, forEachForms),
    },
  ]);
  return written;
}

function readForEach(reader: VersioningReader, item: ItemNode): StoredForEach[] {
  const resource = forEachOf(item);
  if (!resource) return [];
  if (item.value.text.trim() === "") {
    const params = { key: `For each ${resource.text}`, expected: forEachForms };
    reader.context.reporter.report("versioning/empty-item", positionIn(item.key), params);
    return [];
  }
  if (isNotShown(item.value)) {
    reader.gap("version scheme", `how the records of ${resource.text} change`, item.position);
    return [];
  }
  const { value } = reader.context.reporter.silently(() => parseEffects(item.value, reader.context.reporter));
  const assigns = value.flatMap((value) => {
    const last = value.kind === "assign" ? value.path.at(-1)?.text : undefined;
    const isOwn = value.kind === "assign" && value.path.slice(0, -1).every(({ text }) => text === "this");
    return last !== undefined && isOwn ? [last] : [];
  });
  const gives = value.flatMap((value) =>
    value.kind === "create" || value.kind === "upsert"
      ? [{ resource: value.resource.text, fields: value.fields.map(({ name }) => name.text) }]
      : [],
  );
  const effects = { text: item.value.text, position: positionIn(item.value) };
  const position = item.position;
  return [{ resource: resource.text, effects, assigns: [...new Set(assigns)], gives, position }];
}

/** Whether the step has the resource after it, or removes it, and whether only one item sets each of its fields. */
function isOfStep(step: Step, forEach: StoredForEach, items: readonly ItemNode[]): boolean {
  const item = items.find((item) => item.position.start.offset === forEach.position.start.offset);
  const name = item && forEachOf(item);
  if (!item || !name) return false;
  if (step.removed.some((removal) => !removal.field && removal.resource === name.text)) return true;
  const owner = step.after.resources.get(name.text);
  if (!owner || owner.isValue) {
    if (owner)
      step.reader.context.reporter.report("states/value-for-record", positionIn(name), {
        resource: name.text,
      });
    else reportNoResource(step, name);
    return false;
  }
  return forEach.assigns.every((field) => isStatedOnce(step, "to", `${name.text}.${field} = …`, item.value));
}

/** Reports mistakes of the effects; the current store determines their result. */
function bindAll(
  reader: VersioningReader,
  change: StoredChange,
  section: Section,
  forms: { readonly before: StoredForm; readonly after: StoredForm },
): void {
  const { reporter, declarations } = reader.context;
  const times = { ...forms, step: change, functions: declarations.vocabulary };
  const items = new Map(itemsOf(section.body).map((item) => [item.position.start.offset, item]));
  for (const forEach of change.forEach) {
    const item = items.get(forEach.position.start.offset);
    if (item) bindPhrase(item.value, forEach, times, reporter);
  }
}

/** A rename of a version also renames the stored member. */
function isOfVersion(
  reader: VersioningReader,
  [from, to]: readonly [StoredName, StoredName],
  versions: readonly Version[],
): boolean {
  if (!to.member || !from.member || to.value) return false;
  for (const { name, changes } of versions)
    for (const change of changes)
      if (
        change.kind === "renamed" &&
        change.subject === to.resource.text &&
        change.from === from.member.text &&
        change.to === to.member.text
      )
        return reportTwice(reader, from, name, change.position);
  return false;
}

function isRemovedByVersion(
  reader: VersioningReader,
  name: StoredName,
  versions: readonly Version[],
): boolean {
  for (const version of versions)
    for (const change of version.changes)
      if (
        change.kind === "removed" &&
        change.stored &&
        change.subject === name.resource.text &&
        change.name === name.member?.text
      )
        return reportTwice(reader, name, version.name, change.position);
  return false;
}

function reportTwice(reader: VersioningReader, name: StoredName, version: string, position: Position): true {
  const related = [{ position, message: "The change is here." }];
  const params = { name: name.phrase.text, version };
  reader.context.reporter.report("versioning/stored-twice", positionIn(name.phrase), params, related);
  return true;
}
