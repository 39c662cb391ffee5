/**
 * Suggests lines of part 9 for records that no longer fit the document. They are printed for the
 * author to paste, and never applied. A removed and an added field of the same kind suggest a
 * rename; a type change suggests a conversion if one function does it; all else suggests a
 * removal. Where only the author can know a value, the line has `VALUE`, which `check` rejects.
 */
import { addedColumns, type Migration, type Question } from "../../../migrate.ts";
import type { Tables } from "../../../tables.ts";
import { convertedLine } from "./conversion.ts";
import { lineForParts } from "./parts.ts";
import { columnOf, type TablesBeforeAndAfter, tableOf, unknownValue } from "./tables-before-and-after.ts";
import { lineForComputed, lineForForm } from "./rules.ts";
import { linesForRepeats } from "./unique.ts";
import type { Column } from "../../../table.ts";

/** A question whose answer prevents the migration. */
export interface FailedQuestion {
  readonly question: Question;
  /** Texts of stored values that are no longer allowed. */
  readonly values: readonly string[];
}

type QuestionOf<A extends Question["kind"]> = Extract<Question, { readonly kind: A }>;

/** A heading with its items; empty if no line would help. */
export function linesToPaste(
  migration: Migration,
  found: readonly FailedQuestion[],
  times: TablesBeforeAndAfter,
): readonly string[] {
  const questions = found.map(({ question }) => question);
  const renamed = renamedFields(migration, questions);
  const lines = found.flatMap((failed) => linesFor(failed, { migration, questions, renamed, times }));
  if (lines.length === 0) return [];
  return [`### Stored change: ${freeName(nameOf(questions), times.usedNames)}`, "", ...new Set(lines)];
}

interface Around {
  readonly migration: Migration;
  readonly questions: readonly Question[];
  /** From `Resource.field` of the old name to the new name. */
  readonly renamed: ReadonlyMap<string, string>;
  readonly times: TablesBeforeAndAfter;
}

function linesFor({ question, values }: FailedQuestion, around: Around): readonly string[] {
  const { renamed, times, questions } = around;
  const column = (of: Tables, name: string) => columnOf(of, question.table, name);
  switch (question.kind) {
    case "no records":
      return [lineForResource(question, around.migration)];
    case "nothing said": {
      const name = `${question.table}.${question.column.name}`;
      const to = renamed.get(name);
      return [to === undefined ? `- Removed: ${name}` : `- Renamed: ${name} to ${question.table}.${to}`];
    }
    case "no records to fill":
      return [...renamed].some(
        ([from, to]) => from.startsWith(`${question.table}.`) && to === question.column,
      )
        ? []
        : [`- For each ${question.table}: \`${question.column} = ${unknownValue}\``];
    case "none null":
      return [
        `- For each ${question.table}: \`${question.column} = ${defaultOf(column(times.after, question.column))} when old.${question.column} == null\``,
      ];
    case "only values":
      return linesForValues(question, values, column(times.before, question.column));
    case "no parts lost":
      return lineForParts(question, column(times.before, question.column), times);
    case "empty to convert":
    case "known":
      return convertedLine(question, times, isKeyFound(questions, times)) ?? [];
    case "no repeats":
      return linesForRepeats(question, times);
    case "was computed":
      return [lineForComputed(question, times)];
    case "rules":
      return lineForForm(question, times);
    default:
      return [];
  }
}

/** The constant default as an expression. */
function defaultOf(column: Column | undefined): string {
  const { fill } = column ?? {};
  if (column?.storage === "decimal" && typeof fill === "string") return `decimal(${JSON.stringify(fill)})`;
  const isLiteral = ["text", "integer", "number", "boolean"].includes(column?.storage ?? "");
  return isLiteral && fill !== undefined ? JSON.stringify(fill) : unknownValue;
}

/** One resource was removed and one of the same kind was added: suggests a rename. */
function lineForResource({ table }: QuestionOf<"no records">, { steps }: Migration): string {
  const formOf = (columns: readonly Column[]) =>
    JSON.stringify(columns.map(({ name, storage }) => [name, storage]).toSorted());
  const dropped = steps.find((step) => step.step === "drop table" && step.table.name === table);
  const form = dropped?.step === "drop table" ? formOf(dropped.table.columns) : undefined;
  const sameForm = steps.flatMap((step) =>
    step.step === "create table" && formOf(step.table.columns) === form ? [step.table.name] : [],
  );
  return sameForm.length === 1 ? `- Renamed: ${table} to ${sameForm[0]}` : `- Removed: ${table}`;
}

/** One field of a resource was removed and one of the same kind was added: suggests a rename. */
function renamedFields({ steps }: Migration, questions: readonly Question[]): ReadonlyMap<string, string> {
  const added = addedColumns(steps);
  const removed = questions.filter(
    (question): question is QuestionOf<"nothing said"> => question.kind === "nothing said",
  );
  return new Map(
    removed.flatMap((item) => {
      const sameForm = added.filter(
        ({ table, column }) =>
          table === item.table && column.storage === item.column.storage && column.fill === undefined,
      );
      const isAlone = removed.filter(({ table }) => table === item.table).length === 1;
      const [to] = sameForm;
      return isAlone && sameForm.length === 1 && to
        ? [[`${item.table}.${item.column.name}`, to.column.name] as const]
        : [];
    }),
  );
}

/** One value was removed and one was added: suggests a rename. */
function linesForValues(
  { table, column, values: allowed }: QuestionOf<"only values">,
  values: readonly string[],
  before: Column | undefined,
): readonly string[] {
  const arrived = before?.values ? allowed.filter((candidate) => !before.values?.includes(candidate)) : [];
  const to = values.length === 1 && arrived.length === 1 ? arrived[0] : undefined;
  return values.map(
    (value) =>
      `- Renamed: ${table}.${column} ${JSON.stringify(value)} to ${JSON.stringify(to ?? unknownValue)}`,
  );
}

/** Whether a line already gives the resource new keys, which references to it follow. */
function isKeyFound(
  questions: readonly Question[],
  { after }: TablesBeforeAndAfter,
): (resource: string) => boolean {
  return (resource) => {
    const table = tableOf(after, resource);
    return questions.some(
      (question) =>
        question.kind === "empty to convert" &&
        question.table === resource &&
        table?.identifier.includes(question.column),
    );
  };
}

/** A suggested name, which the author may replace. */
function nameOf([question]: readonly Question[]): string {
  if (!question || !("column" in question || "columns" in question))
    return question?.table.toLowerCase() ?? "";
  const field = question.kind === "no repeats" ? question.columns[0] : question.column;
  const name = typeof field === "object" ? field.name : (field ?? question.table);
  return name.toLowerCase().replaceAll("_", "-");
}

function freeName(name: string, usedNames: ReadonlySet<string>): string {
  let free = name;
  for (let number = 2; usedNames.has(free); number += 1) free = `${name}-${number}`;
  return free;
}
