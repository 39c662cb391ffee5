/**
 * Record pages for operators: filtered, searched, ordered by any field, with cursors in both
 * directions. The total is a separate request: it delays no page, and stops counting at a limit.
 */
import type { Node } from "../../expressions/node.ts";
import { types } from "../../expressions/type.ts";
import type { Value } from "../../expressions/value.ts";
import { expressionType } from "../../fields/type.ts";
import type { Field } from "../../model/model.ts";
import type { RecordsQuery, ShapedRow } from "../../store/store.ts";
import { fieldNode, thisOf } from "../evaluation/nodes.ts";
import { readCondition } from "../../model/reading/read-condition.ts";
import type { PlanContext } from "../records/plan-context.ts";
import type { ResourcePlan } from "../records/resource-plan.ts";
import type { Service } from "../service.ts";
import { resolveFieldPath, isComputed, isOrdered, isText } from "./field-path.ts";
import { type Conditions, conditionsOf, type Filter } from "./filters.ts";
import { frameOf, preparedQuery } from "./prepared-queries.ts";
import { WrongQuestion } from "./refusals.ts";
import {
  operatorFields,
  type OperatorRecord,
  operatorForm,
  operatorNode,
  toOperatorRecord,
} from "./operator-record.ts";
import { pageSizeMax } from "./page-size.ts";
import { parameterNode } from "../../expressions/parameters.ts";

export interface RecordsQuestion {
  readonly resource: string;
  readonly filters: readonly Filter[];
  /** A condition in the notation, with the record as `this`. */
  readonly where?: string;
  /** A text that occurs in any text field of the record, ignoring case. */
  readonly containing?: string;
  /** Absent: newest first. */
  readonly order?: { readonly field: string; readonly descending: boolean };
  /** Lists the oldest records first. */
  readonly oldestFirst?: boolean;
  /** Includes soft-deleted records. */
  readonly includesDeleted?: boolean;
}

export interface PageWanted {
  /** The `next` or `previous` cursor of an earlier page. */
  readonly cursor?: string;
  readonly limit?: number;
  /** Returns values without truncation. */
  readonly whole?: boolean;
}

export interface RecordPage {
  readonly records: readonly OperatorRecord[];
  readonly next?: string;
  readonly previous?: string;
  /** Whether no index bounds the search: with many records it may take long. */
  readonly mayReadMany: boolean;
}

export const pageSize = 50;
/** Maximum length of a value in a cell, in UTF-16 units. */
export const cellMax = 200;
/** The count stops here; the console shows "10,000+". */
export const countMax = 10_001;

/**
 * Reads a page of records.
 * @throws WrongQuestion | StatementTimedOut
 */
export async function pageOfRecords(
  service: Service,
  question: RecordsQuestion,
  { cursor, limit = pageSize, whole = false }: PageWanted = {},
): Promise<RecordPage> {
  const { context, shared } = service.internals;
  const plan = context.resource(question.resource);
  const conditions = questionConditions(service, plan, question);
  const order = orderOf(service, plan, question);
  const list = listName(question, order);
  const from = cursor === undefined ? undefined : positionOf(shared.seal.open(list, cursor));
  if (cursor !== undefined && !from)
    throw new WrongQuestion("The cursor does not belong to this list and order. Start with the first page.");
  const size = Math.max(1, Math.min(limit, pageSizeMax));
  const frame = frameOf(service, conditions.parameters);
  // One record more than the page holds shows whether another page follows.
  frame.page = { limit: size + 1, offset: 0 };
  frame.cursor = from?.keys ?? [];
  const query = preparedQuery(service, `page ${list}\n${from?.seek ?? ""}\n${conditions.name}`, () =>
    context.store.prepareShaped(
      {
        ...recordsOf(question, conditions),
        order: order.keys,
        newestFirst: question.oldestFirst !== true,
        limited: true,
        withCursor: true,
        ...(from ? { seek: from.seek } : {}),
      },
      operatorNode(context, plan),
      operatorForm,
    ),
  );
  const found = [...(await context.store.session.shaped(query, frame))];
  const hasMore = found.length > size;
  const rows = found.slice(0, size);
  if (from?.seek === "before") rows.reverse();
  const seal = (seek: Seek, row: ShapedRow | undefined) =>
    row?.cursor ? shared.seal.seal(list, [seek, ...row.cursor]) : undefined;
  const isBack = from?.seek === "before";
  const next = isBack || hasMore ? seal("after", rows.at(-1)) : undefined;
  const previous = (isBack ? hasMore : from !== undefined) ? seal("before", rows[0]) : undefined;
  return {
    records: rows.map((row) => toOperatorRecord(plan, row, whole ? undefined : cellMax)),
    ...(next === undefined ? {} : { next }),
    ...(previous === undefined ? {} : { previous }),
    mayReadMany: query.ticks,
  };
}

