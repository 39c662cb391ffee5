/**
 * Identifier pagination: a request names the last record that the client has received. The client
 * sends the record's identifier or, if several fields identify it, the field that the path does not
 * contain.
 */
import { nonNull } from "../../support/non-null.ts";
import type { Node } from "../../expressions/node.ts";
import type { RecordValue, Value, Frame } from "../../expressions/value.ts";
import { types } from "../../expressions/type.ts";
import { expressionType } from "../../fields/type.ts";
import type { Endpoint, Field, Pagination } from "../../model/model.ts";
import type { Query, RecordsQuery, ShapedRow, Session } from "../../store/store.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { evaluateOf } from "../evaluation/evaluate.ts";
import { comparedAtWirePrecision } from "../evaluation/wire-precision.ts";
import { fieldNode, thisOf } from "../evaluation/nodes.ts";
import { createTextReader } from "../evaluation/text-reader.ts";
import { Problem } from "../problem.ts";
import { sequenceOf } from "../../expressions/special-functions.ts";
import type { ResourcePlan } from "../records/resource-plan.ts";
import type { EvaluationContext } from "../evaluation/context.ts";
import { scopeConditions } from "../records/path-conditions.ts";
import type { PageRow } from "./page-parts.ts";
import type { PageRequest } from "./page-request.ts";
import { bind, parameterNode } from "../../expressions/parameters.ts";

/**
 * The field that names a record of the list; undefined if the document does not show the
 * identifier.
 */
export function cursorField(endpoint: Endpoint, { identifier, fields }: ResourcePlan): Field | undefined {
  const name = identifier.find((candidate) => candidate !== endpoint.scope?.field) ?? identifier[0];
  return name === undefined ? undefined : fields.get(name);
}

/** Resolves the record that a request names into a cursor: its values in the list's order. */
export type ResolveCursor = (
  request: PageRequest,
  order: RecordsQuery["order"],
  evaluation: EvaluationContext,
) => Promise<PageRequest>;

export function planIdentifierCursor(
  context: PlanContext,
  endpoint: Endpoint,
  pagination: Pagination,
): ResolveCursor {
  const plan = context.resource(endpoint.resource as string);
  const field = cursorField(endpoint, plan);
  if (pagination.kind !== "identifier" || !field) return async (request) => request;
  const cursor = new IdentifierCursor(context, endpoint, plan, field);
  return async (request, order, evaluation) => {
    const { identifier } = request;
    if (identifier === undefined) return request;
    const record = await cursor.find(identifier, request, order, evaluation);
    if (record) return { ...request, cursor: await keysOf(context, order, record, evaluation) };
    const parameter = request.seek === "before" ? pagination.before : pagination.after;
    throw new Problem(
      {
        condition: "unknown reference",
        resource: plan.name,
        field: parameter ?? "",
        value: identifier,
        refersTo: plan.name,
        problem: `is not a known ${plan.resource.called}`,
      },
      { because: pagination.position },
    );
  };
}

class IdentifierCursor {
  readonly #field: Field;
  readonly #isGiven: boolean;
  readonly #read: ReturnType<typeof createTextReader>;
  readonly #query: Query<RecordValue>;
  readonly #following: Query<RecordValue> | undefined;

  constructor(context: PlanContext, endpoint: Endpoint, plan: ResourcePlan, field: Field) {
    this.#field = field;
    this.#isGiven = isGiven(plan, field, endpoint);
    this.#read = createTextReader(context, field);
    const identified = fieldNode(thisOf(plan.name), field.name, expressionType(field.type));
    const requested = parameterNode("identifier", identified.type);
    const around = [
      ...(plan.identifier.length > 1 ? scopeConditions(context, endpoint, plan) : []),
      ...(plan.visible ? [plan.visible] : []),
    ];
    const queryOf = (condition: Node, order: RecordsQuery["order"]) =>
      // Part 2, Deleted: a soft-deleted record is hidden, but still marks its position in the list.
      context.store.prepareRecords({
        resource: plan.name,
        where: [condition, ...around],
        order,
        includesDeleted: true,
      });
    this.#query = queryOf(comparedAtWirePrecision(context, "==", identified, requested), []);
    if (!isCounted(plan, field)) return;
    const operands = { left: identified, right: requested };
    const isGreater: Node = { op: "binary", operator: ">", ...operands, type: types.boolean };
    this.#following = queryOf(isGreater, [{ by: identified, descending: false }]);
  }

