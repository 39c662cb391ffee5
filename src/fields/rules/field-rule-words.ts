/** What a rule of part 2 says of itself. One file for each rule; `index.ts` lists them in the order in which they are asked. */
import type { Value } from "../../expressions/value.ts";
import type { JsonSchema } from "../json-schema.ts";
import type { FieldRule, RuleName } from "../rule.ts";
import type { FieldType } from "../type.ts";

/** Asks a value that isn't null. Gives what is wrong, completing the field's name (`must be at least 1`), or undefined. */
export type Check = (value: Value) => string | undefined;

/** A check, and the rule that asks it. */
export type RuleCheck = Check & { readonly rule: FieldRule };

/** The rule of one name, its arguments with it. */
export type RuleOf<N extends RuleName> = FieldRule & { readonly rule: N };

export interface RuleWords<N extends RuleName = RuleName> {
  readonly rule: N;
  /** How it is written: `length 1..120`. */
  readonly written: string;
  /** The types that it may stand at, for a mistake's message. Absent: any. */
  readonly takes?: string;
  applies(type: FieldType): boolean;
  /** Makes another text of what was sent, before any rule is asked and the type is read. */
  readonly normalise?: (text: string) => string;
  /** Made once; absent for rules that ask nothing of a value as it arrives. */
  compile?(rule: RuleOf<N>, type: FieldType, words: LookUp): Check;
  /** Keywords to add to the schema of the type. */
  schema(rule: RuleOf<N>, type: FieldType, words: LookUp): JsonSchema;
  /** For people: `At most 120 characters.` */
  sentence(rule: RuleOf<N>, type: FieldType, words: LookUp): string;
}

/** Finds what another rule says of itself, for the rules that hold one. */
export type LookUp = (name: RuleName) => RuleWords;

/** A rule that is one mark, says nothing of single values as they arrive, and stands at any type. */
export function mark<N extends RuleName>(rule: N, sentence: string, schema: JsonSchema = {}): RuleWords<N> {
  return { rule, written: rule, applies: () => true, schema: () => schema, sentence: () => sentence };
}

/** Types whose values are texts that a caller writes. */
export function isTextType(type: FieldType): boolean {
  switch (type.kind) {
    case "string":
    case "enum":
    case "uuid":
    case "email":
    case "uri":
    case "password":
    case "credential":
    case "reference":
      return true;
    default:
      return false;
  }
}

/** `1 character`, `2 characters`. */
export function counted(count: number, one: string): string {
  return `${count} ${one}${count === 1 ? "" : "s"}`;
}
