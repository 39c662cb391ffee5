/**
 * Record search: finds records by identifier, or by the start of a text that is first in an index.
 * It uses existing indexes only, so its time doesn't depend on the number of records. It does not
 * search texts without an index.
 */
import type { Node } from "../../expressions/node.ts";
import type { Value, QueryParameters } from "../../expressions/value.ts";
import { expressionType } from "../../fields/type.ts";
import type { Field } from "../../model/model.ts";
import { indexedFields } from "../../store/indexed-fields.ts";
import type { RecordsQuery, ShapedRow } from "../../store/store.ts";
import { fieldNode, thisOf } from "../evaluation/nodes.ts";
import type { ResourcePlan } from "../records/resource-plan.ts";
import type { Service } from "../service.ts";
import { isComputed, isText } from "./field-path.ts";
import { readIdentifier } from "./identifier.ts";
import {
  cellMax,
  questionConditions,
  kindOf,
  pageSize,
  type RecordsQuestion,
  recordsOf,
} from "./list-records.ts";
import { frameOf, preparedQuery } from "./prepared-queries.ts";
import {
  operatorFields,
  operatorForm,
  operatorNode,
  toOperatorRecord,
  type OperatorRecord,
} from "./operator-record.ts";

export interface RecordMatches {
  readonly records: readonly OperatorRecord[];
  /** Whether there are further matches: a longer text gives fewer results. */
  readonly more: boolean;
  /** The indexed fields that were searched. */
  readonly fields: readonly string[];
}

/** The fields whose texts an index can search by their start. */
export function searchableFields(
  { internals: { context } }: Service,
  { resource }: ResourcePlan,
): readonly Field[] {
  const indexed = indexedFields(context.model, resource.name);
  return operatorFields(resource).filter(
    (field) => isText(field.type) && !isComputed(field) && indexed.has(field.name),
  );
}

/**
 * Finds records by a text.
 * @throws WrongQuestion | StatementTimedOut if filters exclude most of many matches
 */
export async function findRecords(
  service: Service,
  question: RecordsQuestion,
  text: string,
): Promise<RecordMatches> {
  const { context } = service.internals;
  const plan = context.resource(question.resource);
  const fields = searchableFields(service, plan);
  const key = readIdentifier(context, plan, text);
  const rows = new Map<number, ShapedRow>();
  let more = false;
  const lookups = [
    ...(key === undefined ? [] : [identifierLookup(plan, key)]),
    ...fields.map((field) => prefixLookup(plan, field, text)),
  ];
  for (const lookup of lookups) {
    const found = await rowsAt(service, plan, question, lookup);
    more ||= found.length > pageSize;
    for (const row of found.slice(0, pageSize)) rows.set(row.row, row);
  }
  return {
    records: [...rows.values()].slice(0, pageSize).map((row) => toOperatorRecord(plan, row, cellMax)),
    more: more || rows.size > pageSize,
    fields: [...new Set([...plan.identifier, ...fields.map(({ name }) => name)])],
  };
}

/**
 * An index to search for a text: its conditions in addition to the question's own filters, and its
 * order.
 */
interface IndexLookup {
  readonly name: string;
  readonly filters: RecordsQuestion["filters"];
  readonly where: readonly Node[];
  readonly parameters: QueryParameters;
  readonly order: RecordsQuery["order"];
}

function identifierLookup(plan: ResourcePlan, key: Value): IndexLookup {
  const where = [plan.identifierEquals()];
  return { name: "identifier", filters: [], where, parameters: { identifier: key }, order: [] };
}

function prefixLookup(plan: ResourcePlan, { name, type }: Field, text: string): IndexLookup {
  const by = fieldNode(thisOf(plan.name), name, expressionType(type));
  const filters = [{ field: name, operator: "starts with", value: text }] as const;
  return { name, filters, where: [], parameters: {}, order: [{ by, descending: false }] };
}

async function rowsAt(
  service: Service,
  plan: ResourcePlan,
  question: RecordsQuestion,
  { name, filters, where, parameters, order }: IndexLookup,
): Promise<readonly ShapedRow[]> {
  const { context } = service.internals;
  const all = questionConditions(service, plan, {
    ...question,
    filters: [...question.filters, ...filters],
  });
  const query = preparedQuery(service, `find ${name} ${kindOf(question)}\n${all.name}`, () =>
    context.store.prepareShaped(
      { ...recordsOf(question, all), where: [...where, ...all.where], order, limited: true },
      operatorNode(context, plan),
      operatorForm,
    ),
  );
  const frame = frameOf(service, { ...all.parameters, ...parameters });
  frame.page = { limit: pageSize + 1, offset: 0 };
  return context.store.session.shaped(query, frame);
}
