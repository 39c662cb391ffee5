/**
 * Condition trees as expression nodes: a structure over fields, with the values as parameters of the
 * query. Nothing of a tree becomes the text of a statement but its structure and the fields' names.
 */
import { isPattern } from "../../expressions/functions/text.ts";
import type { BinaryOperator, Node } from "../../expressions/node.ts";
import { isOrdered } from "../../expressions/relations.ts";
import { isText, type Type, types } from "../../expressions/type.ts";
import type { Value } from "../../expressions/value.ts";
import { createFieldContext, type FieldReader } from "../../fields/field-reader.ts";
import { Findings } from "../../fields/findings.ts";
import { rulesOfForm } from "../../fields/rules/index.ts";
import type { Field } from "../../model/model.ts";
import type { Json } from "../../support/json.ts";
import type { EngineContext } from "../evaluation/engine-context.ts";
import { andNodes, equalsNode } from "../evaluation/nodes.ts";
import { comparedAtWirePrecision } from "../evaluation/wire-precision.ts";
import { type Comparison, comparisons, type ConditionTree } from "../handlers/condition-tree.ts";
import { NotShown } from "../problem.ts";

export interface ComparedField {
  readonly name: string;
  readonly by: Node;
  /** Of the field, or of the elements of a list. */
  readonly type: Type;
  readonly isList: boolean;
  readonly reader: FieldReader;
}

export interface ConditionNode {
  /** The structure of the tree: equal names have equal nodes. */
  readonly name: string;
  readonly node: Node;
}

/** @param name the field's name in the request's version */
export function comparedField(
  context: Pick<EngineContext, "reading">,
  name: string,
  by: Node,
  field: Pick<Field, "type" | "rules" | "gap">,
): ComparedField {
  const isList = field.type.kind === "list";
  const type = field.type.kind === "list" ? field.type.of : field.type;
  const fields = createFieldContext({ ...context.reading, emptyInputs: undefined });
  return {
    name,
    by,
    type: by.type.kind === "list" ? by.type.of : by.type,
    isList,
    reader: fields.compile(type, isList ? [] : rulesOfForm(field.rules), field.gap),
  };
}

function listOf(of: Type): Type {
  return { kind: "list", of };
}

/** All comparisons of a field, with one parameter for the value. */
export function possibleNodes(
  context: Wire,
  field: ComparedField,
  parameterOf: (type: Type) => Node,
): readonly Node[] {
  return comparisons.flatMap((is) =>
    whyNot(field, is) === undefined ? [compared(context, field, { is, ignoreCase: true }, parameterOf)] : [],
  );
}

type Wire = Pick<EngineContext, "wire">;
type ParameterOf = (value: Value, type: Type) => Node;
type Refuse = (problem: string) => never;

/**
 * @param parameterOf adds a parameter with a value
 * @param refuse throws for a field that isn't among `fields`, or a value that it can't have
 */
export function buildCondition(
  context: Wire,
  tree: ConditionTree,
  fields: ReadonlyMap<string, ComparedField>,
  parameterOf: ParameterOf,
  refuse: Refuse,
): ConditionNode {
  const inner = (part: ConditionTree) => buildCondition(context, part, fields, parameterOf, refuse);
  if ("invalid" in tree) return refuse(tree.invalid);
  if ("not" in tree) {
    const { name, node } = inner(tree.not);
    return { name: `!(${name})`, node: { op: "not", of: node, type: types.boolean } };
  }
  if ("and" in tree) {
    const parts = tree.and.map(inner);
    return { name: named("&&", parts), node: andNodes(parts.map(({ node }) => node)) };
  }
  if ("or" in tree) {
    const parts = tree.or.map(inner);
    return { name: named("||", parts), node: orNodes(parts.map(({ node }) => node)) };
  }
  const field = fields.get(tree.field);
  if (!field) return refuse(`has "${tree.field}", and must be of ${[...fields.keys()].join(", ")}`);
  return buildComparison(context, tree, field, parameterOf, refuse);
}

function named(operator: string, parts: readonly ConditionNode[]): string {
  return `(${parts.map(({ name }) => name).join(operator)})${operator}`;
}

function orNodes([first, ...rest]: readonly Node[]): Node {
  if (!first) return { op: "literal", value: false, type: types.boolean };
  return rest.reduce<Node>((left, right) => ({ op: "or", left, right, type: types.boolean }), first);
}

// ── Comparisons ─────────────────────────────────────────────────────────────────────────────────

