/** What the changes of a version do to stored records: renames of stored fields, and what is said to be `stored`. */
import type { Expression } from "../../../../expressions/node.ts";
import { phraseOf, type Phrase } from "../../../../source/phrase.ts";
import { digestOf } from "../../../../support/digest.ts";
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
import { withoutLayout } from "./stored-items.ts";

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
  for (const one of forEach) bindPhrase(phraseAt(reader, one), one, times, reader.context.reporter);
  return {
    ...change,
    hash: digestOf(wordsOf({ ...change, renamed: [] })),
    formerHash: digestOf(wordsOf(change)),
  };
}

/** Of what isn't stored, or not under these names, a version renames what is sent and shown alone. */
function renamesOf({ changes }: Version, after: StoredForm): readonly StoredRename[] {
  return changes.flatMap((one) => {
    if (one.kind !== "renamed") return [];
    const [from, to] = [parsePath(one.from), parsePath(one.to)];
    const found = to && findPath(after, one.subject, to);
    if (!from || !found || found.ofValue !== undefined || found.path.length !== from.length) return [];
    if (isStored(after, one.subject, from) || after.resources.get(one.subject)?.isValue) return [];
    return [{ kind: "field" as const, resource: one.subject, from, to: found.path, position: one.position }];
  });
}

function removalsOf(
  reader: VersioningReader,
  { changes }: Version,
  after: StoredForm,
): readonly StoredRemoval[] {
  return changes.flatMap((one) => {
    if (one.kind !== "removed" || !one.stored) return [];
    const { subject: resource, name, position } = one;
    const owner = after.resources.get(resource);
    const field = parsePath(name);
    if (!owner || owner.isValue || !field) return notStored(reader, one);
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
  return changes.flatMap((one) => {
    if (one.kind !== "replaced" || !one.stored) return [];
    const { subject: resource, name, position } = one;
    const owner = after.resources.get(resource);
    if (!owner || owner.isValue || !owner.fields.has(name)) return notStored(reader, one);
    const effects = { text: one.new.text, position: one.new.position };
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
    ...renamed.map(({ position: _where, ...one }) => JSON.stringify(one)),
    ...removed.map(({ position: _where, ...one }) => JSON.stringify(one)),
    ...forEach.map((one) => `${one.resource}.${one.replaces} = ${withoutLayout(one.effects.text)}`),
  ];
  return lines.sort().join("\n");
}
