/**
 * Collections and lists as the FROM of a SELECT: the source that a chain of `filter`, `map`,
 * `sort`, `distinct` and `flatten` reads, before a macro evaluates it (`macros.ts`).
 */
import type { MacroName, Node } from "../../expressions/node.ts";
import { elementOf } from "../../expressions/relations.ts";
import { type Type, types } from "../../expressions/type.ts";
import { conditionOf, listOf, type WriteElement, sqlOf } from "./writing.ts";
import { Block, type Environment, inBlock, type Place, withLocal } from "./environment.ts";
import { formOf, isNative } from "./form.ts";
import { joined, raw, type Sql, sql } from "./fragment.ts";
import { type OrderKey, orderKeyOf, orderText } from "./order.ts";
import { operation, operationOn } from "./operation.ts";
import { tableNamed, valueOfPlace } from "./record.ts";
import { jsonAsList, jsonKey, jsonPlace } from "./standard-dialect.ts";

export interface Source {
  readonly block: Block;
  /** The environment in which elements are evaluated. */
  readonly environment: Environment;
  /** The element itself, before `map`. */
  readonly element: Place;
  /** The result of `map` for an element. */
  readonly made?: { readonly node: Node; readonly environment: Environment };
  readonly type: Type;
  readonly order: readonly OrderKey[];
  /** The list that it reads. If the list is null, so is the result. */
  readonly list?: Sql;
}

type Macro = Extract<Node, { op: "macro" }>;

/** The source of a collection, a list or a map. */
export function sourceOf(node: Node, environment: Environment): Source {
  if (node.op === "collection") return collection(node.resource, environment);
  if (node.op === "macro" && chains.has(node.macro)) return chained(node, environment);
  if (node.op === "macro" && (node.macro === "first" || node.macro === "last"))
    return filteredSource(node, environment);
  return list(node, environment);
}

const chains: ReadonlySet<MacroName> = new Set(["filter", "map", "sort", "distinct", "flatten"]);

function collection(resource: string, environment: Environment): Source {
  const table = tableNamed(resource, environment);
  const alias = environment.compiler.alias("r");
  const block = new Block();
  const { dialect } = environment.compiler;
  block.add(sql`${dialect.table(table.name)} AS ${alias}`);
  block.tick(environment.compiler, raw(`${alias}."#row"`));
  // Part 2, Deleted: marked records are hidden from reads; references still lead to them.
  if (table.marked) block.where(dialect.isUnmarked(raw(`${alias}."#deleted"`)));
  return {
    block,
    environment: inBlock(environment, block),
    element: { kind: "row", table, alias, block, optional: false },
    type: { kind: "record", resource },
    order: [{ key: raw(`${alias}."#row"`), descending: false, nulls: "none" }],
  };
}

function list(node: Node, environment: Environment): Source {
  const isKnown = node.type.kind === "list" || node.type.kind === "map";
  const value = isKnown ? sqlOf(node, environment) : elementsOf(node, environment);
  return listSource(value, node.type, environment);
}

/** The source of a JSON list, or of the keys of a JSON map. */
function listSource(value: Sql, of: Type, environment: Environment): Source {
  const { dialect, meaning } = environment.compiler;
  const type = elementOf(of) ?? types.any;
  const alias = environment.compiler.alias("e");
  const block = new Block();
  const isMap = of.kind === "map";
  block.add(dialect.jsonEach(value, alias, isMap ? "map" : "list"));
  block.tick(environment.compiler, jsonPlace(alias));
  const element: Sql = isMap ? jsonKey(alias) : dialect.jsonElement(alias, formOf(type, meaning.vocabulary));
  // The keys of a map are ordered by their position in the text.
  const place = isMap ? jsonPlace(alias) : jsonKey(alias);
  return {
    block,
    environment: inBlock(environment, block),
    element: { kind: "value", sql: element, type, block },
    type,
    order: [{ key: place, descending: false, nulls: "none" }],
    list: value,
  };
}

