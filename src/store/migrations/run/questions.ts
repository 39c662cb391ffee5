/** Queries the records that a migration depends on, and reports those that prevent it. */
import { losesParts } from "../../json-shape.ts";
import type { Question } from "../../migrate.ts";
import type { Steps } from "../../rows/steps.ts";
import { readJson } from "../../sql/form.ts";
import { quotedText } from "../../sql/fragment.ts";
import { questionText } from "../plan/question-text.ts";
import { findRepeats, type QuestionContext } from "./repeats.ts";
import { labelColumns, listed, recordsOf, storedValueText, labelText } from "./value-text.ts";
import { allOf, countOf, eachJson } from "./steps.ts";
import type { RuleQuestion } from "./check-records.ts";
import type { MigrationDialect } from "./migration-dialect.ts";
import type { Table } from "../../table.ts";

/** A question whose answer prevents the migration. */
export interface Found {
  readonly question: Question;
  /** A sentence about it, with some of the records. */
  readonly reported: string;
  /** The first different texts that are no longer allowed. */
  readonly values: readonly string[];
}

/** The maximum number of listed records. */
const examplesMax = 5;
/** The maximum number of listed values, because each value may need its own line. */
const valuesMax = 20;

/** Undefined if nothing prevents the migration. @param before the table as the store has it */
export function* answerQuestion(
  question: StatementQuestion,
  before: readonly Table[],
  words: MigrationDialect,
): Steps<Found | undefined> {
  const table = before.find(({ name }) => name === question.table);
  const context: QuestionContext = { words, table };
  if (question.kind === "no repeats") {
    const reported = yield* findRepeats(question, context);
    return reported === undefined ? undefined : { question, reported, values: [] };
  }
  const count =
    question.kind === "no parts lost"
      ? yield* countLosing(question, context)
      : yield* countOf(`${words.table(question.table)} WHERE ${condition(question, context)}`);
  if (count === 0) return undefined;
  const reported = yield* report(question, count, context);
  return { question, reported, values: yield* strayValues(question, context) };
}

type Repeats = Extract<Question, { readonly kind: "no repeats" }>;
type Losing = Extract<Question, { readonly kind: "no parts lost" }>;
type Plain = Exclude<StatementQuestion, Repeats | Losing>;
/** Questions that one statement answers. For the others, `check-records.ts` reads the records. */
type StatementQuestion = Exclude<Question, RuleQuestion>;

/** The number of records that prevent the migration. */
function condition(question: Plain, { words }: QuestionContext): string {
  switch (question.kind) {
    case "no records":
    case "no records to fill":
      return "TRUE";
    case "was computed":
      return question.at === undefined ? "TRUE" : words.isNotEmpty(words.column(question.column));
    case "none marked":
      return `"#deleted" = TRUE`;
    case "no references":
      return words.isNotEmpty(words.column(question.column));
    case "nothing said": {
      const { column } = question;
      const isOther = column.fill === undefined ? "" : ` AND ${words.isOther(column, column.fill)}`;
      return `${words.column(column.name)} IS NOT NULL${isOther}`;
    }
    case "empty to convert":
      return `${words.column(question.column)} IS NOT NULL`;
    case "known": {
      const column = words.column(question.column);
      if (question.field === undefined) return `${column} IS NOT NULL`;
      const field = words.column(question.field);
      const known = `SELECT CAST(${field} AS TEXT) FROM ${words.table(question.to)} WHERE ${field} IS NOT NULL`;
      return `${column} IS NOT NULL AND CAST(${column} AS TEXT) NOT IN (${known})`;
    }
    case "none null":
      return `${words.column(question.column)} IS NULL`;
    case "only values":
      return `${words.column(question.column)} NOT IN (${question.values.map(quotedText).join(", ")})`;
  }
}

/**
 * The records whose objects have parts that the document no longer has; read slice by slice,
 * however many there are.
 */
