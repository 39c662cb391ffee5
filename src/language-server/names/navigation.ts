/** Definition, references and rename as responses of the protocol. */
import type { Location, Range, TextEdit, WorkspaceEdit } from "vscode-languageserver";
import { TextDocument } from "vscode-languageserver-textdocument";
import { type Analysis, rangeBetween, rangeOf } from "../analysis.ts";
import type { SeedText } from "../requests.ts";
import { type Occurrence, occurrencesInSeed, occurrencesOf } from "./references.ts";
import { rename, RenameRefused } from "./rename.ts";
import { resolveAt } from "./resolve.ts";

/** Where the name at the offset is defined. */
export function definitionAt(analysis: Analysis, offset: number): readonly Location[] {
  const definitions = resolveAt(analysis, offset)?.definitions ?? [];
  return definitions.flatMap(({ positions }) =>
    positions.map((position) => ({ uri: analysis.uri, range: rangeOf(analysis, position) })),
  );
}

/** All places that refer to the definition of the name at the offset. */
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
 * The edits of a rename, in the document and in its seed.
 *
 * @throws RenameRefused
 */
export function renameAt(
  analysis: Analysis,
  offset: number,
  name: string,
  seed: SeedText | undefined,
): WorkspaceEdit {
  const resolved = resolveAt(analysis, offset);
  const [definition, another] = resolved?.definitions ?? [];
  if (!resolved || !definition) throw new RenameRefused("There is no name to rename here.");
  if (another)
    throw new RenameRefused(
      `${definition.name} is ambiguous here: ${resolved.definitions.map(({ owner, name }) => `${owner ?? ""}.${name}`).join(", ")}. Rename it where it is defined.`,
    );
  // A record's name in expressions derives from the name of its resource.
  const isSmall = analysis.source.text.slice(resolved.start, resolved.end) === definition.variableName;
  const wanted =
    isSmall && definition.kind === "resource" ? name.charAt(0).toUpperCase() + name.slice(1) : name;
  const { occurrences, variableName } = rename(analysis, definition, wanted);
  const editsIn = (document: TextDocument, places: readonly Occurrence[]): TextEdit[] =>
    places.map(({ start, end, isSmall }) => ({
      range: rangeBetween(document, start, end),
      newText: isSmall ? variableName : wanted.trim(),
    }));
  const changes = { [analysis.uri]: editsIn(analysis.document, occurrences) };
  if (!seed || occurrences.length === 0) return { changes };
  const inSeed = occurrencesInSeed(analysis, definition, occurrencesOf(analysis, definition), {
    file: seed.uri,
    text: seed.text,
  });
  if (inSeed.length === 0) return { changes };
  const document = TextDocument.create(seed.uri, "markdown", 0, seed.text);
  return { changes: { ...changes, [seed.uri]: editsIn(document, inSeed) } };
}
