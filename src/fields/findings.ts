/**
 * Findings of reading inputs: all problems at once, and the references that the engine must look
 * up.
 */
import type { Value } from "../expressions/value.ts";
import type { Position } from "../source/source.ts";
import type { Json } from "../support/json.ts";
import type { FieldRule } from "./rule.ts";

/** The conditions of part 7 that the reading of inputs can raise. */
export type InputCondition = "missing field" | "invalid field" | "unknown field" | "malformed body";

export interface InputProblem {
  readonly condition: InputCondition;
  /** Dotted path such as `lines[0].sku`, without the wrapper of `Body in`. Empty for the complete body. */
  readonly field: string;
  /** The sent value. Absent if none was sent. */
  readonly value?: Json;
  /** Predicate to the name of the field: `must be at least 1`. */
  readonly problem: string;
  /** For an unknown field: the most similar known name. */
  readonly nearest?: string;
  /** The violated rule. Absent if the value has the wrong type. */
  readonly rule?: FieldRule;
  /** For an unknown field: whether it is in the body, where a pointer can lead to it. */
  readonly isInBody?: true;
  /** The position of the element in a body that is a list; `field` is within the element. */
  readonly element?: number;
}

/** A sent identifier. The engine looks up whether its record exists and is visible. */
export interface ReferenceFound {
  readonly resource: string;
  readonly value: Value;
  readonly field: string;
  readonly element?: number;
}

/** A sent field whose type or rule is not shown: the response is 501 and names the field. */
export interface GapFound {
  readonly field: string;
  readonly gap: GapSpec;
}

/** The members of the model's `Gap` that fields need. */
export interface GapSpec {
  readonly subject: string;
  readonly position: Position;
}

/** What happens to unknown keys of an object. If it isn't shown, a request that has one is answered 501. */
export type UnknownKeys = "rejected" | "ignored" | GapSpec;

/**
 * Maximum number of reported problems: a list of ten thousand wrong elements is one mistake, not
 * ten thousand.
 */
const problemsMax = 50;

export class Findings {
  readonly references: ReferenceFound[] = [];
  readonly gaps: GapFound[] = [];
  /** Position of the input being read. Problems are reported in the order of the inputs. */
  order = 0;
  /** The element that is being read, of a body that is a list. */
  element: number | undefined;
  /** Number of problems found, including those beyond the maximum. */
  count = 0;
  /** Whether the body is read now, and not the query or a header. */
  readsBody = false;
  readonly #problems: InputProblem[] = [];
  readonly #orders: number[] = [];

  /** Adds a problem. Returns undefined, which readers return for an invalid value. */
  refuse(
    condition: InputCondition,
    field: string,
    problem: string,
    value?: Json,
    more: Pick<InputProblem, "nearest" | "rule" | "isInBody"> = {},
  ): undefined {
    this.count += 1;
    if (this.count > problemsMax) return undefined;
    this.#problems.push({
      condition,
      field,
      problem,
      ...(value === undefined ? {} : { value }),
      ...(this.element === undefined ? {} : { element: this.element }),
      ...more,
    });
    this.#orders.push(this.order);
    return undefined;
  }

  /** Reports an unknown key, unless the document ignores it. One gap is enough for a request. */
  refuseUnknown(
    treatment: UnknownKeys,
    field: string,
    { key, nearest }: { readonly key?: string; readonly nearest?: string | undefined } = {},
  ): void {
    if (treatment === "ignored") return;
    if (treatment === "rejected")
      this.refuse("unknown field", field, "is not a known field", undefined, {
        ...(nearest === undefined ? {} : { nearest }),
        // A key with a dot or a bracket would be read as several steps of the path.
        ...(this.readsBody && key !== undefined && !/[.[\]]/.test(key) ? { isInBody: true } : {}),
      });
    else if (this.gaps.length === 0) this.gaps.push({ field, gap: treatment });
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
