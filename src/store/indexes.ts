/**
 * Derived indexes for a document's queries: list orders (after their constant conditions), filters,
 * lookup fields and references. They are derived from the model, so the author declares none. A
 * query without an index still works, only slower.
 */
import { signsIn } from "../model/endpoints/does.ts";
import type { Node } from "../expressions/node.ts";
import type { Effect, Endpoint, Model, OrderItem } from "../model/model.ts";
import { equalitySets, plainField, type IsCandidate } from "../expressions/analysis/equalities.ts";
import { expressionsIn } from "../expressions/analysis/expressions-in.ts";
import { partsOfNode } from "../expressions/nodes.ts";
import type { Column, Index, IndexColumn, Table } from "./table.ts";

/**
 * Maximum number of derived indexes of one table, because each makes inserts slower. The most
 * useful ones come first.
 */
const indexesMax = 16;

/** A candidate: columns compared for equality, followed by an order. */
interface Candidate {
  readonly equal: readonly string[];
  readonly order: readonly IndexColumn[];
}

/** The indexes of each table, by its name. */
export function indexesOf(model: Model, tables: readonly Table[]): ReadonlyMap<string, readonly Index[]> {
  const candidates = new Map<string, Candidate[]>(tables.map((table) => [table.name, []]));
  const candidate = (
    resource: string,
    equal: readonly string[],
    order: readonly IndexColumn[] = [],
  ): void => {
    candidates.get(resource)?.push({ equal, order });
  };
  for (const table of tables)
    for (const column of table.columns) if (column.refersTo) candidate(table.name, [column.name]);
  for (const scheme of model.authentication.schemes) {
    if (scheme.credentials) candidate(scheme.credentials.resource, scheme.credentials.by);
  }
  const tableOf = (name: string): Table | undefined => tables.find((table) => table.name === name);
  for (const endpoint of model.endpoints) candidatesOfEndpoint(endpoint, model, tableOf, candidate);
  for (const resource of model.resources) {
    for (const transition of resource.states?.transitions ?? []) {
      for (const end of transition.ends) candidatesOfEffects(end.effects, candidate);
    }
  }
  candidatesOfWebhooks(model, candidate);
  candidatesOfCollections(model, candidate);
  return new Map(tables.map((table) => [table.name, chosen(table, candidates.get(table.name) ?? [])]));
}

type AddCandidate = (resource: string, equal: readonly string[], order?: readonly IndexColumn[]) => void;

const isThis: IsCandidate = (node) => node.op === "fixed" && node.name === "this";

function candidatesOfEndpoint(
  endpoint: Endpoint,
  model: Model,
  tableOf: (name: string) => Table | undefined,
  candidate: AddCandidate,
): void {
  for (const record of endpoint.records) {
    const by = record.by ? [record.by.field] : [];
    for (const set of equalitySets(nodesOf(record.where), isThis))
      candidate(record.resource, [...by, ...set]);
  }
  if (endpoint.resource !== undefined && endpoint.does.some(signsIn)) {
    const named = endpoint.inputs
      .filter((input) => input.sets && input.type.kind !== "password")
      .map((input) => input.sets as string);
    candidate(endpoint.resource, named);
  }
  candidatesOfEffects([...endpoint.set, ...endpoint.effects], candidate);
  const table = endpoint.resource === undefined ? undefined : tableOf(endpoint.resource);
  if (table) candidatesOfList(endpoint, table, model, candidate);
}

/** The constant conditions of a list, each filter of a request, and its orders. */
function candidatesOfList(endpoint: Endpoint, table: Table, model: Model, candidate: AddCandidate): void {
  const visible = model.resources.find((resource) => resource.name === table.name)?.visible;
  const conditions = [...nodesOf(endpoint.where), ...(visible ? [visible.node] : [])];
  const scope = endpoint.scope ? [endpoint.scope.field] : [];
  const sets = equalitySets(conditions, isThis).map((set) => [...new Set([...scope, ...set])]);
  const isList = endpoint.does.some((does) => does.kind === "list");
  const orders = isList || endpoint.order.length > 0 ? ordersOf(endpoint.order, table) : [[]];
  for (const equal of sets) for (const order of orders) candidate(table.name, equal, order);
  const narrowest = sets.reduce((best, set) => (set.length > best.length ? set : best), sets[0] ?? []);
  for (const input of endpoint.inputs) {
    if (input.filter?.kind === "equals" && isSelective(table, input.filter.field)) {
      for (const order of orders) candidate(table.name, [...narrowest, input.filter.field], order);
    } else if (input.filter?.kind === "range") {
      candidate(table.name, narrowest, [{ name: input.filter.field, descending: false }]);
    } else if (input.filter?.kind === "condition") {
      for (const set of equalitySets([input.filter.condition.node], isThis))
        candidate(table.name, [...narrowest, ...set]);
    }
  }
}

/** An index of a column with two values finds half of the table, which is worse than none. */
function isSelective(table: Table, field: string): boolean {
  return table.columns.some(
    (column) => column.name === field && column.storage !== "boolean" && column.storage !== "json",
  );
}

