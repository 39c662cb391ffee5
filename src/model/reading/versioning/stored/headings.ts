/**
 * Headings of part 9's steps: `### Stored change: NAME`, and the changes of versions, in the order
 * of their execution.
 */
import { type Phrase, positionIn, trim, unquote, slice } from "../../../../source/phrase.ts";
import type { Section } from "../../../../syntax/nodes.ts";
import type { Version } from "../../../model.ts";
import { newestFirst } from "../../../versions/version-order.ts";
import type { VersioningReader } from "../version-members.ts";
import { storedHeading } from "./stored-items.ts";

export type StepHeading =
  | { readonly kind: "stored change"; readonly name: Phrase; readonly section: Section }
  | { readonly kind: "version"; readonly version: Version; readonly section: Section };

const nameForm = "`### Stored change: full-name`, a name of letters, digits, blanks, `.`, `-` and `_`";

/** Whether the text is a name that a step may have. */
export function isStepName(text: string): boolean {
  return /^[\p{L}\p{N}][\p{L}\p{N} ._-]{0,79}$/u.test(text) && !/ $/.test(text);
}

/** The document's order, with the headings of versions sorted from the oldest version on. */
export function headingsInOrder(
  reader: VersioningReader,
  sections: readonly Section[],
  versions: readonly Version[],
): readonly StepHeading[] {
  const byName = new Map(versions.map((version) => [version.name, version]));
  const placed = new Set<string>();
  const found: StepHeading[] = [];
  for (const section of sections) {
    const version = byName.get(versionOf(section.heading) ?? "");
    const name = storedHeading(section.heading);
    if (name) readName(reader, name, section, found);
    else if (version && !placed.has(version.name)) {
      placed.add(version.name);
      found.push({ kind: "version", version, section });
    }
  }
  const inTime = newestFirst(versions).filter(({ name }) => placed.has(name));
  return found.map((heading) =>
    heading.kind === "version" ? { ...heading, version: inTime.pop() as Version } : heading,
  );
}

function versionOf(heading: Phrase): string | undefined {
  const match = /^changes\s+in\s+/i.exec(trim(heading).text);
  return match ? unquote(slice(trim(heading), match[0].length)).text : undefined;
}

function readName(reader: VersioningReader, name: Phrase, section: Section, found: StepHeading[]): void {
  if (!isStepName(name.text)) {
    reader.unreadable(name.text === "" ? section.heading : name, nameForm);
    return;
  }
  const lower = name.text.toLowerCase();
  const { versions } = reader.context.declarations;
  const first = found.find(
    (heading) => heading.kind === "stored change" && heading.name.text.toLowerCase() === lower,
  );
  const before = first?.kind === "stored change" ? positionIn(first.name) : versions.get(name.text);
  if (before) {
    const related = [{ position: before, message: "First defined here." }];
    const params = { name: name.text };
    reader.context.reporter.report("versioning/stored-repeated", positionIn(name), params, related);
  } else found.push({ kind: "stored change", name, section });
}