function buildComparison(
  context: Wire,
  comparison: Comparison,
  field: ComparedField,
  parameterOf: ParameterOf,
  refuse: Refuse,
): ConditionNode {
  const { is, value, ignoreCase } = comparison;
  const wrong = (problem: string) => refuse(`has "${field.name}", which ${problem}`);
  if (value === null) {
    if (is !== "==" && is !== "!=") return wrong("can't be compared with null by this operator");
    const nothing: Node = { op: "literal", value: null, type: types.null };
    const node: Node = { op: "binary", operator: is, left: field.by, right: nothing, type: types.boolean };
    return { name: `${field.name}${is}null`, node };
  }
  const why = whyNot(field, is);
  if (why !== undefined) return wrong(why);
  const isFolded = ignoreCase && isText(field.type);
  const fold = (read: Value) => (isFolded && is !== "matches" ? String(read).toLowerCase() : read);
  const read = (sent: Json): Value => fold(readValue(field, is, sent, wrong));
  const name = `${field.name} ${is}${isFolded ? "*" : ""}`;
  if (is !== "in") {
    const sent = read(value);
    const pattern = is === "matches" && isFolded ? `(?i)${String(sent)}` : sent;
    return { name, node: compared(context, field, comparison, (type) => parameterOf(pattern, type)) };
  }
  const values = (value as readonly Json[]).map(read);
  // A time that is sent in seconds is a range of times.
  if (field.type.kind === "timestamp") {
    const each = values.map((moment) =>
      compared(context, field, { is: "==", ignoreCase }, (type) => parameterOf(moment, type)),
    );
    return { name: `${name}${each.length}`, node: orNodes(each) };
  }
  return { name, node: compared(context, field, comparison, (type) => parameterOf(values, type)) };
}

/** Functions of the notation that compare texts. */
const ofTexts: ReadonlySet<Comparison["is"]> = new Set(["contains", "startsWith", "endsWith", "matches"]);

/** Why a field can't be compared by an operator; undefined if it can. */
function whyNot({ type, isList }: ComparedField, is: Comparison["is"]): string | undefined {
  if (isList) return is === "contains" ? undefined : "is a list: it can only be searched for an element";
  if (ofTexts.has(is)) return isText(type) ? undefined : "is not a text";
  if (["<", "<=", ">", ">="].includes(is)) return isOrdered(type) ? undefined : "has no order";
  return undefined;
}

function compared(
  context: Wire,
  { by, type, isList }: ComparedField,
  { is, ignoreCase }: Pick<Comparison, "is" | "ignoreCase">,
  sent: (type: Type) => Node,
): Node {
  const of = isText(type) ? types.string : type;
  if (isList) return binary("in", sent(type), by);
  const stored = ignoreCase && isText(type) && is !== "matches" ? call("lower", [by], types.string) : by;
  switch (is) {
    case "contains":
    case "startsWith":
    case "endsWith":
    case "matches":
      return call(is, [stored, sent(types.string)], types.boolean);
    case "in":
      return binary("in", stored, sent(listOf(of)));
    case "!=":
      return { op: "not", of: comparedAtWirePrecision(context, "==", stored, sent(of)), type: types.boolean };
    case "==":
      return stored === by
        ? comparedAtWirePrecision(context, is, stored, sent(of))
        : equalsNode(stored, sent(of));
    default:
      return comparedAtWirePrecision(context, is, stored, sent(of));
  }
}

function binary(operator: BinaryOperator, left: Node, right: Node): Node {
  return { op: "binary", operator, left, right, type: types.boolean };
}

function call(name: string, args: readonly Node[], type: Type): Node {
  return { op: "call", function: name, args, type };
}

/** Reads a value as the field does. A text is read as in a query, other JSON as in a body. */
function readValue(
  { type, reader, isList }: ComparedField,
  is: Comparison["is"],
  sent: Json,
  wrong: (problem: string) => never,
): Value {
  if (typeof sent === "string" && (sent.includes("\0") || !sent.isWellFormed()))
    return wrong("can't be compared with such a text");
  if (sent === null) return wrong("can't be compared with null by this operator");
  if (ofTexts.has(is) && !isList) {
    if (typeof sent !== "string") return wrong("can only be compared with a text");
    return is !== "matches" || isPattern(sent) ? sent : wrong("must match a pattern in RE2 syntax");
  }
  const findings = new Findings();
  const isForm = typeof sent === "string" && !isText(type);
  const value = isForm ? reader.form({ texts: [sent] }, "", findings) : reader.json(sent, "", findings);
  const [gap] = findings.gaps;
  if (gap) throw new NotShown({ part: "resources", item: "fields", ...gap.gap });
  const [problem] = findings.problems();
  return problem || value === undefined ? wrong(problem?.problem ?? "must be valid") : value;
}