function* countLosing({ table, column, shape }: Losing, { words }: QuestionContext): Steps<number> {
  let count = 0;
  // biome-ignore lint/correctness/useYield: this question needs no query
  yield* eachJson({ table: words.table(table), column: words.column(column) }, function* (_, json) {
    if (losesParts(readJson(json), shape)) count += 1;
  });
  return count;
}

function* strayValues(question: Question, context: QuestionContext): Steps<readonly string[]> {
  if (question.kind !== "only values") return [];
  const { words } = context;
  const rows = yield* allOf(
    `SELECT ${words.column(question.column)} FROM ${words.table(question.table)} WHERE ${condition(question, context)} GROUP BY 1 ORDER BY min("#row") LIMIT ${valuesMax}`,
  );
  return rows.map(([value]) => String(value));
}

function* report(
  question: Exclude<StatementQuestion, Repeats>,
  count: number,
  context: QuestionContext,
): Steps<string> {
  const { table } = context;
  const [has, exist] = count === 1 ? ["has", "exists"] : ["have", "exist"];
  const records = recordsOf(question.table, count);
  const labelled = function* (): Steps<string> {
    return question.kind === "no parts lost" ? "" : yield* labels(question, count, context);
  };
  const examples = function* (column: string): Steps<string> {
    return question.kind === "no parts lost" ? "" : yield* valuesOf(question, column, count, context);
  };
  const text = questionText(question);
  switch (question.kind) {
    case "no records":
      return `${text} with ${records}`;
    case "nothing said":
      return `${text} in ${records}${yield* examples(question.column.name)}`;
    case "no parts lost":
      return `${text} in ${records}`;
    case "none marked":
      return `${text}, and ${records} would reappear${yield* labelled()}`;
    case "empty to convert":
      if (question.from === question.to) {
        const isOfParts = table?.columns.some((column) => column.name === question.column && column.shape);
        const now = isOfParts
          ? "now has parts of other types"
          : `is now stored in another form, because ${question.to} has another identifier`;
        return `${question.table}.${question.column} ${now}, and ${records} ${has} a value${yield* labelled()}`;
      }
      return `${text}, and ${records} ${has} a value${yield* examples(question.column)}`;
    case "no references":
      return `${text}, in ${records}${yield* labelled()}`;
    case "none null":
      return `${text}, and ${records} ${has} no value${yield* labelled()}`;
    case "no records to fill":
      return `${text}, and ${records} ${exist}`;
    case "was computed":
      return `${text}, and ${records} ${has} no stored value`;
    case "known":
    case "only values":
      return `${text}, and ${records} ${has} another value${yield* examples(question.column)}`;
  }
}

/** ` (1, 2, …)`: some of the records. */
function* labels(question: Plain, count: number, context: QuestionContext): Steps<string> {
  const { words, table } = context;
  if (!table) return "";
  const rows = yield* allOf(
    `SELECT ${labelColumns(table, words.column).join(", ")} FROM ${words.table(table.name)} WHERE ${condition(question, context)} ORDER BY "#row" LIMIT ${examplesMax}`,
  );
  return ` (${listed(rows.map(labelText), count)})`;
}

/** `: "a" (1), "b" (2), …`: some of their values. */
function* valuesOf(question: Plain, name: string, count: number, context: QuestionContext): Steps<string> {
  const { words, table } = context;
  const column = table?.columns.find((candidate) => candidate.name === name);
  if (!table || !column || column.hidden) return "";
  const columns = [words.column(name), ...labelColumns(table, words.column)].join(", ");
  const rows = yield* allOf(
    `SELECT ${columns} FROM ${words.table(table.name)} WHERE ${condition(question, context)} ORDER BY "#row" LIMIT ${examplesMax}`,
  );
  const reported = rows.map(
    ([value, ...label]) => `${storedValueText(value, column, words)} (${labelText(label)})`,
  );
  return `: ${listed(reported, count)}`;
}
