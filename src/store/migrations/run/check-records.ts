/**
 * Checks stored records against the rules of part 2, as a write is checked. Each value is checked
 * against the rules of its field, and each record against the invariants of its resource. Records
 * are read slice by slice. An invariant that reads other records is a query.
 */
import { compileFunction, readsStore } from "../../../expressions/evaluate.ts";
import type { Meaning } from "../../../expressions/scope.ts";
import type { Frame, RecordValue, Value } from "../../../expressions/value.ts";
import { meaningOf } from "../../../model/meaning.ts";
import type { Model } from "../../../model/model.ts";
import { machine } from "../../../support/machine.ts";
import { fieldValidator } from "../plan/rules-of-field.ts";
import { inCurrentShape } from "../../json-shape.ts";
import { isKeyTooLong, keysOf } from "../../rows/keys.ts";
import { keyLimits } from "../../store.ts";
import { isCheckable, type RecordRule, recordRulesOf, violationNode } from "../../stored-rules.ts";
import type { Question } from "../../migrate.ts";
import type { Steps } from "../../rows/steps.ts";
import { compileCount, compileRecords, createCompiler } from "../../sql/queries.ts";
import type { Tables } from "../../tables.ts";
import { queryRows } from "./query-rows.ts";
import { frameOfChange } from "./ports.ts";
import { listed, recordsOf, recordText, valueText } from "./value-text.ts";
import { countOf, eachSlice } from "./steps.ts";
import type { MigrationDialect } from "./migration-dialect.ts";
import type { Table } from "../../table.ts";

export type RuleQuestion = Extract<Question, { readonly kind: "rules" | "record rule" }>;

export interface Violation {
  readonly question: RuleQuestion;
  /** The number of records. */
  readonly count: number;
  readonly message: string;
}

export interface RecordChecking {
  readonly words: MigrationDialect;
  readonly model: Model;
  /** The tables of the store, and those that the document requires. */
  readonly before: Tables;
  readonly tables: Tables;
  readonly onChecked?: (resource: string, done: number, all: number) => void;
}

/** The maximum number of records in a message, and of different messages for a field. */
const examplesMax = 10;
const kindsMax = 5;

/** The violations that a record has on its own. */
export function* violationsOf(
  questions: readonly RuleQuestion[],
  checking: RecordChecking,
): Steps<readonly Violation[]> {
  const found: Violation[] = [];
  for (const [name, own] of Map.groupBy(questions, ({ table }) => table))
    found.push(...(yield* violationsIn(name, own, checking)));
  return found;
}

function* violationsIn(
  name: string,
  questions: readonly RuleQuestion[],
  { words, model, before, tables, onChecked }: RecordChecking,
): Steps<readonly Violation[]> {
  const [table, wanted] = [before, tables].map((item) =>
    item.tables.find((candidate) => candidate.name === name),
  );
  if (!table || !wanted) return [];
  const meaning = meaningOf(model);
  const checks = [
    ...questions.flatMap((question) => checksOfRule(question, wanted, model)),
    ...checksOfJointKey(questions, wanted, tables),
    ...recordRulesToCheck(questions, model, meaning, false).map((ruleQuestion) =>
      checkOfRecordRule(ruleQuestion, meaning),
    ),
  ];
  if (checks.length === 0) return [];
  const count = onChecked ? yield* countOf(words.table(name)) : 0;
  const toNewRecord = recordAsOf(table, wanted);
  let done = 0;
  yield* eachSlice(table, words, {}, (records) => {
    for (const record of records.map(toNewRecord)) for (const check of checks) check.check(record, wanted);
    done += records.length;
    onChecked?.(name, done, count);
  });
  return checks.flatMap((check) => check.found());
}

/** A record with the fields and parts that it is about to have. */
function recordAsOf(table: Table, wanted: Table): (record: RecordValue) => RecordValue {
  const isThere = (name: string): boolean => table.columns.some((column) => column.name === name);
  const filled: Record<string, Value> = Object.fromEntries(
    wanted.columns.filter(({ name }) => !isThere(name)).map(({ name, fill }) => [name, fill ?? null]),
  );
  const shaped = wanted.columns.filter(({ name, shape }) => shape && isThere(name));
  return (record) => {
    const parts: Record<string, Value> = {};
    for (const { name, shape } of shaped) parts[name] = inCurrentShape(record[name] ?? null, shape);
    return { ...record, ...filled, ...parts };
  };
}

interface RecordCheck {
  check(record: RecordValue, wanted: Table): void;
  found(): readonly Violation[];
}

interface Tally {
  count: number;
  readonly records: string[];
}

function checksOfRule(question: RuleQuestion, wanted: Table, model: Model): readonly RecordCheck[] {
  if (question.kind !== "rules") return [];
  const { column: name } = question;
  const own = model.resources.find((resource) => resource.name === question.table);
  const field = own?.fields.find((candidate) => candidate.name === name);
  const column = wanted.columns.find((candidate) => candidate.name === name);
  if (!own || !field || !column) return [];
  const judge = fieldValidator(field, own, model);
  const tallies = new Map<string, Tally>();
  return [
    {
      check(record) {
        const value = record[name] ?? null;
        const wrong = judge(value);
        if (wrong === undefined) return;
        const key = tallies.has(wrong) || tallies.size < kindsMax ? wrong : otherwise;
        const tally = tallies.get(key) ?? { count: 0, records: [] };
        tallies.set(key, tally);
        tally.count += 1;
        if (tally.records.length >= examplesMax) return;
        const label = recordText(record, wanted);
        const shown = value === null || column.hidden ? "" : `${valueText(value, column)} `;
        tally.records.push(shown === "" ? label : `${shown}(${label})`);
      },
      found: () =>
        [...tallies].map(([words, { count, records }]) => ({
          question,
          count,
          message: `${question.table}.${name} ${words}, and ${recordsOf(question.table, count)} ${count === 1 ? "breaks" : "break"} that: ${listed(records, count)}`,
        })),
    },
  ];
}

