/**
 * Interface of a field rule (part 2): its notation, checks and schema. Each rule has a file;
 * `index.ts` lists them and has no knowledge of single rules.
 */
import type { Reporter } from "../../diagnostics/diagnostic.ts";
import type { Expression } from "../../expressions/node.ts";
import type { KeyForm } from "../../expressions/key.ts";
import type { Value } from "../../expressions/value.ts";
import type { Phrase } from "../../source/phrase.ts";
import type { JsonSchema } from "../json-schema.ts";
import type { FieldRule, RuleName } from "../rule.ts";
import type { FieldType } from "../type.ts";
import { isFormedText } from "../../expressions/type.ts";

/**
 * Checks a value other than null. Returns the violation as a predicate to the field's name (`must be at least 1`), or
 * undefined.
 */
export type Check = (value: Value) => string | undefined;

/** A check with the rule that it belongs to. */
export type RuleCheck = Check & { readonly rule: FieldRule };

/** A rule that consists of its name. */
export interface Mark<N extends string> {
  readonly rule: N;
}

export interface RuleWithExpression<N extends string> {
  readonly rule: N;
  readonly value: Expression;
}

/**
 * The owner of a rule: a field of a resource, of a value, a part of an object, or an input without
 * a field.
 */
export type RuleOwner = "field" | "value" | "part" | "input";

/** Why a rule doesn't fit its owner. */
export interface Misfit {
  /** What the rule is applied to: `a list`, `an input`. */
  readonly subject: string;
  /** Examples of rules that fit. */
  readonly fitting: readonly string[];
}

/** Context in which the text of a rule is read. */
export interface RuleReading {
  readonly reporter: Reporter;
  readonly whole: Phrase;
  /** Reports that this (the complete rule by default) is unreadable, and what was expected. */
  unreadable(expected: string, at?: Phrase): undefined;
  /** Reads a nested rule, which must be one of those expected. Undefined if it was reported. */
  inner(phrase: Phrase, expected: string): FieldRule | undefined;
}

export interface RuleWords<R extends { readonly rule: string } = FieldRule> {
  readonly rule: R["rule"];

  // Notation of the rule: its name alone, a name with an expression, or what `read` parses.
  /** How the rule starts, for hints. Default: its name. */
  readonly starts?: readonly string[];
  /**
   * The offset of the rule's content in such a text. Undefined if the text is another rule's.
   * Absent: after its name.
   */
  readonly matchStart?: (text: string) => number | undefined;
  readonly takesExpression?: true;
  /** Undefined where it was reported. */
  read?(rest: Phrase, reading: RuleReading): R | undefined;
  /** What other notations call it, and what to write instead. */
  readonly otherWords?: Readonly<Record<string, string>>;
  /** As reports name it: `length 1..120`. Absent: its name. */
  named?(rule: R, any: AnyRule): string;

  // Its allowed owners.
  /** Default: every owner. */
  readonly places?: readonly RuleOwner[];
  /** The allowed types, for the message. Default: any. */
  readonly takes?: string;
  /** Default: every type. */
  applies?(type: FieldType): boolean;
  /** Why a rule doesn't fit a type that accepts rules of this name. */
  misfit?(rule: R, type: FieldType): Misfit | undefined;
  /** Rules that contradict this one, or that it makes useless. One of the two rules states it. */
  readonly contradicts?: readonly RuleName[];
  /** For a rule that contains a rule: the type that the inner rule applies to. */
  innerType?(type: FieldType): FieldType;

  // What it does.
  /**
   * What the rule applies to, if not to a sent value. It may be the stored record, which doesn't
   * concern an input that sets the field. Or it is the form of a value, which also applies to every
   * value compared with the field.
   */
  readonly isAbout?: "record" | "form";
  /** The field is set by the service alone: never sent in a request. */
  readonly isServiceSet?: true;
  /** The field isn't in the default representation. */
  readonly isHidden?: true;
  /** Normalizes the sent text before the rules are checked and the type reads it. */
  readonly normalise?: (text: string) => string;
  /** Called once. Absent for rules that don't check sent values. */
  compile?(rule: R, type: FieldType, any: AnyRule, keyForms?: KeyFormsOf): Check;
  /** The check is slow, so it runs only if the others passed. */
  readonly isCheckedLast?: true;
  /**
   * For a bounding rule: the notation for this type, for authors who used a rule that can't bound
   * it.
   */
  bounds?(type: FieldType): string;

  /**
   * What the addition or change of the rule means for stored records. `restricts`: stored values may
   * violate it. `bounds`: they may, unless the bounds are only wider than before. `normalises`:
   * another form is stored from now on. `nothing`: the rule concerns no stored value, or something
   * else checks it.
   */
  readonly forStored: "restricts" | "bounds" | "normalises" | "nothing";

  // Its description in exports.
  /** Keywords to add to the schema of the type. */
  schema?(rule: R, type: FieldType, any: AnyRule): JsonSchema;
  /** For people: `At most 120 characters.` */
  sentence(rule: R, type: FieldType, any: AnyRule): string;
}

/** The forms in which keys contain the identifying fields of a resource. */
export type KeyFormsOf = (resource: string) => readonly KeyForm[];

/** The properties that all rules have, for rules that contain one. */
export interface AnyRule {
  named(rule: FieldRule): string;
  check(rule: FieldRule, type: FieldType): Check | undefined;
  schema(rule: FieldRule, type: FieldType): JsonSchema;
  sentence(rule: FieldRule, type: FieldType): string;
}

const otherTexts: ReadonlySet<FieldType["kind"]> = new Set<FieldType["kind"]>([
  "string",
  "enum",
  "password",
  "credential",
  "reference",
]);

/** Types whose values are texts that a caller writes. */
export function isTextType(type: FieldType): boolean {
  return isFormedText(type.kind) || otherTexts.has(type.kind);
}

/** `1 character`, `2 characters`. */
export function counted(count: number, unit: string): string {
  return `${count} ${unit}${count === 1 ? "" : "s"}`;
}
