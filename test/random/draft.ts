/**
 * Draft of a random document, before it is text: its resources with the fields and states that
 * expressions can name.
 */
import type { Draw } from "../simulation/draw.ts";

export interface FieldDraft {
  readonly name: string;
  /** The name of the type, or `enum`, `list`, `map`, `object`, `reference`, `value`, `state`. */
  readonly kind: string;
  /** The type as the table states it. */
  readonly type: string;
  readonly values?: readonly string[];
  /** The elements of a list or map, or the parts of an object. */
  readonly of?: FieldDraft;
  readonly parts?: readonly FieldDraft[];
  readonly resource?: string;
  /** Its rules; undefined until they are drawn. */
  rules?: string;
}

export interface ResourceDraft {
  readonly name: string;
  readonly isValue: boolean;
  /** The field has no rule that could reject a record. */
  readonly isPlain?: boolean;
  readonly fields: FieldDraft[];
  /** Undefined if several fields or none identify a record. */
  identifier?: FieldDraft;
  identifierItem?: string;
  stateField?: string;
  readonly transitions: string[];
  readonly calls: string[];
}

export interface Draft {
  readonly draw: Draw;
  readonly resources: ResourceDraft[];
  /** The resource of callers; undefined without an authentication scheme. */
  caller?: string;
  /** Codes of part 7 that `Fails` may name. */
  readonly codes: readonly string[];
  /** Shapes of a resource, by name. */
  readonly shapes: Map<string, string>;
  readonly sent: string[];
  /** The number of macro variables so far, which makes their names unique. */
  variables: number;
}

export function resourceNamed({ resources }: Draft, name: string): ResourceDraft {
  const found = resources.find((resource) => resource.name === name);
  if (!found) throw new Error(`no ${name}`);
  return found;
}

/** Draws one of the choices in proportion to its weight. */
export function weighed<T>(draw: Draw, choices: readonly (readonly [weight: number, choice: T])[]): T {
  let left = draw.below(choices.reduce((sum, [weight]) => sum + weight, 0));
  for (const [weight, choice] of choices) {
    left -= weight;
    if (left < 0) return choice;
  }
  throw new Error("nothing to choose from");
}

/** A random selection, in the given order. */
export function someOf<T>(draw: Draw, all: readonly T[], percent: number): T[] {
  return all.filter(() => draw.happens(percent));
}

export function smallName(name: string): string {
  return name.slice(0, 1).toLowerCase() + name.slice(1);
}

/** Whether a request may send it. */
export function isSent({ rules = "", kind }: FieldDraft): boolean {
  return kind !== "state" && !/(^|, )(= `|on create|on update|read-only|internal)/.test(rules);
}

/** Whether a record can't be created without the field. */
export function isNeeded({ rules = "" }: FieldDraft): boolean {
  return /(^|, )required/.test(rules) && !/default /.test(rules);
}
