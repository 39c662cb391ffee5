/**
 * A new description as a new version in part 9: what the models of both versions show to differ is
 * stated, and the rest is one gap of the version.
 */
import { isHidden, ruleOf } from "../../fields/rule.ts";
import type { Model, Resource } from "../../model/model.ts";
import { cellsOf, type Piece, textOfUnits, type Unit, unitsOf } from "./document-units.ts";

/** The name of the version that a document describes. Undefined if neither part 9 nor the import has one. */
export function describedVersion(model: Model, imported: string): string | undefined {
  const current = model.versioning.versions.find(({ status }) => status === "current");
  return current?.name ?? /^Imported from .*? \(version ([\w.-]+)\)\.$/m.exec(imported)?.[1];
}

/** Whether a text can be the name of a version. */
export function isVersionName(text: string): boolean {
  return /^[\w.-]+$/.test(text);
}

/** Whether a unit may be needed to answer older versions: an endpoint, or what one is about. */
export function isOfOlderVersions(unit: string): boolean {
  return /^(?:Endpoints|Resources and their fields|States and transitions) \/ /.test(unit);
}

/**
 * The items of `### Changes in <version>` that the models show. An old value that only the service
 * knows is `not shown`.
 * @param before the document of the previous version
 * @param after the same document of the new one
 * @param kept the endpoints that only older versions have
 */
export function statedChanges(before: Model, after: Model, kept: ReadonlySet<string>): readonly string[] {
  const [old, now] = [endpointsOf(before), endpointsOf(after)];
  return [
    ...after.resources.flatMap((resource) => {
      const was = before.resources.find(({ name }) => name === resource.name);
      return was ? fieldChanges(was, resource) : [];
    }),
    ...[...now].flatMap(([form, name]) => (old.has(form) ? [] : `- Endpoint added: ${name}`)),
    ...[...old].flatMap(([form, name]) =>
      kept.has(name) || !now.has(form) ? `- Endpoint removed: ${name}` : [],
    ),
  ];
}

/** The names of endpoints by their methods and paths without the names of parameters. */
function endpointsOf({ endpoints }: Model): ReadonlyMap<string, string> {
  return new Map(
    endpoints.map(({ method, path }) => {
      const name = `${method} ${path.text || "/"}`;
      return [name.replaceAll(/\{[^{}]*\}/g, "{}"), name];
    }),
  );
}

function fieldChanges(before: Resource, after: Resource): readonly string[] {
  const [old, now] = [fieldsOf(before), fieldsOf(after)];
  return [
    ...[...now.keys()].flatMap((field) => (old.has(field) ? [] : `- Added: ${after.name}.${field}`)),
    ...[...old.keys()].flatMap((field) =>
      now.has(field) ? [] : `- Removed: ${after.name}.${field}, was not shown`,
    ),
    ...[...now].flatMap(([field, value]) => {
      const was = old.get(field);
      const isOther = was !== undefined && value !== undefined && was !== value;
      return isOther ? `- Default: ${after.name}.${field}, was \`${was}\`` : [];
    }),
  ];
}

/** The default values by the names of the fields that responses have. */
function fieldsOf({ fields }: Resource): ReadonlyMap<string, string | undefined> {
  return new Map(
    fields
      .filter(({ rules }) => !isHidden(rules))
      .map(({ name, rules }) => [name, ruleOf(rules, "default")?.value.text]),
  );
}

/** The document with a further version as the current one, and its changes. */
export function withVersion(
  text: string,
  name: string,
  { previous, changes }: { readonly previous: string; readonly changes: readonly string[] },
): string {
  const heading = `### Changes in ${name}`;
  const pieces: readonly Piece[] = changes.map((line) => ({ key: line, kind: "item", lines: [line] }));
  return textOfUnits(
    unitsOf(withFirstVersion(text, previous)).flatMap((unit) =>
      unit.key === "Versioning"
        ? [withRow(unit, name), { key: `${unit.key} / ${heading}`, heading, pieces }]
        : [unit],
    ),
  );
}

/** The document with a table of its version, if its part 9 has none. */
export function withFirstVersion(text: string, name: string): string {
  return textOfUnits(
    unitsOf(text).map((unit) =>
      unit.key === "Versioning" && !unit.pieces.some(isVersionRow)
        ? { ...unit, pieces: [...unit.pieces, rowOf(["| Version | Status |", "|---|---|"], name)] }
        : unit,
    ),
  );
}

function isVersionRow({ kind, head }: Piece): boolean {
  return kind === "row" && head !== undefined && /^\| *version *\|/i.test(head[0]);
}

function rowOf(head: NonNullable<Piece["head"]>, name: string): Piece {
  const cells = cellsOf(head[0]).map((column) => {
    if (/^version$/i.test(column)) return name;
    return /^status$/i.test(column) ? "current" : "";
  });
  return { key: `row ${name}`, kind: "row", lines: [`| ${cells.join(" | ")} |`], head };
}

/** The unit with a row for the version before those that it replaces, or after them if they begin with the oldest. */
function withRow(unit: Unit, name: string): Unit {
  const isCurrent = (line: string) => cellsOf(line).includes("current");
  const rows = unit.pieces.filter(isVersionRow);
  const [first] = rows;
  if (!first?.head) return unit;
  const isOldestFirst = rows.length > 1 && isCurrent(rows.at(-1)?.lines[0] ?? "");
  const at = unit.pieces.indexOf(first) + (isOldestFirst ? rows.length : 0);
  const pieces = unit.pieces.map((piece) =>
    rows.includes(piece)
      ? { ...piece, lines: piece.lines.map((line) => line.replace(/\| *current *\|/, "| supported |")) }
      : piece,
  );
  return { ...unit, pieces: pieces.toSpliced(at, 0, rowOf(first.head, name)) };
}
