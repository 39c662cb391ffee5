/**
 * Field table of a resource: rows become drafts with types and rules. Rows for parts
 * (`address.city`, `lines[].sku`) are added to their field. Expressions stay phrases.
 */
import type { FieldType } from "../../../fields/type.ts";
import { type Phrase, positionIn, unquote } from "../../../source/phrase.ts";
import type { RowNode, TableNode } from "../../../syntax/nodes.ts";
import { cellOf, isEmpty, isNotShown } from "../../../syntax/read.ts";
import type { Gap } from "../../model.ts";
import { addPart } from "./field-parts.ts";
import { parseRules, type RuleSyntax } from "./field-rules.ts";
import { parseFieldType } from "./field-type.ts";
import { isSoundName } from "../any-part/valid-name.ts";
import { fittingRules, writtenRule } from "./rules-fit.ts";
import { formedTexts } from "../../../expressions/type.ts";
import type { FieldDraft, FieldTableContext } from "./field-draft.ts";

export function readFieldTable(
  table: TableNode,
  into: Map<string, FieldDraft>,
  context: FieldTableContext,
): void {
  for (const row of table.rows) readRow(table, row, into, context);
}

function readRow(
  table: TableNode,
  row: RowNode,
  into: Map<string, FieldDraft>,
  context: FieldTableContext,
): void {
  const cell = cellOf(table, row, "Field");
  const name = cell && unquote(cell);
  if (!name || isEmpty(name)) {
    context.reporter.report("resources/field-without-name", row.position, {});
    return;
  }
  if (isNotShown(cell as Phrase)) {
    context.gap(`a field of ${context.resource}`, positionIn(name));
    return;
  }
  context.stated(positionIn(name));
  if (/[.[]/.test(name.text)) {
    addPart(name, { type: cellOf(table, row, "Type"), rules: cellOf(table, row, "Rules") }, into, context);
    return;
  }
  if (!isSoundName(name, "field", context.reporter) || isDuplicate(name, context)) return;
  context.folded.set(name.text.toLowerCase(), name);
  into.set(name.text, fieldOf(name, table, row, context));
}

function isDuplicate(name: Phrase, { folded, reporter, resource }: FieldTableContext): boolean {
  const first = folded.get(name.text.toLowerCase());
  if (!first) return false;
  const related = [{ position: positionIn(first), message: "First defined here." }];
  reporter.report(
    "resources/duplicate-field",
    positionIn(name),
    { name: name.text, first: first.text, resource },
    related,
  );
  return true;
}

function fieldOf(name: Phrase, table: TableNode, row: RowNode, context: FieldTableContext): FieldDraft {
  const subject = `${context.resource}.${name.text}`;
  const role = roleOf(name.text, context);
  const { type, gap } = typeOf(name, cellOf(table, row, "Type"), subject, role, context);
  const read = parseRules(cellOf(table, row, "Rules"), subject, context);
  const meaning = cellOf(table, row, "Meaning");
  if (meaning && isNotShown(meaning)) context.gap(`the meaning of ${subject}`, positionIn(meaning));
  return {
    name: name.text,
    position: positionIn(name),
    type,
    rules: fittingRules(
      role === "identifier" ? rulesOfIdentifier(read.rules, context) : read.rules,
      type,
      context.owner,
      context.reporter,
    ),
    role,
    meaning: meaning && !isNotShown(meaning) ? meaning.text.trim() : "",
    ...(gap ? { gap } : read.gap ? { gap: read.gap } : {}),
    ...(read.open ? { open: read.open } : {}),
    parts: [],
  };
}

/** The rules of an identifying field. Those that would change it are reported and removed. */
function rulesOfIdentifier(
  rules: readonly RuleSyntax[],
  { reporter }: FieldTableContext,
): readonly RuleSyntax[] {
  return rules.filter((rule) => {
    const fitting = fittingIdentifier(rule.rule);
    if (fitting === undefined) return true;
    const subject = "a field that identifies, which never changes";
    reporter.report("resources/rule-misfit", positionIn(rule.phrase), {
      rule: writtenRule(rule),
      subject,
      fitting,
    });
    return false;
  });
}

/** What fits an identifying field in place of a rule that would change it. */
function fittingIdentifier(rule: RuleSyntax["rule"]): readonly string[] | undefined {
  if (rule.rule === "on update") return ["on create"];
  return rule.rule === "on delete" && rule.then === "clear"
    ? ["on delete cascade", "on delete restrict"]
    : undefined;
}

function roleOf(name: string, context: FieldTableContext): FieldDraft["role"] {
  if (name === context.stateField) return "state";
  return context.identifier.includes(name) ? "identifier" : "plain";
}

function typeOf(
  name: Phrase,
  cell: Phrase | undefined,
  subject: string,
  role: FieldDraft["role"],
  context: FieldTableContext,
): { readonly type: FieldType; readonly gap?: Gap } {
  if (cell && unquote(cell).text === "state") return context.stateType(unquote(cell), name.text);
  if (role === "state") {
    // The state field may omit its type; any other type is a contradiction.
    const type: FieldType = { kind: "state", states: context.states ?? [] };
    if (cell && !isEmpty(cell))
      context.reporter.report("resources/state-field-type", positionIn(cell), {
        field: name.text,
        type: cell.text,
      });
    return { type };
  }
  const made = context.made?.field === name.text ? context.made.type : undefined;
  if (role === "identifier" && isEmpty(cell) && made) return { type: made };
  const read = parseFieldType(cell, subject, positionIn(name), context);
  if (role === "identifier" && cell)
    return { ...read, type: identifyingType(read.type, made, cell, context) };
  return read;
}

const identifying: ReadonlySet<FieldType["kind"]> = new Set<FieldType["kind"]>([
  "string",
  "integer",
  ...formedTexts,
  "date",
  "timestamp",
  "enum",
  "reference",
  "not shown",
]);

/** The type of an identifier: a single short text or number, of the type that its expression returns. */
function identifyingType(
  type: FieldType,
  made: FieldType | undefined,
  cell: Phrase,
  context: FieldTableContext,
): FieldType {
  const fits =
    !made ||
    type.kind === made.kind ||
    type.kind === "not shown" ||
    (made.kind !== "integer" && type.kind === "string");
  if (identifying.has(type.kind) && fits) return type;
  const params = { type: cell.text, made: made && identifying.has(type.kind) ? made.kind : undefined };
  context.reporter.report("resources/identifier-type", positionIn(cell), params);
  return made ?? { kind: "not shown" };
}
