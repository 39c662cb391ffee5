/**
 * Bound parameters: parts of an expression that read no row. The function compiler evaluates them
 * when the statement runs, and each is bound as one parameter.
 */
import { compileFunction } from "../../expressions/evaluate.ts";
import type { Node } from "../../expressions/node.ts";
import { compileJson } from "../../expressions/write-json.ts";
import { wireName } from "../../expressions/writing/wire.ts";
import type { Frame, Value } from "../../expressions/value.ts";
import type { WireForm } from "../store.ts";
import { isChance } from "../../expressions/compiling/mixed-expressions.ts";
import { someNode } from "../../expressions/nodes.ts";
import { type Environment, NotInSql, type Place } from "./environment.ts";
import { encoderOf, formOf, jsonEncoderOf } from "./form.ts";
import { parameter, type Sql } from "./fragment.ts";

/**
 * The value of a node as a parameter, in the form of its type. A literal is written as a literal.
 */
export function bound(node: Node, environment: Environment): Sql {
  const { meaning, dialect } = environment.compiler;
  const form = formOf(node.type, meaning.vocabulary);
  if (node.op === "literal") return dialect.literal(node.value, form);
  refuseChance(node, environment);
  const evaluate = evaluatorOf(node, environment);
  const encode = encoderOf(node.type, meaning, dialect);
  return parameter(keyOf(form, node, environment), form, (frame) => encode(evaluate(frame)));
}

/** The JSON text of a node as a parameter; `null` for null. */
export function boundJson(node: Node, environment: Environment, wire: WireForm): Sql {
  refuseChance(node, environment);
  const write = inFrameOf(environment, compileJson(node, environment.compiler.meaning, wire));
  return parameter(keyOf(`json ${wireName(wire)}`, node, environment), "json", write);
}

/** The JSON text of a node's value in run-time form, as a parameter; SQL's null for null. */
export function boundRuntimeJson(node: Node, environment: Environment): Sql {
  refuseChance(node, environment);
  const evaluate = evaluatorOf(node, environment);
  const encode = jsonEncoderOf(node.type, environment.compiler.meaning);
  return parameter(keyOf("run-time json", node, environment), "json", (frame) => encode(evaluate(frame)));
}

/**
 * Rejects random values that depend on a record. A parameter has one value for all records of a
 * statement, but a random value is new for each record, so the function compiler evaluates it per
 * record.
 */
function refuseChance(node: Node, { self, locals }: Environment): void {
  const isOfRows = isRow(self) || [...locals.values()].some(isRow);
  if (isOfRows && someNode(node, (part) => part.op === "call" && isChance(part.function)))
    throw new NotInSql("chance, which is new for each record");
}

function isRow({ kind }: Place): boolean {
  return kind === "row" || kind === "value";
}

/** A parameter that is 1 if the node has a value, and null otherwise. */
export function presenceParameter(node: Node, environment: Environment): Sql {
  const evaluate = evaluatorOf(node, environment);
  return parameter(keyOf("there", node, environment), "integer", (frame) =>
    isNull(evaluate(frame)) ? null : 1,
  );
}

function isNull(value: Value | undefined): boolean {
  return value === null || value === undefined;
}

function evaluatorOf(node: Node, environment: Environment): (frame: Frame) => Value {
  return inFrameOf(environment, compileFunction(node, environment.compiler.meaning));
}

/** Evaluates `this` and variables first, if other expressions of the frame replace them. */
function inFrameOf<T>({ self, locals }: Environment, work: (frame: Frame) => T): (frame: Frame) => T {
  const ofSelf = evaluatorOfPlace(self);
  const ofLocals = [...locals].flatMap(([depth, place]) => {
    const evaluate = evaluatorOfPlace(place);
    return evaluate ? [{ depth, evaluate }] : [];
  });
  if (!ofSelf && ofLocals.length === 0) return work;
  return (frame) => {
    const inner = { ...frame, locals: [...frame.locals] };
    if (ofSelf) inner.this = ofSelf(frame);
    for (const { depth, evaluate } of ofLocals) inner.locals[depth] = evaluate(frame);
    return work(inner);
  };
}

function evaluatorOfPlace(place: Place): ((frame: Frame) => Value) | undefined {
  return place.kind === "node" ? evaluatorOf(place.node, place.environment) : undefined;
}

function keyOf(use: string, node: Node, environment: Environment): string {
  return `${use} ${JSON.stringify(node)}${environmentKey(environment)}`;
}

/**
 * Distinguishes environments in which other expressions replace names. Otherwise, equal nodes have
 * equal values.
 */
function environmentKey({ self, locals }: Environment): string {
  const places = [self, ...[...locals].sort(([a], [b]) => a - b).map(([, place]) => place)];
  return places
    .map((place) =>
      place.kind === "node" ? ` of ${JSON.stringify(place.node)}${environmentKey(place.environment)}` : "",
    )
    .join("");
}
