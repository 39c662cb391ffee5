/** `Always` of part 2, asked of records that stored changes have made or changed, once all is as part 2 says. */
import { sqliteWords } from "../words.ts";
import { compileFunction } from "../../../expressions/evaluate.ts";
import type { Expression, Node } from "../../../expressions/node.ts";
import type { Meaning } from "../../../expressions/scope.ts";
import { types } from "../../../expressions/type.ts";
import { createMeaning } from "../../../model/meaning.ts";
import type { Model, StoredChange } from "../../../model/model.ts";
import type { ChangedTables } from "../../changes/changed-tables.ts";
import { recordColumns } from "../../sql/decode.ts";
import { NotInSql } from "../../sql/environment.ts";
import { quoted, quotedTable } from "../../sql/fragment.ts";
import { compileRecords, createCompiler } from "../../sql/queries.ts";
import type { Table, Tables } from "../../tables.ts";
import type { Connection } from "../connection.ts";
import { sqliteDialect } from "../dialect.ts";
import { recordDecoder } from "../../rows/records.ts";
import { broken, brokenMax, labelOf } from "./broken.ts";
import { frameOfChange } from "./ports.ts";

/** Answers which records break one. @param tables those of part 2, as the store has them now */
export function brokenLaws(
  changes: readonly (ChangedTables & { readonly step: StoredChange })[],
  model: Model,
  tables: Tables,
  connection: Connection,
): readonly string[] {
  const touched = touchedResources(changes);
  const meaning = createMeaning(model);
  return model.resources
    .filter(({ name }) => touched.has(name))
    .flatMap(({ name, always }) => {
      const table = tables.tables.find((one) => one.name === name);
      return table ? always.flatMap((law) => breaking(law, table, { meaning, tables, connection })) : [];
    });
}

/** By the names of part 2. */
function touchedResources(
  changes: readonly (ChangedTables & { readonly step: StoredChange })[],
): ReadonlySet<string> {
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
  readonly connection: Connection;
}

function breaking({ node, text, position }: Expression, table: Table, asking: Asking): readonly string[] {
  const labels = labelsBreaking(node, table, asking);
  if (labels.length === 0) return [];
  const more = labels.length > brokenMax ? " and others" : "";
  const law = `\`Always: ${text}\` (line ${position.start.line}) wouldn't hold`;
  return [broken(table.name, labels.slice(0, brokenMax).join(", ") + more, law)];
}

/** One more than are told. */
function labelsBreaking(
  node: Node,
  table: Table,
  { meaning, tables, connection }: Asking,
): readonly string[] {
  const frame = frameOfChange(new Date().toISOString());
  const isTrue: Node = { op: "literal", value: true, type: types.boolean };
  const isBroken: Node = { op: "binary", operator: "!=", left: node, right: isTrue, type: types.boolean };
  try {
    const query = compileRecords(
      { resource: table.name, where: [isBroken], order: [], limited: true },
      createCompiler(meaning, tables, sqliteDialect),
    );
    frame.page = { limit: brokenMax + 1, offset: 0 };
    const rows = connection.ofQuery(query).all(query.bind(frame) as never);
    return rows.map((row) => labelOf(query.decode(row, frame), table));
  } catch (error) {
    if (!(error instanceof NotInSql)) throw error;
  }
  // A function of our own that SQL doesn't know, over the record alone.
  const holds = compileFunction(node, meaning);
  const decode = recordDecoder(table, sqliteWords);
  const labels: string[] = [];
  const columns = recordColumns(table).map(quoted).join(", ");
  const all = `SELECT ${columns} FROM ${quotedTable(table.name)} WHERE "#row" > ? ORDER BY "#row" LIMIT 1000`;
  let last = 0;
  for (let rows = connection.statement(all).all([last]); rows.length > 0 && labels.length <= brokenMax; ) {
    for (const record of rows.map(decode)) {
      frame.this = record;
      if (labels.length <= brokenMax && holds(frame) !== true) labels.push(labelOf(record, table));
      last = record["#row"];
    }
    rows = connection.statement(all).all([last]);
  }
  return labels;
}
