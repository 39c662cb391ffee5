/**
 * `### Records of Currency`: a table of initial records, which exist in every store. Cells are read
 * like a client's values: plain text by the field's type; lists, maps and values as JSON.
 */
import { nonNull } from "../../../support/non-null.ts";
import type { FieldOptions, ResourceSpec } from "../../../fields/field-reader.ts";
import { compileFieldReader } from "../../../fields/read-field.ts";
import { hasRule } from "../../../fields/rule.ts";
import type { FieldType } from "../../../fields/type.ts";
import { partPaths } from "../../../fields/types/reference.ts";
import { type Phrase, positionIn, unquote } from "../../../source/phrase.ts";
import type { Json } from "../../../support/json.ts";
import type { RowNode, TableNode } from "../../../syntax/nodes.ts";
import { isEmpty, isNotShown, tablesOf } from "../../../syntax/read.ts";
import type { DeclaredField, DeclaredResource, Declarations } from "../declarations.ts";
import type { Gap, Resource } from "../../model.ts";
import { reportUnknownField } from "../unknown-field.ts";
import type { BuildContext } from "../any-part/context.ts";
import { knownResource } from "../any-part/known-resource.ts";
import type { ResourceSection } from "./resource-sections.ts";

type Records = Resource["records"];

/** The records of the tables by resource, and the first cell that is not shown. */
export interface RecordsOf {
  readonly records: ReadonlyMap<string, Records>;
  readonly open: ReadonlyMap<string, Gap>;
}
type StartRecord = Records[number];

type RefersTo = StartRecord["refersTo"][number];

export function buildRecordsOf(sections: readonly ResourceSection[], context: BuildContext): RecordsOf {
  const records = new Map<string, StartRecord[]>();
  const open = new Map<string, Gap>();
  for (const { name, section } of sections) {
    const resource = knownResource(name, context);
    if (!resource) continue;
    if (resource.isValue) {
      context.reporter.report("resources/value-for-record", positionIn(name), { resource: resource.name });
      continue;
    }
    const known = records.get(resource.name) ?? [];
    for (const table of tablesOf(section.body)) known.push(...readTable(table, resource, open, context));
    records.set(resource.name, known);
  }
  return { records, open };
}

interface Column {
  readonly field: DeclaredField;
  readonly reader: ReturnType<typeof compileFieldReader>;
}

function readTable(
  table: TableNode,
  resource: DeclaredResource,
  open: Map<string, Gap>,
  context: BuildContext,
): StartRecord[] {
  const columns = table.columns.map((heading) => readColumn(unquote(heading), resource, context));
  const listed = new Set(columns.flatMap((column) => column?.field.name ?? []));
  // A changed row updates the record with its identifier, so every row must state it.
  const missing = [...resource.fields.values()].filter(
    (field) => mustBeListed(field, resource) && !listed.has(field.name),
  );
  if (missing.length > 0) {
    const params = { resource: resource.name, missing: missing.map((field) => field.name) };
    context.reporter.report("resources/records-lack-field", positionIn(nonNull(table.columns[0])), params);
    return [];
  }
  return table.rows.flatMap((row) => readRecord(row, columns, resource, open, context) ?? []);
}

function mustBeListed(field: DeclaredField, resource: DeclaredResource): boolean {
  if (resource.identifier.includes(field.name)) return true;
  const filled =
    field.computed ||
    field.role === "state" ||
    hasRule(field.rules, "default") ||
    hasRule(field.rules, "on create");
  return hasRule(field.rules, "required") && !filled;
}

function readColumn(heading: Phrase, resource: DeclaredResource, context: BuildContext): Column | undefined {
  const field = resource.fields.get(heading.text);
  if (!field) {
    if (!resource.gap) reportUnknownField(heading, resource, context.reporter);
    return undefined;
  }
  const refused = field.computed
    ? "computed"
    : field.type.kind === "password" || field.type.kind === "credential"
      ? "secret"
      : undefined;
  if (refused) {
    context.reporter.report("resources/records-column", positionIn(heading), {
      field: field.name,
      why: refused,
    });
    return undefined;
  }
  return { field, reader: compileFieldReader(field, readingOptions(context)) };
}

function readingOptions({ declarations }: BuildContext): FieldOptions {
  return {
    timestamps: "milliseconds",
    unknownFields: "rejected",
    resource: (name) => specOf(declarations.resources.get(name)),
  };
}

function specOf(found: DeclaredResource | undefined): ResourceSpec | undefined {
  return (
    found && {
      name: found.name,
      identifier: found.isValue ? { kind: "none" } : { kind: "given", fields: found.identifier },
      fields: [...found.fields.values()],
    }
  );
}

function readRecord(
  row: RowNode,
  columns: readonly (Column | undefined)[],
  resource: DeclaredResource,
  open: Map<string, Gap>,
  context: BuildContext,
): StartRecord | undefined {
  const refersTo: RefersTo[] = [];
  const fields: Record<string, Json> = Object.create(null);
  let sound = true;
  for (const [index, column] of columns.entries()) {
    const cell = row.cells[index];
    if (!column || !cell) continue;
    if (isNotShown(cell)) {
      const subject = `${column.field.name} of a record of ${resource.name}`;
      const gap = context.ledger.gap("resources", "resources", subject, positionIn(cell));
      if (!open.has(resource.name)) open.set(resource.name, gap);
      sound = false;
    } else if (isEmpty(cell)) {
      if (!mustBeListed(column.field, resource)) continue;
      const params = { resource: resource.name, missing: [column.field.name] };
      context.reporter.report("resources/records-lack-field", row.position, params);
      sound = false;
    } else {
      const value = readCell(unquote(cell), column, refersTo, context);
      if (value === undefined) sound = false;
      else fields[column.field.name] = value;
    }
  }
  return sound ? { fields: { ...fields }, refersTo, position: row.position } : undefined;
}

function readCell(
  cell: Phrase,
  { field, reader }: Column,
  refersTo: RefersTo[],
  { reporter, declarations }: BuildContext,
): Json | undefined {
  const holdsJson = isStructured(field.type, declarations);
  const json = holdsJson ? parseJson(cell.text) : undefined;
  if (holdsJson && json === undefined) {
    reporter.report("resources/unreadable", positionIn(cell), {
      text: cell.text,
      expected: 'JSON, in backticks: `["a", "b"]`',
    });
    return undefined;
  }
  const read = json === undefined ? reader.text(unquotedText(cell.text)) : reader.json(json);
  if (read.problems) {
    for (const { problem } of read.problems) {
      reporter.report("resources/record-value", positionIn(cell), {
        field: field.name,
        text: cell.text,
        problem,
      });
    }
    return undefined;
  }
  for (const { resource, value } of read.references)
    refersTo.push({ resource, key: value as RefersTo["key"], position: positionIn(cell) });
  // Readers return objects without a prototype. The model is plain data.
  return structuredClone(read.value) as Json;
}

/** Whether a cell has the value as JSON, because the type isn't a single text. */
function isStructured(type: FieldType, declarations: Declarations): boolean {
  if (type.kind === "reference")
    return partPaths(type.resource, (name) => specOf(declarations.resources.get(name))).length > 0;
  return ["list", "map", "object", "value", "json"].includes(type.kind);
}

function parseJson(text: string): Json | undefined {
  try {
    return JSON.parse(text) as Json;
  } catch {
    return undefined;
  }
}

/** The text in quotes: `"007"` in a cell is the text 007. */
function unquotedText(text: string): string {
  const parsed = /^".*"$/s.test(text) ? parseJson(text) : undefined;
  return typeof parsed === "string" ? parsed : text;
}
