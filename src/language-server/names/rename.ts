/**
 * Rename of a definition and of all references to it. The renamed document is compiled before
 * anything is offered: it must have the same diagnostics, and a model that differs in this name
 * alone.
 */
import { literalPattern } from "../../support/literal-pattern.ts";
import { compile } from "../../compile.ts";
import type { Diagnostic } from "../../diagnostics/diagnostic.ts";
import type { Model } from "../../model/model.ts";
import type { Analysis } from "../analysis.ts";
import type { Definition } from "./definitions.ts";
import { occurrencesOf, type Occurrence, withName, variableOf } from "./references.ts";
import { wireOccurrences } from "./wire-names.ts";
import { RefusedError } from "../../support/ninefold-error.ts";

/** Why a rename is refused, as a message for the author. */
export class RenameRefused extends RefusedError {
  override name = "RenameRefused";
}

export interface Renaming {
  readonly occurrences: readonly Occurrence[];
  /** The new name of the record in expressions. */
  readonly variableName: string;
}

/** @throws RenameRefused */
export function rename(analysis: Analysis, definition: Definition, name: string): Renaming {
  const { source, compilation, file } = analysis;
  const wanted = name.trim();
  if (wanted === definition.name) return { occurrences: [], variableName: variableOf(wanted) };
  if (!/^[\w][\w .-]{0,63}$/.test(wanted))
    throw new RenameRefused(`"${name}" can't be a name: write a word of A-Z, a-z, 0-9 and _.`);
  const { model: before } = compilation;
  if (!before) throw new RenameRefused("The document can't be read, so its names aren't known.");
  const occurrences = occurrencesOf(analysis, definition);
  const text = withName(source.text, occurrences, wanted);
  const after = compile(text, { file });
  const more = firstNewDiagnostic(compilation.diagnostics, after.diagnostics);
  if (more) throw new RenameRefused(`${definition.name} can't be called ${wanted}: ${more.message}`);
  const names = new Map([
    [wanted, definition.name],
    [variableOf(wanted), variableOf(definition.name)],
  ]);
  if (!after.model || !isSameModel(before, after.model, names))
    throw new RenameRefused(
      `With ${wanted} for ${definition.name} the document would mean something else. Choose a name that it doesn't use, or change it by hand.`,
    );
  return {
    occurrences: [...occurrences, ...wireOccurrences(analysis, definition)],
    variableName: variableOf(wanted),
  };
}

/** Whether both models are equal after the names are replaced, by new name. */
export function isSameModel(
  before: Partial<Model>,
  after: Partial<Model>,
  names: ReadonlyMap<string, string>,
): boolean {
  return plain(before, names) === plain(after, names);
}

/** The first diagnostic of a kind that has become more frequent. */
export function firstNewDiagnostic(
  before: readonly Diagnostic[],
  after: readonly Diagnostic[],
): Diagnostic | undefined {
  const left = new Map<string, number>();
  for (const { code } of before) left.set(code, (left.get(code) ?? 0) + 1);
  return after.find(({ code }) => {
    const count = left.get(code) ?? 0;
    left.set(code, count - 1);
    return count === 0;
  });
}

/** A model as text, without positions and prose, with one name for both. */
function plain(model: Partial<Model>, names: ReadonlyMap<string, string>): string {
  const alternatives = [...names.keys()].map((name) => literalPattern(name)).join("|");
  const form = new RegExp(`(?<![\\w-])(?:${alternatives})(?![\\w-])`, "g");
  const json = JSON.stringify(model, (key, value: unknown) => {
    if (isLeftOut(key)) return undefined;
    if (typeof value === "string") return value.replace(form, (name) => names.get(name) ?? name);
    return value;
  });
  return json.replace(/"(\w+)":/g, (whole, key: string) => (names.has(key) ? `"${names.get(key)}":` : whole));
}

/**
 * Positions, texts and their hashes, and the term for a resource in errors, which derives from its
 * name.
 */
function isLeftOut(key: string): boolean {
  return /^(?:position|positions|text|prose|called|ledger|hash|\w+At|\w+Hash)$/.test(key);
}
