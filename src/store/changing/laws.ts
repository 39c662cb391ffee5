/** `Always` of part 2, asked of records that stored changes have made or changed, once all is as part 2 says. */
import { compileFunction } from "../../expressions/evaluate.ts";
import type { Expression, Node } from "../../expressions/node.ts";
import type { Meaning } from "../../expressions/scope.ts";
import { types } from "../../expressions/type.ts";
import { createMeaning } from "../../model/meaning.ts";
import type { Model } from "../../model/model.ts";
import type { PlannedChange } from "../changes/planning.ts";
import { recordDecoder } from "../rows/records.ts";
import { all, type Steps } from "../rows/steps.ts";
import { recordColumns } from "../sql/decode.ts";
import { NotInSql } from "../sql/environment.ts";
import { type CompiledQuery, compileRecords, createCompiler } from "../sql/queries.ts";
import type { RecordValue } from "../../expressions/value.ts";
import type { Table, Tables } from "../tables.ts";
import { broken, brokenMax, labelOf } from "./broken.ts";
import { rowsAsked } from "./picked.ts";
import { frameOfChange } from "./ports.ts";
import type { ChangeWords } from "./words.ts";
import { machine } from "../../support/machine.ts";

/** Answers which records break one. @param tables those of part 2, as the store has them now */
export function* brokenLaws(
  changes: readonly PlannedChange[],
  model: Model,
  tables: Tables,
  words: ChangeWords,
): Steps<readonly string[]> {
  const touched = touchedResources(changes);
  const meaning = createMeaning(model);
  const wrong: string[] = [];
  for (const { name, always } of model.resources) {
    const table = tables.tables.find((one) => one.name === name);
    if (!table || !touched.has(name)) continue;
    for (const law of always) wrong.push(...(yield* breaking(law, table, { meaning, tables, words })));
  }
  return wrong;
}

/** By the names of part 2. */
function touchedResources(changes: readonly PlannedChange[]): ReadonlySet<string> {
  let touched = new Set<string>();
  for (const { step, changes: own, made } of changes) {
    const renames = new Map(
      step.renamed.flatMap((one) => (one.kind === "resource" ? [[one.from, one.to] as const] : [])),
    );
    touched = new Set([
      ...[...touched].map((name) => renames.get(name) ?? name),
      ...own.flatMap(({ after }) => (after ? [after.name] : [])),
      ...own.flatMap(({ forEach }) =>
        forEach.flatMap(({ effects }) =>
          effects.flatMap((one) => (one.kind === "make" ? [one.resource] : [])),
        ),
      ),
      ...made.map(({ name }) => name),
    ]);
  }
  return touched;
}

interface Asking {
  readonly meaning: Meaning;
  readonly tables: Tables;
  readonly words: ChangeWords;
}

function* breaking(
  { node, text, position }: Expression,
  table: Table,
  asking: Asking,
): Steps<readonly string[]> {
  const query = queryOf(node, table, asking);
  const labels = query ? yield* labelsFound(query, table) : yield* labelsWorkedOut(node, table, asking);
  if (labels.length === 0) return [];
  const more = labels.length > brokenMax ? " and others" : "";
  const law = `\`Always: ${text}\` (line ${position.start.line}) wouldn't hold`;
  return [broken(table.name, labels.slice(0, brokenMax).join(", ") + more, law)];
}

/** Undefined of a law over the record alone by a function of our own that the database doesn't know. */
function queryOf(
  node: Node,
  table: Table,
  { meaning, tables, words }: Asking,
): CompiledQuery<RecordValue> | undefined {
  const isTrue: Node = { op: "literal", value: true, type: types.boolean };
  const isBroken: Node = { op: "binary", operator: "!=", left: node, right: isTrue, type: types.boolean };
  try {
    return compileRecords(
      { resource: table.name, where: [isBroken], order: [], limited: true },
      createCompiler(meaning, tables, words.dialect),
    );
  } catch (error) {
    if (!(error instanceof NotInSql)) throw error;
    return undefined;
  }
}

/** One more than are told. */
function* labelsFound(query: CompiledQuery<RecordValue>, table: Table): Steps<readonly string[]> {
  const frame = frameOfChange(new Date(machine.now()).toISOString());
  frame.page = { limit: brokenMax + 1, offset: 0 };
  const rows = yield* rowsAsked(query, frame);
  return rows.map((row) => labelOf(query.decode(row, frame), table));
}

function* labelsWorkedOut(node: Node, table: Table, { meaning, words }: Asking): Steps<readonly string[]> {
  const frame = frameOfChange(new Date(machine.now()).toISOString());
  const holds = compileFunction(node, meaning);
  const decode = recordDecoder(table, words);
  const labels: string[] = [];
  const columns = recordColumns(table).map(words.column).join(", ");
  const slice = {
    sql: `SELECT ${columns} FROM ${words.table(table.name)} WHERE "#row" > ? ORDER BY "#row" LIMIT 1000`,
  };
  for (let last = 0; labels.length <= brokenMax; ) {
    const records = (yield all(slice, [last])).rows.map(decode);
    if (records.length === 0) break;
    for (const record of records) {
      frame.this = record;
      if (labels.length <= brokenMax && holds(frame) !== true) labels.push(labelOf(record, table));
      last = record["#row"];
    }
  }
  return labels;
}