/** The orders whose keys are plain fields; each ends with the order of creation. */
function ordersOf(items: readonly OrderItem[], table: Table): IndexColumn[][] {
  const orders = items.flatMap((item) => [
    orderOf(item.keys, table),
    // For an order that a request chooses, an index on its first key serves both directions.
    ...(item.choice?.of ?? []).map(({ by }) => orderOf([{ by, descending: false }], table)),
  ]);
  return orders.length > 0 ? orders : [[]];
}

function orderOf(keys: OrderItem["keys"], table: Table): IndexColumn[] {
  const columns: IndexColumn[] = [];
  for (const key of keys) {
    const name = plainField(key.by.node, isThis);
    if (name === undefined || !table.columns.some((column) => column.name === name)) return [];
    columns.push({ name, descending: key.descending });
  }
  // Ties are broken by the row number, in the last key's direction. Row numbers ascend in every
  // index. For an order that ends descending, the index is therefore reversed and read from its
  // end.
  const last = columns.at(-1);
  return last?.descending
    ? columns.map((column) => ({ ...column, descending: !column.descending }))
    : columns;
}

function candidatesOfEffects(effects: readonly Effect[], candidate: AddCandidate): void {
  for (const effect of effects) {
    if (effect.kind !== "update" && effect.kind !== "delete" && effect.kind !== "do") continue;
    for (const set of equalitySets([effect.where.node], isThis)) candidate(effect.resource, set);
  }
}

/** The webhook records of an event, which are queried at each event. */
function candidatesOfWebhooks(model: Model, candidate: AddCandidate): void {
  const targets = [model.events.webhooks, ...model.events.events.map((event) => event.to)];
  for (const target of targets) {
    if (!target || target === "none" || !target.when) continue;
    const variableName = model.resources.find((resource) => resource.name === target.resource)?.variableName;
    const isHook: IsCandidate = (node) => node.op === "named" && node.name === variableName;
    for (const set of equalitySets([target.when.node], isHook)) candidate(target.resource, set);
  }
}

/** `Hold.exists(h, h.seat == this)`: wherever an expression looks for records of a resource. The last ones in the document come first. */
function candidatesOfCollections(model: Model, candidate: AddCandidate): void {
  for (const { expression } of expressionsIn(model).toReversed()) {
    const stack = [expression.node];
    for (let next = stack.pop(); next; next = stack.pop()) {
      if (next.op === "macro" && next.body) {
        const { body, depth } = next;
        const resource = collectionOf(next.of);
        const isLocal: IsCandidate = (node) => node.op === "local" && node.depth === depth;
        if (resource) for (const set of equalitySets([body], isLocal)) candidate(resource, set);
      }
      stack.push(...partsOfNode(next));
    }
  }
}

/** The resource whose records an expression iterates, if it keeps them as they are. */
function collectionOf(node: Node): string | undefined {
  let base = node;
  while (base.op === "macro" && (base.macro === "filter" || base.macro === "sort")) base = base.of;
  return base.op === "collection" ? base.resource : undefined;
}

function nodesOf(expressions: readonly { readonly node: Node }[]): readonly Node[] {
  return expressions.map((expression) => expression.node);
}

/** The candidates as indexes, without those that another index or a unique key covers. */
function chosen(table: Table, candidates: readonly Candidate[]): readonly Index[] {
  const isIndexable = (column: Column): boolean => column.storage !== "json" || column.refersTo !== undefined;
  const indexable = new Set(table.columns.filter(isIndexable).map((column) => column.name));
  const usable: Candidate[] = [];
  for (const { equal, order } of candidates) {
    const equalNames = [...new Set(equal.filter((name) => indexable.has(name)))];
    const orderColumns = order.filter((column) => !equalNames.includes(column.name));
    if (orderColumns.some((column) => !indexable.has(column.name))) continue;
    if (equalNames.length + orderColumns.length === 0 || isUnique(table, equalNames)) continue;
    if (equalNames.length === 0 && isAloneUnique(table, orderColumns)) continue;
    usable.push({ equal: equalNames, order: orderColumns });
  }
  const indexes = new Map<string, Index>();
  for (const candidate of usable) {
    if (candidate.order.length === 0 && isServedByLonger(candidate, usable, table)) continue;
    const columns = [...candidate.equal.map((name) => ({ name, descending: false })), ...candidate.order];
    const key = JSON.stringify(columns);
    if (!indexes.has(key) && indexes.size < indexesMax) indexes.set(key, { columns });
  }
  return [...indexes.values()];
}

/** At most one record has these values: the unique key finds it. */
function isUnique(table: Table, equal: readonly string[]): boolean {
  return table.uniques.some((key) => key.columns.every((name) => equal.includes(name)));
}

function isAloneUnique(table: Table, order: readonly IndexColumn[]): boolean {
  const [first, second] = order;
  return !second && table.uniques.some((key) => key.columns.length === 1 && key.columns[0] === first?.name);
}

function isServedByLonger(candidate: Candidate, all: readonly Candidate[], table: Table): boolean {
  const startsWith = (names: readonly string[]): boolean =>
    names.length > candidate.equal.length && candidate.equal.every((name, index) => names[index] === name);
  return (
    all.some((index) => startsWith([...index.equal, ...index.order.map((column) => column.name)])) ||
    table.uniques.some((key) => startsWith(key.columns))
  );
}