/** The elements of a value that may be a list or a map, which is known only at run time. */
function elementsOf(node: Node, environment: Environment): Sql {
  const { dialect } = environment.compiler;
  if (dialect.jsonElements && node.type.kind === "any") return dialect.jsonElements(sqlOf(node, environment));
  const every: Node = {
    op: "macro",
    macro: "filter",
    of: node,
    variable: "x",
    depth: 1,
    body: { op: "literal", value: true, type: types.boolean },
    type: { kind: "list", of: types.any },
  };
  return operation(every, [node], environment);
}

function chained(node: Macro, environment: Environment): Source {
  const source = sourceOf(node.of, environment);
  switch (node.macro) {
    case "filter":
      return filteredSource(node, environment, source);
    case "map":
      return mapped(node, source);
    case "sort":
      return sorted(node, source);
    case "distinct":
      return distinct(source, node.anyCase === true);
    default:
      return flattened(source);
  }
}

/** The elements for which the body is true; all elements without a body. */
export function filteredSource(node: Macro, environment: Environment, given?: Source): Source {
  const source = given ?? sourceOf(node.of, environment);
  if (!node.body || node.depth === undefined) return source;
  const { source: plain, inner } = withVariable(node, source);
  plain.block.where(conditionOf(node.body, inner));
  return plain;
}

function mapped(node: Macro, source: Source): Source {
  const { source: plain, inner } = withVariable(node, source);
  const body = node.body as Node;
  return { ...plain, made: { node: body, environment: inner }, type: body.type };
}

function sorted(node: Macro, source: Source): Source {
  if (!node.body) {
    const plain = unmade(source);
    const environment = withElement(plain);
    const { beginning: _, ...key } = orderKeyOf(elementNode(plain.type), false, environment);
    const { dialect } = environment.compiler;
    const own = node.anyCase ? { ...key, key: dialect.anyCase(key.key) } : key;
    return { ...plain, order: [own, ...plain.order] };
  }
  const { source: plain, inner } = withVariable(node, source);
  return { ...plain, order: [orderKeyOf(node.body, false, inner), ...plain.order] };
}

/**
 * The depth of a variable for the element itself. It is greater than that of any macro in an
 * expression.
 */
const elementDepth = 1000;

/** The element as a node, where `elementDepth` is set in the environment. */
export function elementNode(type: Type): Node {
  return { op: "local", name: "#element", depth: elementDepth, type };
}

/** The environment with a variable for the element itself. */
export function withElement(source: Source): Environment {
  return withLocal(source.environment, elementDepth, source.element);
}

/** Each value once, at its first position. */
function distinct(source: Source, fold: boolean): Source {
  if (!source.made && source.element.kind === "row") return source;
  const { dialect, alias, meaning } = source.environment.compiler;
  const form = formOf(source.type, meaning.vocabulary);
  // The function compiler compares lists and decimals. In a text, the order of keys matters, but
  // not in a map; and equal decimals have several texts.
  if (!isNative(form)) return distinctLists(source);
  const value = dialect.exactCase(elementValue(source), form);
  const inside = alias("d");
  const outside = alias("d");
  const order = orderText(source.order, dialect);
  // Of several spellings, the first one stays.
  const spelling = fold
    ? sql`, row_number() OVER (PARTITION BY ${dialect.anyCase(value)} ${order}) AS p`
    : sql``;
  const numbered = sql`SELECT ${value} AS v, row_number() OVER (${order}) AS n${spelling}${source.block.tail()}`;
  const once = fold
    ? sql`(SELECT ${inside}.v AS v, ${inside}.n AS n FROM (${numbered}) AS ${inside} WHERE ${inside}.p = 1) AS ${outside}`
    : sql`(SELECT ${inside}.v AS v, min(${inside}.n) AS n FROM (${numbered}) AS ${inside} GROUP BY ${inside}.v) AS ${outside}`;
  return derived(source, once, outside, [{ key: raw(`${outside}.n`), descending: false, nulls: "none" }]);
}

