/**
 * Requested sort orders (part 4, `Order: any of … by query.sort`): parses `-priority,name` and
 * `capital.desc,name.asc.nullslast`. Any other text is an *invalid field*.
 */
import type { Node } from "../../expressions/node.ts";
import { types } from "../../expressions/type.ts";
import type { Value } from "../../expressions/value.ts";
import type { Endpoint, OrderChoice } from "../../model/model.ts";
import { parseDirection } from "../../model/endpoints/order-direction.ts";
import type { RecordsQuery } from "../../store/store.ts";
import { evaluateOf } from "../evaluation/evaluate.ts";
import type { Evaluate } from "../evaluation/context.ts";
import { comparedFields } from "./compared-fields.ts";
import { Problem } from "../problem.ts";
import { sentPath } from "../records/assigned-values.ts";
import type { PlanContext } from "../records/plan-context.ts";

export interface ChoicePlan {
  readonly text: Evaluate;
  /** The input's name, if an input contains the text. */
  readonly input: string | undefined;
  /** The sort keys, by their names in the version of the request. */
  readonly fields: ReadonlyMap<string, Node>;
}

export function planChoice(
  context: PlanContext,
  { resource = "" }: Endpoint,
  { of, text }: OrderChoice,
): ChoicePlan {
  return {
    text: evaluateOf(context, text),
    input: sentPath(text.node),
    fields: new Map([...comparedFields(context, resource, of)].map(([name, { by }]) => [name, by.node])),
  };
}

/**
 * Returns the keys of a request and a name for their statement; undefined if the request states no
 * order.
 *
 * @throws Problem (*invalid field*) if a term is invalid, or names an unknown field or a field
 * twice
 */
export function requestedKeys(
  plan: ChoicePlan,
  sent: Value,
): { readonly name: string; readonly keys: RecordsQuery["order"] } | undefined {
  const terms = (Array.isArray(sent) ? sent : String(sent ?? "").split(","))
    .map((term) => String(term).trim())
    .filter((term, _, { length }) => term !== "" || length > 1);
  if (terms.length === 0) return undefined;
  const named = new Set<string>();
  const keys: { by: Node; descending: boolean }[] = [];
  for (const text of terms) {
    const term = readTerm(text, plan.fields);
    if (!term) throw wrong(plan, sent, `has "${text}", which is not a field with a direction`);
    const by = plan.fields.get(term.name);
    if (!by)
      throw wrong(plan, sent, `has "${term.name}", and must be of ${[...plan.fields.keys()].join(", ")}`);
    if (named.has(term.name)) throw wrong(plan, sent, `has "${term.name}" twice`);
    named.add(term.name);
    const { descending } = term;
    // By default, nulls are last in ascending order and first in descending order.
    if (term.nulls !== undefined && (term.nulls === "first") !== descending)
      keys.push({ by: isNull(by), descending: term.nulls === "first" });
    keys.push({ by, descending });
  }
  return { name: terms.map((term) => `${term.length}:${term}`).join(), keys };
}

interface Term {
  readonly name: string;
  readonly descending: boolean;
  readonly nulls?: "first" | "last";
}

/**
 * Parses `-name`, `name.desc`, `name:asc` and `name desc`, each with `.nullsfirst` or `.nullslast`.
 */
function readTerm(text: string, fields: ChoicePlan["fields"]): Term | undefined {
  // A name in the API may have any characters.
  const whole = [text, text.slice(1)].find((name) => fields.has(name));
  if (whole === text) return { name: text, descending: false };
  if (whole !== undefined && /^[-+]/.test(text)) return { name: whole, descending: text.startsWith("-") };
  const [, sign = "", name = "", ...words] =
    /^([-+]?)([A-Za-z_]\w*)(?:[.:\s]+(asc\w*|desc\w*))?(?:[.:\s]+nulls_?(first|last))?$/i.exec(text) ?? [];
  const [direction, nulls] = words;
  if (name === "" || (sign !== "" && direction !== undefined)) return undefined;
  const descending = sign === "-" || (direction !== undefined && parseDirection(direction) === "descending");
  return {
    name,
    descending,
    ...(nulls === undefined ? {} : { nulls: nulls.toLowerCase() === "first" ? "first" : "last" }),
  };
}

function isNull(of: Node): Node {
  const nothing: Node = { op: "literal", value: null, type: types.null };
  return { op: "binary", operator: "==", left: of, right: nothing, type: types.boolean };
}

function wrong({ input }: ChoicePlan, value: Value, problem: string): Problem {
  return new Problem({
    condition: "invalid field",
    ...(input === undefined ? {} : { field: input }),
    value,
    problem,
  });
}
