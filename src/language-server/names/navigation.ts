/** Definition, references and rename, in the form of the protocol. */
import type { Location, Range, TextEdit, WorkspaceEdit } from "vscode-languageserver";
import { type Analysis, rangeBetween, rangeOf } from "../analysis.ts";
import { occurrencesOf } from "./references.ts";
import { rename, RenameRefused } from "./rename.ts";
import { resolveAt } from "./resolve.ts";

/** Where the name at the offset is defined. */
export function definitionAt(analysis: Analysis, offset: number): readonly Location[] {
  const definitions = resolveAt(analysis, offset)?.definitions ?? [];
  return definitions.flatMap(({ positions }) =>
    positions.map((position) => ({ uri: analysis.uri, range: rangeOf(analysis, position) })),
  );
}

/** All places that refer to what the name at the offset means. */
export function referencesAt(
  analysis: Analysis,
  offset: number,
  includesDefinition: boolean,
): readonly Location[] {
  const definitions = resolveAt(analysis, offset)?.definitions ?? [];
  const found = definitions.flatMap((definition) => occurrencesOf(analysis, definition));
  const byStart = new Map(found.map((occurrence) => [occurrence.start, occurrence]));
  return [...byStart.values()]
    .filter(({ isDefinition }) => includesDefinition || !isDefinition)
    .map(({ start, end }) => ({ uri: analysis.uri, range: rangeBetween(analysis.document, start, end) }));
}

/** The range of the name that would be renamed. */
export function renameRangeAt(analysis: Analysis, offset: number): Range | undefined {
  const resolved = resolveAt(analysis, offset);
  return resolved && rangeBetween(analysis.document, resolved.start, resolved.end);
}

/**
 * The edits of a rename.
 *
 * @throws RenameRefused
 */
export function renameAt(analysis: Analysis, offset: number, name: string): WorkspaceEdit {
  const resolved = resolveAt(analysis, offset);
  const [definition, another] = resolved?.definitions ?? [];
  if (!resolved || !definition) throw new RenameRefused("There is no name of this document here.");
  if (another)
    throw new RenameRefused(
      `${definition.name} may mean several here: ${resolved.definitions.map(({ owner, name }) => `${owner ?? ""}.${name}`).join(", ")}. Rename it where it is defined.`,
    );
  // A record's name in expressions follows the name of its resource.
  const isSmall = analysis.source.text.slice(resolved.start, resolved.end) === definition.smallName;
  const wanted =
    isSmall && definition.kind === "resource" ? name.charAt(0).toUpperCase() + name.slice(1) : name;
  const { occurrences, smallName } = rename(analysis, definition, wanted);
  const edits: TextEdit[] = occurrences.map((occurrence) => ({
    range: rangeBetween(analysis.document, occurrence.start, occurrence.end),
    newText: occurrence.isSmall ? smallName : wanted.trim(),
  }));
  return { changes: { [analysis.uri]: edits } };
}
