/**
 * Part 2, `json`: the value of such a field, and the argument of `toJson`, is JSON. A loaded record
 * is not: it has hidden fields and a password hash as well. A shape of it is JSON, and so is its
 * identifier, which a reference in a field is.
 */
import { expressionsIn } from "../../expressions/analysis/expressions-in.ts";
import type { Expression, Node } from "../../expressions/node.ts";
import { partsOfNode, walk } from "../../expressions/nodes.ts";
import { describeType } from "../../expressions/relations.ts";
import type { Meaning } from "../../expressions/scope.ts";
import type { Type } from "../../expressions/type.ts";
import { ruleOf } from "../../fields/rule.ts";
import type { FieldPart, FieldType } from "../../fields/type.ts";
import { meaningOf } from "../../model/meaning.ts";
import type { Assignment, Field, Model } from "../../model/model.ts";
import type { Check } from "../check.ts";

export const recordAsJson: Check = (model, reporter) => {
  const meaning = meaningOf(model);
  const reported = new Set<Expression>();
  const check = (expression: Expression, node: Node): void => {
    const found = reported.has(expression) ? undefined : recordIn(node, meaning, new Set());
    if (!found) return;
    reported.add(expression);
    reporter.report("expressions/record-as-json", expression.position, {
      found: describeType(found),
      resource: "resource" in found ? found.resource : undefined,
    });
  };
  for (const { expression } of expressionsIn(model))
    walk(expression.node, (node) => {
      if (node.op === "call" && node.function === "toJson" && node.args[0]) check(expression, node.args[0]);
    });
  for (const expression of storedAsJson(model)) check(expression, expression.node);
};

/** The expressions whose values are stored as JSON. */
function* storedAsJson(model: Model): Generator<Expression> {
  const fields: readonly (Field | FieldPart)[] = model.resources.flatMap((resource) => resource.fields);
  const json = fields.filter(({ type }) => holdsJson(type));
  if (json.length === 0) return;
  for (const { rules } of json)
    for (const name of ["default", "on create", "on update"] as const) {
      const made = ruleOf(rules, name)?.value;
      if (made) yield made;
    }
  // An assignment names only its field. If another resource has a reference of that name, the
  // assignment may belong to it and isn't checked.
  const names = new Set(json.map((field) => field.name));
  for (const { name, type } of fields) if (holdsReference(type)) names.delete(name);
  for (const { field, value } of assignmentsIn(model)) if (names.has(field)) yield value;
}

function holdsJson(type: FieldType): boolean {
  if (type.kind === "list" || type.kind === "map") return holdsJson(type.of);
  if (type.kind === "object") return type.parts.some((part) => holdsJson(part.type));
  return type.kind === "json";
}

function holdsReference(type: FieldType): boolean {
  if (type.kind === "list" || type.kind === "map") return holdsReference(type.of);
  return type.kind === "reference";
}

function* assignmentsIn(piece: unknown): Generator<Assignment> {
  if (typeof piece !== "object" || piece === null) return;
  if (isAssignment(piece)) yield piece;
  for (const [key, value] of Object.entries(piece))
    if (key !== "position" && key !== "node") yield* assignmentsIn(value);
}

function isAssignment(piece: object): piece is Assignment {
  if (!("field" in piece && "value" in piece) || typeof piece.field !== "string") return false;
  return typeof piece.value === "object" && piece.value !== null && "node" in piece.value;
}

/**
 * The loaded record that the value of a node would contain, if any: through lists, maps, choices
 * and the bodies of shapes. A reference field contains a key instead.
 */
function recordIn(node: Node, meaning: Meaning, shapes: Set<string>): Type | undefined {
  const inAny = (nodes: readonly Node[]): Type | undefined => {
    for (const node of nodes) {
      const found = recordIn(node, meaning, shapes);
      if (found) return found;
    }
    return undefined;
  };
  switch (node.op) {
    case "fixed":
    case "named":
    case "local":
      return isRecord(node.type) ? node.type : undefined;
    case "if":
      return inAny([node.then, node.else]);
    case "list":
    case "map":
      return inAny(partsOfNode(node));
    case "index":
      return recordIn(node.of, meaning, shapes);
    case "macro":
      return node.macro === "map"
        ? node.body && recordIn(node.body, meaning, shapes)
        : recordIn(node.of, meaning, shapes);
    case "call":
      return ["or", "merge", "pick"].includes(node.function) ? inAny(node.args) : undefined;
    case "shape": {
      const body = shapes.has(node.shape) ? undefined : meaning.shapeBody(node.shape);
      return body && recordIn(body, meaning, new Set([...shapes, node.shape]));
    }
    default:
      return undefined;
  }
}

function isRecord({ kind }: Type): boolean {
  return kind === "record";
}
