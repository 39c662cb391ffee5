/**
 * Macros over a collection or a list: `exists`, `count`, `sum`, `first` …, and the list itself as
 * JSON.
 */
import type { MacroName, Node } from "../../expressions/node.ts";
import { conditionOf, sqlOf } from "./writing.ts";
import type { Environment } from "./environment.ts";
import { formOf, isNative } from "./form.ts";
import { raw, type Sql, sql, textOf } from "./fragment.ts";
import { jsonOf, jsonOfSource } from "./json.ts";
import { operationOn } from "./operation.ts";
import { isAnyCase } from "./case.ts";
import { comparedValue, orderText } from "./order.ts";
import { valueOfPlace } from "./record.ts";
import { isTrue } from "./standard-dialect.ts";
import {
  elementNode,
  firstOrLast,
  sourceOf,
  type Source,
  filteredSource,
  withElement,
  withVariable,
} from "./source.ts";

type Macro = Extract<Node, { op: "macro" }>;

const conditions: ReadonlySet<MacroName> = new Set(["exists", "exists_one", "all"]);

/** Whether a macro is a condition. */
export function isMacroCondition(node: Macro): boolean {
  return conditions.has(node.macro);
}

/** Writes `exists`, `exists_one` or `all` as a condition in which null counts as false. */
export function macroCondition(node: Macro, environment: Environment): Sql {
  const source = sourceOf(node.of, environment);
  if (node.macro !== "all") return holds(node, source, environment);
  const every = holds(node, source, environment);
  return source.list ? sql`(${source.list} IS NOT NULL AND ${every})` : every;
}

function holds(node: Macro, source: Source, environment: Environment): Sql {
  const { dialect } = environment.compiler;
  if (node.macro === "all") {
    const { source: plain, inner } = withVariable(node, source);
    if (node.body) plain.block.where(sql`NOT ${isTrue(conditionOf(node.body, inner))}`);
    return sql`(NOT EXISTS (SELECT 1${plain.block.tail()}))`;
  }
  const found = filteredSource(node, environment, source);
  if (node.macro === "exists") return sql`EXISTS (SELECT 1${found.block.tail()})`;
  const alias = environment.compiler.alias("d");
  return sql`((SELECT count(*) FROM (SELECT 1${found.block.tail()}${dialect.limit(raw("2"))}) AS ${alias}) = 1)`;
}

/** The value of a macro in the form of its type. */
export function macroValue(node: Macro, environment: Environment): Sql {
  switch (node.macro) {
    case "exists":
    case "exists_one":
    case "all": {
      const source = sourceOf(node.of, environment);
      return whereList(source, holds(node, source, environment));
    }
    case "count": {
      const source = filteredSource(node, environment);
      return whereList(source, sql`(SELECT count(*)${source.block.tail()})`);
    }
    case "first":
    case "last":
      return firstOrLast(sourceOf(node, environment), node.macro === "last", (place, inner) =>
        valueOfPlace(place, elementNode(node.type), inner),
      );
    case "sum":
    case "min":
    case "max":
      return aggregate(node, environment);
    default:
      return jsonOf(node, environment, undefined);
  }
}

/** The value of a macro over a list, which is null if the list is null. */
function whereList(source: Source, value: Sql): Sql {
  return source.list ? sql`CASE WHEN ${source.list} IS NOT NULL THEN ${value} END` : value;
}

function aggregate(node: Macro, environment: Environment): Sql {
  const source = sourceOf(node.of, environment);
  const { source: plain, inner } = withVariable(node, source);
  const body = node.body ?? elementNode(plain.type);
  const place = node.body ? inner : withElement(plain);
  return whereList(
    source,
    node.macro === "sum" ? sum(node, body, plain, place) : extreme(node, body, plain, place),
  );
}

function sum(node: Macro, body: Node, source: Source, inner: Environment): Sql {
  const { dialect, meaning } = inner.compiler;
  const form = formOf(body.type, meaning.vocabulary);
  if (form === "integer" || form === "duration") {
    return aggregated(source, sqlOf(body, inner), dialect.integerSum, inner);
  }
  if (form === "decimal" && dialect.decimalSum)
    return aggregated(source, sqlOf(body, inner), (column) => dialect.decimalSum?.(column) as Sql, inner);
  // A sum of binary fractions depends on their order, and SQL may lack exact decimals. So the
  // function compiler adds them.
  const made: Source = { ...source, made: { node: body, environment: inner }, type: body.type };
  const list = jsonOfSource(made, undefined);
  const of: Node = { op: "local", name: "#list", depth: 0, type: { kind: "list", of: body.type } };
  return operationOn({ op: "macro", macro: "sum", of, type: node.type }, [of], [of.type], [list], inner);
}

/** The smallest or the greatest value. Of several equal values, it is the first in the list. */
function extreme(node: Macro, body: Node, source: Source, inner: Environment): Sql {
  const { dialect, meaning } = inner.compiler;
  const form = formOf(body.type, meaning.vocabulary);
  const value = sqlOf(body, inner);
  const ignoresCase = node.body ? isAnyCase(body, inner) : node.anyCase === true;
  if (isNative(form) && !ignoresCase) {
    return aggregated(
      source,
      dialect.exactCase(value, form),
      (column) => dialect.extreme(node.macro as "min" | "max", column, form),
      inner,
    );
  }
  source.block.where(sql`${value} IS NOT NULL`);
  const compared = comparedValue(body, inner);
  const order = [
    {
      key: node.body || !ignoresCase ? compared : dialect.anyCase(compared),
      descending: node.macro === "max",
      nulls: "none" as const,
    },
    ...source.order,
  ];
  return sql`(SELECT ${value}${source.block.tail()} ${orderText(order, dialect)}${dialect.limit(raw("1"))})`;
}

/**
 * An aggregate over a source. The aggregated value is a column of its own SELECT, because SQL
 * assigns an aggregate of only outer columns to the outer SELECT.
 */
function aggregated(source: Source, value: Sql, write: (column: Sql) => Sql, { compiler }: Environment): Sql {
  const { element } = source;
  const isOwnColumn = element.kind === "row" && textOf(value).startsWith(`${element.alias}."`);
  if (isOwnColumn) return sql`(SELECT ${write(value)}${source.block.tail()})`;
  const alias = compiler.alias("a");
  return sql`(SELECT ${write(sql`${alias}.v`)} FROM (SELECT ${value} AS v${source.block.tail()}) AS ${alias})`;
}