const otherwise = "has further rules";

/** Checks the joint key of several fields, each of which is short enough by itself. */
function checksOfJointKey(
  questions: readonly RuleQuestion[],
  wanted: Table,
  { tables }: Tables,
): readonly RecordCheck[] {
  const { name, identifier, key } = wanted;
  const question = questions.find(
    (candidate) => candidate.kind === "rules" && identifier.includes(candidate.column),
  );
  if (!question || !key) return [];
  const keyOf = keysOf(tables);
  const tally: Tally = { count: 0, records: [] };
  return [
    {
      check(record) {
        if (!isKeyTooLong(keyOf(name, record))) return;
        tally.count += 1;
        if (tally.records.length < examplesMax) tally.records.push(recordText(record, wanted));
      },
      found() {
        const { count, records } = tally;
        if (count === 0) return [];
        const rule = `the key of ${identifier.join(" and ")} must not have more than ${keyLimits.bytesMax} bytes`;
        const broken = `${recordsOf(name, count)} ${count === 1 ? "breaks" : "break"} that`;
        return [{ question, count, message: `${name}: ${rule}, and ${broken}: ${listed(records, count)}` }];
      },
    },
  ];
}

// ── Invariants ────────────────────────────────────────────────────────────────────────────────────────

interface RecordRuleQuestion {
  readonly question: Extract<Question, { readonly kind: "record rule" }>;
  readonly rule: RecordRule;
}

/** @param ofStore whether to choose the invariants that read other records */
function recordRulesToCheck(
  questions: readonly RuleQuestion[],
  model: Model,
  meaning: Meaning,
  ofStore: boolean,
): readonly RecordRuleQuestion[] {
  return questions.flatMap((question) => {
    if (question.kind !== "record rule") return [];
    const resource = model.resources.find(({ name }) => name === question.table);
    const rule =
      resource && recordRulesOf(resource, meaning).find(({ digest }) => digest === question.digest);
    if (!rule || !isCheckable(rule, meaning) || readsStore(rule.node, meaning) !== ofStore) return [];
    return [{ question, rule }];
  });
}

function checkOfRecordRule({ question, rule }: RecordRuleQuestion, meaning: Meaning): RecordCheck {
  const evaluate = compileFunction(rule.node, meaning);
  const frame = frameNow();
  const tally: Tally = { count: 0, records: [] };
  return {
    check(record, wanted) {
      // Invariants apply to records that aren't marked as deleted.
      if (record["#deleted"] === true) return;
      frame.this = record;
      if (!isBroken(rule, evaluate(frame))) return;
      tally.count += 1;
      if (tally.records.length < examplesMax) tally.records.push(recordText(record, wanted));
    },
    found: () => recordRuleViolation({ question, rule }, tally),
  };
}

function isBroken({ kind }: RecordRule, value: Value): boolean {
  return kind === "Always" ? value !== true : value === true;
}

function recordRuleViolation(
  { question, rule }: RecordRuleQuestion,
  { count, records }: Tally,
): readonly Violation[] {
  if (count === 0) return [];
  const moreCount = count - records.length;
  const more =
    moreCount === 0 ? "" : ` and ${moreCount.toLocaleString("en")} ${moreCount === 1 ? "other" : "others"}`;
  const [is, holds] = rule.kind === "Always" ? ["Always", "wouldn't hold"] : ["Fails", "would reject it"];
  const message = `${question.table} ${records.join(", ")}${more}: \`${is}: ${rule.text}\` (line ${rule.line}) ${holds}`;
  return [{ question, count, message }];
}

function frameNow(): Frame {
  return frameOfChange(new Date(machine.now()).toISOString());
}

/** Violations of invariants that read other records. The tables are as part 2 states. */
export function* recordRuleViolations(
  questions: readonly RuleQuestion[],
  { model, tables, words }: Omit<RecordChecking, "before">,
): Steps<readonly Violation[]> {
  const meaning = meaningOf(model);
  const compiler = createCompiler(meaning, tables, words.dialect);
  const found: Violation[] = [];
  for (const ruleQuestion of recordRulesToCheck(questions, model, meaning, true)) {
    const table = tables.tables.find(({ name }) => name === ruleQuestion.question.table);
    if (!table) continue;
    const where = [violationNode(ruleQuestion.rule)];
    const counting = compileCount({ resource: table.name, where }, compiler);
    const query = compileRecords({ resource: table.name, where, order: [], limited: true }, compiler);
    const frame = frameNow();
    const [counted] = yield* queryRows(counting, frame);
    const count = counted ? counting.decode(counted, frame) : 0;
    if (count === 0) continue;
    frame.page = { limit: examplesMax, offset: 0 };
    const rows = yield* queryRows(query, frame);
    const records = rows.map((row) => recordText(query.decode(row, frame), table));
    found.push(...recordRuleViolation(ruleQuestion, { count, records }));
  }
  return found;
}
