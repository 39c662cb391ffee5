/** Members of version changes, `Parcel.weight_grams`, checked against the names of the version. */
import { type Phrase, positionIn, slice, unquote } from "../../../source/phrase.ts";
import { nonNull } from "../../../support/non-null.ts";
import { reportUnknownField, reportUnknownShape } from "../any-part/part-names.ts";
import type { PartReader } from "../any-part/part-reader.ts";
import type { VersionNames } from "./version-names.ts";

export type VersioningReader = PartReader<"versioning">;

/** A member such as `Parcel.weight_grams`. */
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
  const match = /^(\w+)(?:\.\w+(?:\[\])*)+$/.exec(bare.text);
  if (!match) return reader.unreadable(bare, form);
  const subject = slice(bare, 0, (match[1] as string).length);
  if (!names.isSubject(subject.text)) {
    reportUnknownShape(reader, subject, names.subjects);
    return undefined;
  }
  return { subject, name: slice(bare, subject.text.length + 1) };
}

/** Whether the current version of the walk has the name. */
export function isThere(reader: VersioningReader, { subject, name }: Member, names: VersionNames): boolean {
  const pieces = piecesOf(name);
  const first = nonNull(pieces[0]);
  const known = names.namesOf(subject.text);
  if (!known.has(first.text)) {
    if (names.isOpen(subject.text)) return true;
    reportUnknownField(reader, first, subject.text, known);
    return false;
  }
  return pieces.slice(1).every((piece, at) => {
    const outer = pieces.slice(0, at + 1).map(({ text }) => text);
    if (names.typeOf(subject.text, [...outer, piece.text].join("."))) return true;
    reportUnknownPart(reader, piece, { subject: subject.text, outer: outer.join(".") }, names);
    return false;
  });
}

/** The names of a path: `lines[].sku` → `lines`, `sku`. */
function piecesOf(name: Phrase): readonly Phrase[] {
  return [...name.text.matchAll(/[^.[\]]+/g)].map((match) =>
    slice(name, match.index, match.index + match[0].length),
  );
}

function reportUnknownPart(
  reader: VersioningReader,
  part: Phrase,
  { subject, outer }: { readonly subject: string; readonly outer: string },
  names: VersionNames,
): void {
  let type = names.typeOf(subject, outer);
  while (type?.kind === "list" || type?.kind === "map") type = type.of;
  if (type?.kind === "value") {
    const params = { value: type.resource, part: part.text };
    reader.context.reporter.report("versioning/stored-of-value", positionIn(part), params);
    return;
  }
  const parts = type?.kind === "object" ? Object.keys(type.fields) : [];
  reportUnknownField(
    reader,
    part,
    `${subject}.${outer}`,
    parts.map((key) => key.replace(/\?$/, "")),
  );
}

/** Whether only the previous version has the name. */
export function isRemoved(
  reader: VersioningReader,
  { subject, name }: Member,
  names: VersionNames,
  by: "renamed" | "removed",
): boolean {
  if (!names.isVisible(subject.text, name.text)) return true;
  const params = { name: `${subject.text}.${name.text}`, by };
  reader.context.reporter.report("versioning/still-there", positionIn(name), params);
  return false;
}
