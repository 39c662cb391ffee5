/**
 * Effects of a version's changes on stored records: renames of stored fields, and what is stated as
 * `stored`.
 */
import type { Expression } from "../../../../expressions/node.ts";
import { phraseOf, type Phrase } from "../../../../source/phrase.ts";
import { digestOf } from "../../../../support/hashing/digest.ts";
import type {
  StoredChange,
  StoredForEach,
  StoredRemoval,
  StoredRename,
  Version,
  VersionChange,
} from "../../../model.ts";
import { bindPhrase } from "../../../stored/bind-for-each.ts";
import type { StoredForm } from "../../../stored/form.ts";
import { findPath, isStored, parsePath } from "../../../stored/path.ts";
import { formBefore } from "../../../stored/walk-back.ts";
import type { VersioningReader } from "../version-members.ts";
import type { StepHeading } from "./headings.ts";
import { normalizedText } from "./stored-items.ts";

export function versionStep(
  reader: VersioningReader,
  { version, section }: Extract<StepHeading, { kind: "version" }>,
  after: StoredForm,
): StoredChange | undefined {
  const renamed = renamesOf(version, after);
  const removed = removalsOf(reader, version, after);
  const forEach = conversionsOf(reader, version, after);
  const all = [...renamed, ...removed, ...forEach];
  if (all.length === 0) return undefined;
  const { position } = section;
  const change = { name: version.name, of: "version", renamed, forEach, removed, position } as const;
  const times = {
    before: formBefore(after, change),
    after,
    step: change,
    functions: reader.context.declarations.vocabulary,
  };
  for (const phrase of forEach) bindPhrase(phraseAt(reader, phrase), phrase, times, reader.context.reporter);
  return {
    ...change,
    hash: digestOf(wordsOf({ ...change, renamed: [] })),
    formerHash: digestOf(wordsOf(change)),
  };
}

/**
 * Renames of stored fields by a version. If nothing is stored under the old name, a version only renames what is sent
 * and returned.
 */
function renamesOf({ changes }: Version, after: StoredForm): readonly StoredRename[] {
  return changes.flatMap((change) => {
    if (change.kind !== "renamed") return [];
    const [from, to] = [parsePath(change.from), parsePath(change.to)];
    const found = to && findPath(after, change.subject, to);
    if (!from || !found || found.ofValue !== undefined || found.path.length !== from.length) return [];
    if (isStored(after, change.subject, from) || after.resources.get(change.subject)?.isValue) return [];
    return [
      { kind: "field" as const, resource: change.subject, from, to: found.path, position: change.position },
    ];
  });
}

function removalsOf(
  reader: VersioningReader,
  { changes }: Version,
  after: StoredForm,
): readonly StoredRemoval[] {
  return changes.flatMap((change) => {
    if (change.kind !== "removed" || !change.stored) return [];
    const { subject: resource, name, position } = change;
    const owner = after.resources.get(resource);
    const field = parsePath(name);
    if (!owner || owner.isValue || !field) return notStored(reader, change);
    if (isStored(after, resource, field)) {
      const params = { name: `${resource}.${name}`, by: "removed", value: false } as const;
      reader.context.reporter.report("versioning/stored-still-there", position, params);
      return [];
    }
    return [{ resource, field, position }];
  });
}

function conversionsOf(
  reader: VersioningReader,
  { changes }: Version,
  after: StoredForm,
): readonly StoredForEach[] {
  return changes.flatMap((change) => {
    if (change.kind !== "replaced" || !change.stored) return [];
    const { subject: resource, name, position } = change;
    const owner = after.resources.get(resource);
    if (!owner || owner.isValue || !owner.fields.has(name)) return notStored(reader, change);
    const effects = { text: change.new.text, position: change.new.position };
    return [{ resource, effects, assigns: [name], gives: [], replaces: name, position }];
  });
}

function notStored(
  { context }: VersioningReader,
  { subject, name, position }: Extract<VersionChange, { kind: "removed" | "replaced" }>,
): [] {
  const params = { name: `${subject}.${name}` };
  context.reporter.report("versioning/stored-not-stored", position, params);
  return [];
}

function phraseAt({ context }: VersioningReader, { effects }: StoredForEach): Phrase {
  const { start, end } = (effects as Pick<Expression, "position">).position;
  return phraseOf(context.document.source, start.offset, end.offset);
}

function wordsOf({
  renamed,
  forEach,
  removed,
}: Pick<StoredChange, "renamed" | "forEach" | "removed">): string {
  const lines = [
    ...renamed.map(({ position: _where, ...rename }) => JSON.stringify(rename)),
    ...removed.map(({ position: _where, ...removal }) => JSON.stringify(removal)),
    ...forEach.map(
      (forEach) => `${forEach.resource}.${forEach.replaces} = ${normalizedText(forEach.effects.text)}`,
    ),
  ];
  return lines.sort().join("\n");
}
