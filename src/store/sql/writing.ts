/**
 * Writes a node inside another node as SQL.
 *
 * Writing is recursive across files: a value holds conditions, these hold lists, and those values.
 * So each writer calls the compiler for its inner nodes, and imports no other writer. `writers.ts`
 * maps the writers.
 */
import type { Node } from "../../expressions/node.ts";
import type { Environment, Place } from "./environment.ts";
import type { Sql } from "./fragment.ts";
import type { Source } from "./source.ts";

/** The writer of each kind of output. */
export interface Writers {
  readonly value: (node: Node, environment: Environment) => Sql;
  readonly condition: (node: Node, environment: Environment) => Sql;
  readonly list: (source: Source) => Sql;
  readonly element: WriteElement;
}

/** The first or last element of a list or collection, as `write` serializes it. */
export type WriteElement = (
  node: Extract<Node, { op: "macro" }>,
  environment: Environment,
  write: (element: Place, inner: Environment) => Sql,
) => Sql;

/** The value of an expression. */
export function sqlOf(node: Node, environment: Environment): Sql {
  return environment.compiler.writers.value(node, environment);
}

/** A condition in which null counts as false. */
export function conditionOf(node: Node, environment: Environment): Sql {
  return environment.compiler.writers.condition(node, environment);
}

/** All elements as a JSON list. */
export function listOf(source: Source): Sql {
  return source.environment.compiler.writers.list(source);
}

/** The element of `first()` or `last()`. */
export const elementOfList: WriteElement = (node, environment, write) =>
  environment.compiler.writers.element(node, environment, write);
