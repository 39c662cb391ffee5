/**
 * Findings of reading inputs: all problems at once, and the references that the engine must look
 * up.
 */
import type { Value } from "../expressions/value.ts";
import type { Position } from "../source/source.ts";
import type { Json } from "../support/json.ts";
import type { FieldRule } from "./rule.ts";

/** The conditions of part 7 that reading can meet. */
export type InputCondition = "missing field" | "invalid field" | "unknown field" | "malformed body";

export interface InputProblem {
  readonly condition: InputCondition;
  /** Dotted, `lines[0].sku`, without the wrapper of `Body in`; empty for the body as a whole. */
  readonly field: string;
  /** What was sent; absent where nothing was. */
  readonly value?: Json;
  /** Completes the field's name: `must be at least 1`. */
  readonly problem: string;
  /** Of an unknown field: the known one that is nearest. */
  readonly nearest?: string;
  /** The rule that it breaks; absent where it isn't of its type. */
  readonly rule?: FieldRule;
}

/** An identifier that was sent: does the record exist (and is it visible)? */
export interface ReferenceFound {
  readonly resource: string;
  readonly value: Value;
  readonly field: string;
}

/** A request carries a field whose type or rule is not shown: 501, naming it. */
export interface GapFound {
  readonly field: string;
  readonly gap: GapSpec;
}

/** The part of the model's `Gap` that fields need. */
export interface GapSpec {
  readonly subject: string;
  readonly position: Position;
}

/**
 * Maximum number of reported problems: a list of ten thousand wrong elements is one mistake, not
 * ten thousand.
 */
const problemsMax = 50;

export class Findings {
  readonly references: ReferenceFound[] = [];
  readonly gaps: GapFound[] = [];
  /** Path of the input being read. Problems are reported in the order of the inputs. */
  order = 0;
  /** Number of problems found, including those beyond the maximum. */
  count = 0;
  readonly #problems: InputProblem[] = [];
  readonly #orders: number[] = [];

  /** Notes a problem. Answers undefined, which is what readers give instead of a value. */
  refuse(
    condition: InputCondition,
    field: string,
    problem: string,
    value?: Json,
    more: Pick<InputProblem, "nearest" | "rule"> = {},
  ): undefined {
    this.count += 1;
    if (this.count > problemsMax) return undefined;
    this.#problems.push({
      condition,
      field,
      problem,
      ...(value === undefined ? {} : { value }),
      ...more,
    });
    this.#orders.push(this.order);
    return undefined;
  }

  /** The maximum is reached, so further checks can be skipped. */
  get full(): boolean {
    return this.count >= problemsMax;
  }

  problems(): readonly InputProblem[] {
    if (this.#problems.length < 2) return this.#problems;
    const places = this.#problems.map((_, index) => index);
    // Stable sort: problems of one input keep the order of its rules.
    places.sort((a, b) => (this.#orders[a] as number) - (this.#orders[b] as number));
    return places.map((path) => this.#problems[path] as InputProblem);
  }
}
