/** A field as its table states it, before its expressions are bound. */
import type { FieldType, FieldPart } from "../../../fields/type.ts";
import type { Phrase } from "../../../source/phrase.ts";
import type { Position } from "../../../source/source.ts";
import type { Gap, OpenRules } from "../../model.ts";
import type { RuleSyntax } from "./field-rules.ts";
import type { FieldContext } from "./field-type.ts";
import type { RuleOwner } from "../../../fields/rules/index.ts";

/** A part whose rules have expressions that aren't bound yet. */
export interface PartDraft {
  /** Mutable, because bound rules replace the ones that were read. */
  readonly part: { -readonly [K in keyof FieldPart]: FieldPart[K] };
  readonly rules: readonly RuleSyntax[];
}

export interface FieldDraft {
  readonly name: string;
  readonly position: Position;
  readonly type: FieldType;
  readonly rules: readonly RuleSyntax[];
  readonly role: "plain" | "identifier" | "state";
  readonly meaning: string;
  readonly gap?: Gap;
  readonly open?: OpenRules;
  /** Rows for its parts, whose rules may have expressions of their own. */
  readonly parts: readonly PartDraft[];
}

/** Context in which the rows of a resource's table are read. */
export interface FieldTableContext extends FieldContext {
  readonly resource: string;
  readonly owner: RuleOwner;
  /** Names of the identifying fields and of the state field. */
  readonly identifier: readonly string[];
  readonly stateField?: string;
  /**
   * The generated field, and its type if the table doesn't state it: by `sequence()`, an integer.
   */
  readonly made?: { readonly field: string; readonly type: FieldType };
  /** The names so far, in lower case, because databases don't distinguish case. */
  readonly folded: Map<string, Phrase>;
  /** Records that the item "fields" is stated. */
  stated(position: Position): void;
  /** The type of a row with `state`. A resource without such a state field is reported. */
  stateType(cell: Phrase, field: string): { readonly type: FieldType; readonly gap?: Gap };
}
