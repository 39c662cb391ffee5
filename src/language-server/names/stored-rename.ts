/**
 * Rename of a stored name: a resource, a field, a state or a value of an enumeration. The document,
 * its scenarios and its seeds get the new name, and part 9 gets the item that renames it in stores.
 */
import { compile } from "../../compile.ts";
import type { Field, Model, Resource } from "../../model/model.ts";
import { type Analysis, analyseSpecification } from "../analysis.ts";
import type { Definition } from "./definitions.ts";
import { type Occurrence, occurrencesInSeed, occurrencesOf, withName, variableOf } from "./references.ts";
import { firstNewDiagnostic, isSameModel, RenameRefused } from "./rename.ts";
import { wireOccurrences } from "./wire-names.ts";

export interface RenamedText {
  readonly file: string;
  readonly text: string;
  /** The number of places that were renamed. */
  readonly places: number;
}

export interface StoredRenaming {
  readonly document: RenamedText;
  readonly seeds: readonly RenamedText[];
  /** The heading of part 9 that has the new item, and the item. */
  readonly heading: string;
  readonly item: string;
}

export interface StoredRenameOptions {
  /**
   * The version whose clients are the first to see the new name (`### Changes in VERSION`).
   * Required if the document has versions.
   */
  readonly version?: string;
  readonly seeds: readonly { readonly file: string; readonly text: string }[];
}

/**
 * @param item the value of `Renamed:` in part 9: `User.name to User.full_name`, `Ticket.priority
 * "normal" to "medium"`
 * @throws RenameRefused
 */
export function renameStored(
  file: string,
  text: string,
  item: string,
  { version, seeds }: StoredRenameOptions,
): StoredRenaming {
  const analysis = analyseSpecification({ uri: file, version: 0, text });
  const { model, diagnostics } = analysis.compilation;
  const mistake = diagnostics.find(({ severity }) => severity === "error");
  if (!model) throw new RenameRefused("The document can't be read, so its names aren't known.");
  if (mistake) throw new RenameRefused(`Correct the document's mistakes first: ${mistake.message}`);
  const { definition, to, written } = wantedOf(item, model);
  const history = historyOf(text);
  const isToday = ({ start }: Occurrence): boolean =>
    !history.some(([from, end]) => from <= start && start < end);
  const occurrences = occurrencesOf(analysis, definition).filter(isToday);
  const all = [...occurrences, ...wireOccurrences(analysis, definition)];
  const heading = headingFor(model, definition, to, version);
  const line = `- Renamed: ${written}`;
  const renamed = withItem(withName(text, all, to), heading, line);
  refuseOthers(model, analysis, renamed, { definition, to });
  return {
    document: { file, text: renamed, places: all.length },
    seeds: seeds.map((seed) => {
      const own = occurrencesInSeed(analysis, definition, occurrences, seed);
      return { file: seed.file, text: withName(seed.text, own, to), places: own.length };
    }),
    heading,
    item: line,
  };
}

interface Wanted {
  readonly definition: Definition;
  /** The new name alone. */
  readonly to: string;
  /** The item in full. */
  readonly written: string;
}

