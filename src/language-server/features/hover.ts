/**
 * Hover: the reference's text on the word at the cursor, the definition of a name, and the page of
 * a diagnostic there.
 */
import type { Hover } from "vscode-languageserver";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import { functionNamed } from "../../expressions/functions/index.ts";
import { explanationOf } from "../../manual/explanation.ts";
import { ownPage } from "../../manual/own-pages.ts";
import { type Found, placesOf, tableRows, withoutLinks } from "../../manual/reference.ts";
import { partNames } from "../../syntax/nodes.ts";
import { type Analysis, rangeBetween } from "../analysis.ts";
import { describeDefinition } from "../names/definitions.ts";
import { resolveAt } from "../names/resolve.ts";
import { expressionAt, type Place, placeAt } from "../place.ts";

export function hoverAt(analysis: Analysis, offset: number): Hover | undefined {
  const { text } = analysis.source;
  const place = placeAt(text, offset);
  const named = resolveAt(analysis, offset);
  const word = named ?? wordAt(text, offset, place);
  const { model, diagnostics } = analysis.compilation;
  const about =
    named && model
      ? named.definitions.map((definition) => describeDefinition(model, analysis.source, definition))
      : word
        ? referenceTexts(
            text.slice(word.start, word.end),
            place,
            expressionAt(text, place, offset) !== undefined,
          )
        : [];
  const pages = diagnosticsAt(diagnostics, offset).map(pageOf);
  const value = [...about, ...pages].join("\n\n---\n\n");
  if (value === "" || !word) return undefined;
  return {
    contents: { kind: "markdown", value },
    range: rangeBetween(analysis.document, word.start, word.end),
  };
}

interface Word {
  readonly start: number;
  readonly end: number;
}

/** The word around the offset: the whole key of an item, else a run of word characters. */
function wordAt(text: string, offset: number, place: Place): Word | undefined {
  if (place.form === "key") return { start: place.start, end: place.end };
  let [start, end] = [offset, offset];
  while (start > 0 && /\w/.test(text.charAt(start - 1))) start -= 1;
  while (/\w/.test(text.charAt(end))) end += 1;
  return start === end ? undefined : { start, end };
}

/** Maximum number of pieces of the reference in one hover. */
const piecesMax = 3;

function referenceTexts(word: string, place: Place, isExpression: boolean): readonly string[] {
  if (isExpression) {
    const definition = functionNamed(word);
    if (definition && !definition.internal)
      return [`\`${word}\`: ${definition.sentence}\n\n\`\`\`cel\n${definition.example}\n\`\`\``];
    return nameTexts(word);
  }
  if (place.form === "prose" || place.form === "fence") return [];
  const found = placesOf(word, ownPage("docs/notation.md"));
  const part = place.part === undefined ? "" : `Part ${partNames.indexOf(place.part) + 1}:`;
  const ofPart = found.filter(({ headings }) => headings.some((heading) => heading.startsWith(part)));
  return (ofPart.length > 0 ? ofPart : found).slice(0, piecesMax).map(textOf);
}

/** The reference's text on a name that the engine sets, or on an operator of collections. */
function nameTexts(word: string): readonly string[] {
  const rows = tableRows(ownPage("docs/notation.md")).filter(([first = ""]) =>
    [...first.matchAll(/`\.?(\w+)/g)].some(([, name]) => name === word),
  );
  return rows.slice(0, 1).map(([first = "", ...rest]) => `${first}: ${withoutLinks(rest.join(" · "))}`);
}

function textOf({ cells }: Found): string {
  const [first = "", ...rest] = cells.filter((cell) => cell !== "");
  return withoutLinks(rest.length === 0 ? first : `${first}\n\n${rest.join("\n\n")}`);
}

function diagnosticsAt(diagnostics: readonly Diagnostic[], offset: number): readonly Diagnostic[] {
  return diagnostics
    .filter(
      ({ kind, position: { start, end } }) =>
        kind === "mistake" && start.offset <= offset && offset <= end.offset,
    )
    .slice(0, piecesMax);
}

/**
 * The page of a diagnostic: its subject and what to write, without its examples, which are long.
 */
function pageOf({ code }: Diagnostic): string {
  const page = explanationOf(code) ?? "";
  const [title = "", about = ""] = page.split(/\n{2,}/);
  const write = /\nWhat to write:\n+([\s\S]*)$/.exec(page)?.[1]?.trim() ?? "";
  return [`**${title.replace(/^#+\s*/, "")}**`, about, write, `\`ninefold explain ${code}\``]
    .filter((piece) => piece !== "")
    .join("\n\n");
}
