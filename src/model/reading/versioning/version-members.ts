/** What a change of a version is about, `Parcel.weight_grams`, held against the names that the version has. */
import { type Phrase, positionIn, slice, unquote } from "../../../source/phrase.ts";
import { reportUnknownField, reportUnknownShape } from "../any-part/part-names.ts";
import type { PartReader } from "../any-part/part-reader.ts";
import type { VersionNames } from "./version-names.ts";

export type VersioningReader = PartReader<"versioning">;

/** `Parcel.weight_grams`, its two halves. */
export interface Member {
  readonly subject: Phrase;
  readonly name: Phrase;
}

/** Reads `Subject.name`, where the subject is a resource or shape of the document. */
export function readMember(
  reader: VersioningReader,
  phrase: Phrase,
  names: VersionNames,
  form: string,
): Member | undefined {
  const bare = unquote(phrase);
  const match = /^(\w+)\.([\w.[\]]+)$/.exec(bare.text);
  if (!match) return reader.unreadable(bare, form);
  const subject = slice(bare, 0, (match[1] as string).length);
  if (!names.isSubject(subject.text)) {
    reportUnknownShape(reader, subject, names.subjects);
    return undefined;
  }
  return { subject, name: slice(bare, subject.text.length + 1) };
}

/** A name that the version at hand has. Of a dotted one the first part is looked at. */
export function isThere(reader: VersioningReader, { subject, name }: Member, names: VersionNames): boolean {
  const first = slice(name, 0, (name.text.split(/[.[]/)[0] as string).length);
  const known = names.namesOf(subject.text);
  if (known.has(first.text) || known.has(name.text) || names.isOpen(subject.text)) return true;
  reportUnknownField(reader, first, subject.text, known);
  return false;
}

/** A name that only the version before has: the version at hand doesn't show it too. */
export function isGone(
  reader: VersioningReader,
  { subject, name }: Member,
  names: VersionNames,
  by: "renamed" | "removed",
): boolean {
  if (!names.shownBy(subject.text).has(name.text)) return true;
  const params = { name: `${subject.text}.${name.text}`, by };
  reader.context.reporter.report("versioning/still-there", positionIn(name), params);
  return false;
}