const form = /^(\w+)(?:\.(\w+))?(?:\s+"([^"]+)")?\s+to\s+(?:"([^"]+)"|(?:(\w+)\.)?(\w+))$/;

/** @throws RenameRefused */
function wantedOf(item: string, model: Model): Wanted {
  const [, name = "", fieldName, value, toValue, toOwner, toName] = form.exec(item.trim()) ?? [];
  const resource = model.resources.find((resource) => resource.name === name);
  const to = value === undefined ? toName : toValue;
  if (name === "" || to === undefined || (value !== undefined && fieldName === undefined))
    throw new RenameRefused(
      `Write the rename as after \`Renamed:\` in part 9: "User.name to User.full_name", "Draft to Sketch" or 'Ticket.priority "normal" to "medium"'.`,
    );
  if (!resource) {
    const owner = model.resources.find(({ fields }) => fields.some((field) => field.name === name))?.name;
    throw new RenameRefused(
      owner === undefined
        ? `The document has no resource ${name}.`
        : `${name} is a field. Write its resource, too: "${owner}.${item.trim()}".`,
    );
  }
  if (fieldName === undefined) {
    const { position, variableName } = resource;
    return {
      definition: { kind: "resource", name, variableName, positions: [position] },
      to,
      written: `${name} to ${to}`,
    };
  }
  const field = resource.fields.find((field) => field.name === fieldName);
  if (!field) throw new RenameRefused(`${name} has no field ${fieldName}.`);
  const path = `${name}.${fieldName}`;
  if (value !== undefined)
    return {
      definition: valueDefinition(value, field, resource),
      to,
      written: `${path} ${JSON.stringify(value)} to ${JSON.stringify(to)}`,
    };
  if (toOwner !== undefined && toOwner !== name)
    throw new RenameRefused(`A field stays with its resource: ${path} can't become ${toOwner}.${to}.`);
  const positions = [field.position];
  return {
    definition: { kind: "field", owner: name, name: fieldName, positions },
    to,
    written: `${path} to ${name}.${to}`,
  };
}

/** @throws RenameRefused */
function valueDefinition(name: string, field: Field, { name: owner, states }: Resource): Definition {
  const state = field.role === "state" ? states?.states.find((state) => state.name === name) : undefined;
  if (state) return { kind: "state", owner, name, positions: [state.position] };
  if (field.type.kind !== "enum" || !field.type.values.includes(name))
    throw new RenameRefused(`${owner}.${field.name} has no value ${JSON.stringify(name)}.`);
  return { kind: "value", owner, field: field.name, name, positions: [field.position] };
}

/** The text of part 9 about earlier forms, as offsets, whose names are old ones. */
function historyOf(text: string): readonly (readonly [number, number])[] {
  const headings = [...text.matchAll(/^#{1,3}[ \t].*$/gm)];
  return headings.flatMap((heading, at) =>
    /^###\s+(?:Stored change\s*:|Changes in\s)/i.test(heading[0])
      ? [[heading.index, headings[at + 1]?.index ?? text.length] as const]
      : [],
  );
}

/** @throws RenameRefused */
function headingFor(
  { versioning }: Model,
  { kind, name }: Definition,
  to: string,
  version: string | undefined,
): string {
  const { versions, storedChanges, storedFrom } = versioning;
  if (version !== undefined) {
    if (kind !== "field") throw new RenameRefused("A version renames fields only: remove --in.");
    if (!versions.some((row) => row.name === version))
      throw new RenameRefused(`The document has no version ${version}.`);
    return `### Changes in ${version}`;
  }
  const current = versions.find(({ status }) => status === "current") ?? versions[0];
  if (kind === "field" && current)
    throw new RenameRefused(
      `${name} is renamed for clients, too. Name the version that has the new name first: --in ${current.name}`,
    );
  const usedNames = new Set([...storedChanges.map((storedChange) => storedChange.name), storedFrom?.text]);
  const wanted = to.toLowerCase().replaceAll(/[^a-z0-9]+/g, "-");
  let free = wanted;
  for (let number = 2; usedNames.has(free); number += 1) free = `${wanted}-${number}`;
  return `### Stored change: ${free}`;
}

/**
 * The text with the item under its heading, which is added at the end of part 9 if it is missing.
 */
function withItem(text: string, heading: string, item: string): string {
  const headings = [...text.matchAll(/^#{1,3}[ \t].*$/gm)];
  const endOf = (at: number, depth: number): number =>
    headings.slice(at + 1).find(([line]) => (/^#+/.exec(line)?.[0].length ?? 0) <= depth)?.index ??
    text.length;
  const own = headings.findIndex(([line]) => line.trim().replaceAll(/\s+/g, " ") === heading);
  const part = headings.findIndex(([line]) => /^##\s+Versioning\b/i.test(line));
  const end = own === -1 ? endOf(part, 2) : endOf(own, 3);
  const before = text.slice(0, end).trimEnd();
  const added = own === -1 ? `\n\n${heading}\n\n${item}\n` : `\n${item}\n`;
  const after = text.slice(end);
  return `${before}${added}${after === "" ? "" : `\n${after}`}`;
}

/** Verifies that everything but part 9 has the same meaning. @throws RenameRefused */
function refuseOthers(
  before: Model,
  { compilation: { diagnostics }, file }: Analysis,
  text: string,
  { definition, to }: Pick<Wanted, "definition" | "to">,
): void {
  const after = compile(text, { file });
  const more = firstNewDiagnostic(diagnostics, after.diagnostics);
  const { name } = definition;
  if (more)
    throw new RenameRefused(`${name} can't become ${to} (line ${more.position.start.line}): ${more.message}`);
  const names = new Map([
    [to, name],
    [variableOf(to), variableOf(name)],
  ]);
  const { versioning: _before, ...was } = before;
  const { versioning: _after, ...is } = after.model ?? {};
  if (!isSameModel(was, is, names))
    throw new RenameRefused(
      `With ${to} for ${name} the document would mean something else. Choose a name that it doesn't use, or change it by hand.`,
    );
}