  async find(
    identifier: string,
    request: PageRequest,
    order: RecordsQuery["order"],
    evaluation: EvaluationContext,
  ): Promise<RecordValue | null> {
    const value = this.#read(identifier);
    if (value === undefined) return null;
    const { session } = evaluation.work;
    const frame = bind(evaluation.frame, { identifier: value });
    return (
      (await session.record(this.#query, frame)) ??
      this.#positionOfGiven(order, value) ??
      this.#positionOfDeleted(request, order, value, session, frame)
    );
  }

  #isBy(order: RecordsQuery["order"]): boolean {
    return order.every(
      ({ by }) =>
        by.op === "field" && by.name === this.#field.name && by.of.op === "fixed" && by.of.name === "this",
    );
  }

  /**
   * Returns the position of a value that callers choose, in a list that is in its order. No record
   * needs to have the value.
   */
  #positionOfGiven(order: RecordsQuery["order"], value: Value): RecordValue | null {
    return order.length > 0 && this.#isGiven && this.#isBy(order)
      ? { "#row": 0, "#revision": 0, [this.#field.name]: value }
      : null;
  }

  /**
   * Returns the position of a deleted record. Sequence numbers have no gaps and are not reused. So
   * a missing number below an existing one was used by a deleted record, directly before the next
   * record.
   */
  async #positionOfDeleted(
    { seek }: PageRequest,
    order: RecordsQuery["order"],
    value: Value,
    session: Session,
    frame: Frame,
  ): Promise<RecordValue | null> {
    const next = this.#following && this.#isBy(order) ? await session.record(this.#following, frame) : null;
    if (!next || typeof value !== "number" || value < 1) return null;
    return { ...next, [this.#field.name]: value, "#row": next["#row"] - (seek === "before" ? 0 : 1) };
  }
}

/** Whether callers choose the field, and it alone identifies a record of the list. */
function isGiven({ resource, identifier }: ResourcePlan, { name }: Field, { scope }: Endpoint): boolean {
  const isMade = resource.identifier.kind === "made" && resource.identifier.field === name;
  return !isMade && identifier.every((part) => part === name || part === scope?.field);
}

/** Whether the field is `made by sequence()`, which counts all records. */
function isCounted({ resource }: ResourcePlan, field: Field): boolean {
  const { identifier } = resource;
  if (identifier.kind !== "made" || identifier.field !== field.name) return false;
  const sequence = identifier.by && sequenceOf(identifier.by.node);
  return sequence !== undefined && !sequence.within;
}

/** Returns the sort key values of a record. */
export async function keysOf(
  context: PlanContext,
  order: RecordsQuery["order"],
  record: RecordValue,
  evaluation: EvaluationContext,
): Promise<readonly Value[]> {
  const previous = evaluation.frame.this;
  evaluation.frame.this = record;
  const keys: Value[] = [];
  for (const key of order) keys.push(await evaluateOf(context, key.by)(evaluation));
  evaluation.frame.this = previous;
  return [...keys, record["#row"] as Value];
}

/**
 * Returns the key of the unmodified identifier in an item's shape; undefined if the shape has none.
 */
export function identifierKey(
  context: PlanContext,
  { name: identifier }: Field,
  item: Node,
): string | undefined {
  const isThis = (node: Node | undefined) => node?.op === "fixed" && node.name === "this";
  const find = (node: Node): string | undefined => {
    if (node.op === "representation") return isThis(node.of) ? identifier : undefined;
    if (node.op === "map") {
      return node.entries.find(
        ({ value }) => value.op === "field" && value.name === identifier && isThis(value.of),
      )?.key;
    }
    // The rightmost entry wins, and may be a different value for the same key.
    if (node.op === "call" && node.function === "merge") return find(nonNull(node.args.at(-1)));
    const body = node.op === "shape" && isThis(node.of) ? context.meaning.shapeBody(node.shape) : undefined;
    return body && find(body);
  };
  return find(item);
}

/** The identifier and the item, as a list of two. */
export function withIdentifierOf(plan: ResourcePlan, field: Field, item: Node): Node {
  const identifier = fieldNode(thisOf(plan.name), field.name, expressionType(field.type));
  return { op: "list", items: [identifier, item], type: { kind: "list", of: { kind: "any" } } };
}

/** Splits `["id",{…}]`. */
export function withoutIdentifier(row: ShapedRow): PageRow & { readonly json: string } {
  const [text = ""] = /^\[\s*("(?:[^"\\]|\\.)*"|[^,]*)\s*,/.exec(row.json) ?? [];
  const [identifier] = JSON.parse(`${text.slice(0, -1)}]`) as readonly unknown[];
  const json = row.json.slice(text.length, -1);
  return { json, cursor: row.cursor, identifier: String(identifier) };
}
