/** What a random document is drawn of, before it is text: resources, their fields and states, as far as expressions can name them. */
import type { Draw } from "../simulation/draw.ts";

export interface FieldDraft {
  readonly name: string;
  /** A type's word, or `enum`, `list`, `map`, `object`, `reference`, `value`, `state`. */
  readonly kind: string;
  /** As the table writes it. */
  readonly type: string;
  readonly values?: readonly string[];
  /** What a list or a map has, or the parts of an object. */
  readonly of?: FieldDraft;
  readonly parts?: readonly FieldDraft[];
  readonly resource?: string;
  /** Its rules, once they are drawn. */
  rules?: string;
}

export interface ResourceDraft {
  readonly name: string;
  readonly isValue: boolean;
  /** Nothing is said of it that could refuse a record. */
  readonly isPlain?: boolean;
  readonly fields: FieldDraft[];
  /** Of several fields, or of none, undefined. */
  identifier?: FieldDraft;
  identifierItem?: string;
  stateField?: string;
  readonly transitions: string[];
  readonly calls: string[];
}

export interface Draft {
  readonly draw: Draw;
  readonly resources: ResourceDraft[];
  /** The resource of callers; none where there is no scheme. */
  caller?: string;
  /** Codes of part 7 that `Fails` may name. */
  readonly codes: readonly string[];
  /** Shapes of a resource, by name. */
  readonly shapes: Map<string, string>;
  readonly sent: string[];
  /** How many variables of macros have a name. */
  variables: number;
}

export function resourceNamed({ resources }: Draft, name: string): ResourceDraft {
  const found = resources.find((one) => one.name === name);
  if (!found) throw new Error(`no ${name}`);
  return found;
}

/** One of the choices, each as often as its weight says. */
export function weighed<T>(draw: Draw, choices: readonly (readonly [weight: number, choice: T])[]): T {
  let left = draw.below(choices.reduce((sum, [weight]) => sum + weight, 0));
  for (const [weight, choice] of choices) {
    left -= weight;
    if (left < 0) return choice;
  }
  throw new Error("nothing to choose from");
}

/** Some of them, in their order. */
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

/** Whether a record can't be made without it. */
export function isNeeded({ rules = "" }: FieldDraft): boolean {
  return /(^|, )required/.test(rules) && !/default /.test(rules);
}