function distinctLists(source: Source): Source {
  const of: Node = { op: "named", name: "#list", type: { kind: "list", of: source.type } };
  const once: Node = { op: "macro", macro: "distinct", of, type: of.type };
  return listSource(
    operationOn(once, [of], [of.type], [listOf(source)], source.environment),
    of.type,
    source.environment,
  );
}

function flattened(given: Source): Source {
  const { dialect, meaning, alias } = given.environment.compiler;
  const type = elementOf(given.type) ?? types.any;
  const name = alias("e");
  const isList = given.type.kind === "list";
  // A value that may not be a list is used several times, so it is evaluated first.
  const source = isList ? given : unmade(given);
  const lists = isList ? elementValue(source) : jsonAsList(elementValue(source), dialect);
  source.block.add(dialect.jsonEach(lists, name, "list"));
  const { made: _, ...rest } = source;
  return {
    ...rest,
    element: {
      kind: "value",
      sql: dialect.jsonElement(name, formOf(type, meaning.vocabulary)),
      type,
      block: source.block,
    },
    type,
    order: [...source.order, { key: jsonKey(name), descending: false, nulls: "none" }],
  };
}

/**
 * The source with its elements as values of a FROM, so that computed elements are evaluated once.
 */
function unmade(source: Source): Source {
  const { made } = source;
  if (!made) return source;
  if (isCheap(made.node)) {
    const { made: _, ...rest } = source;
    return {
      ...rest,
      element: { kind: "value", sql: elementValue(source), type: source.type, block: source.block },
    };
  }
  const alias = source.environment.compiler.alias("d");
  const keys = source.order.map(({ key }, at) => sql`, ${key} AS k${at}`);
  const select = sql`(SELECT ${elementValue(source)} AS v${joined(keys, "")}${source.block.tail()}) AS ${alias}`;
  return derived(
    source,
    select,
    alias,
    source.order.map((orderKey, at) => ({ ...orderKey, key: raw(`${alias}.k${at}`) })),
  );
}

function derived(source: Source, select: Sql, alias: string, order: readonly OrderKey[]): Source {
  const block = new Block();
  block.add(select);
  return {
    block,
    environment: inBlock(source.environment, block),
    element: { kind: "value", sql: raw(`${alias}.v`), type: source.type, block },
    type: source.type,
    order,
    ...(source.list ? { list: source.list } : {}),
  };
}

function isCheap(node: Node): boolean {
  return (
    node.op === "local" ||
    node.op === "fixed" ||
    node.op === "named" ||
    node.op === "parameter" ||
    (node.op === "field" && isCheap(node.of))
  );
}

/** The source and the environment of a macro's body, in which its variable is the element. */
export function withVariable(
  node: Macro,
  source: Source,
): { readonly source: Source; readonly inner: Environment } {
  const plain = unmade(source);
  if (node.depth === undefined) return { source: plain, inner: plain.environment };
  return { source: plain, inner: withLocal(plain.environment, node.depth, plain.element) };
}

/** The value of an element in the form of its type. */
export function elementValue(source: Source): Sql {
  const { made, element } = source;
  if (made) return sqlOf(made.node, made.environment);
  return valueOfPlace(element, elementNode(source.type), source.environment);
}

/** The first or last element, as `write` serializes it; null if there is none. */
export function firstOrLast(
  source: Source,
  last: boolean,
  write: (element: Place, inner: Environment) => Sql,
  offset?: Sql,
): Sql {
  const plain = unmade(source);
  const { dialect } = source.environment.compiler;
  const written = write(plain.element, plain.environment);
  const order = last ? plain.order.map(reversed) : plain.order;
  return sql`(SELECT ${written}${plain.block.tail()} ${orderText(order, dialect)}${dialect.limit(raw("1"), offset)})`;
}

function reversed(key: OrderKey): OrderKey {
  return {
    ...key,
    descending: !key.descending,
    nulls: key.nulls === "last" ? "first" : key.nulls === "first" ? "last" : "none",
  };
}

/** Writes the first or last element (`elementOfList`). */
export const writeElementOfList: WriteElement = (node, environment, write) =>
  firstOrLast(sourceOf(node, environment), node.macro === "last", write);