/**
 * Counts records, up to `countMax`.
 * @throws WrongQuestion | StatementTimedOut
 */
export async function countRecords(
  service: Service,
  question: RecordsQuestion,
  max = countMax,
): Promise<number> {
  const { context } = service.internals;
  const plan = context.resource(question.resource);
  const conditions = questionConditions(service, plan, question);
  const query = preparedQuery(service, `count ${kindOf(question)}\n${conditions.name}`, () =>
    context.store.prepareCount({ ...recordsOf(question, conditions), limited: true }),
  );
  const frame = frameOf(service, conditions.parameters);
  frame.page = { limit: max, offset: 0 };
  return context.store.session.count(query, frame);
}

export function recordsOf(
  { resource, includesDeleted = false }: RecordsQuestion,
  { where }: Conditions,
): Pick<RecordsQuery, "resource" | "where" | "includesDeleted"> {
  return { resource, where, includesDeleted };
}

/**
 * Converts a question to conditions.
 * @throws WrongQuestion
 */
export function questionConditions(
  { internals: { context } }: Service,
  plan: ResourcePlan,
  { filters, containing, where }: RecordsQuestion,
): Conditions {
  const conditions = withCondition(context, plan, conditionsOf(context, plan, filters), where);
  if (containing === undefined || containing === "") return conditions;
  const texts = searchedFields(plan);
  if (texts.length === 0) throw new WrongQuestion(`${plan.name} has no field with texts to search.`);
  return {
    where: [...conditions.where, texts.map((name) => containsNode(plan, name)).reduce(either)],
    parameters: { ...conditions.parameters, containing: containing.toLowerCase() },
    name: `${conditions.name}\ncontaining`,
  };
}

/**
 * Adds the condition that the operator has written in the notation.
 * @throws WrongQuestion
 */
function withCondition(
  { model }: PlanContext,
  plan: ResourcePlan,
  conditions: Conditions,
  text: string | undefined,
): Conditions {
  if (text === undefined) return conditions;
  const { node, diagnostics } = readCondition(model, plan.name, text);
  if (!node) {
    const [first] = diagnostics;
    const hint = first?.hint === undefined ? "" : ` ${first.hint}`;
    throw new WrongQuestion(`where, character ${first?.position.start.column}: ${first?.message}${hint}`);
  }
  return { ...conditions, where: [...conditions.where, node], name: `${conditions.name}\nwhere ${text}` };
}

/** The text fields that a text search covers. */
export function searchedFields({ resource }: ResourcePlan): readonly Field[] {
  return operatorFields(resource).filter((field) => isText(field.type) && !isComputed(field));
}

function containsNode(plan: ResourcePlan, { name, type }: Field): Node {
  const field = fieldNode(thisOf(plan.name), name, expressionType(type));
  const small: Node = { op: "call", function: "lower", args: [field], type: types.string };
  return {
    op: "call",
    function: "contains",
    args: [small, parameterNode("containing", types.string)],
    type: types.boolean,
  };
}

function either(left: Node, right: Node): Node {
  return { op: "or", left, right, type: types.boolean };
}

// ── Orders and cursors ───────────────────────────────────────────────────────────────────

interface Order {
  readonly name: string;
  readonly keys: RecordsQuery["order"];
}

/**
 * Determines the order of a question.
 * @throws WrongQuestion
 */
function orderOf({ internals: { context } }: Service, plan: ResourcePlan, question: RecordsQuestion): Order {
  const { order } = question;
  if (!order) return { name: question.oldestFirst ? "oldest first" : "newest first", keys: [] };
  const { path, type, node } = resolveFieldPath(context, plan, order.field);
  if (!isOrdered(type)) throw new WrongQuestion(`Records can't be sorted by ${path}: it has parts.`);
  return {
    name: `${path} ${order.descending ? "down" : "up"}`,
    keys: [{ by: node, descending: order.descending }],
  };
}

/**
 * Identifies the list of a cursor by its order, so that a cursor remains valid with other filters.
 */
function listName(question: RecordsQuestion, { name }: Order): string {
  return `operator ${kindOf(question)} ${name}`;
}

export function kindOf({ resource, includesDeleted = false }: RecordsQuestion): string {
  return `${resource}${includesDeleted ? " with deleted ones" : ""}`;
}

type Seek = "after" | "before";

function positionOf(
  opened: readonly Value[] | undefined,
): { readonly seek: Seek; readonly keys: readonly Value[] } | undefined {
  const [seek, ...keys] = opened ?? [];
  return seek === "after" || seek === "before" ? { seek, keys } : undefined;
}
