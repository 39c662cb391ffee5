/** Parts 2 and 3 in the model: resources, fields, state machines and effects. */
import type { Expression } from "../../expressions/node.ts";
import type { Type } from "../../expressions/type.ts";
import type { FieldRule } from "../../fields/rule.ts";
import type { FieldType } from "../../fields/type.ts";
import type { Position } from "../../source/source.ts";
import type { Json } from "../../support/json.ts";
import type { Gap } from "./gaps.ts";

export interface Resource {
  readonly name: string;
  /** The name of its records in expressions: `Parcel` → `parcel`, `ApiKey` → `apiKey`. */
  readonly variableName: string;
  readonly position: Position;
  readonly prose: string;
  readonly identifier: Identifier;
  /**
   * In the order of the default representation. An identifier without a row is first, the state
   * field last.
   */
  readonly fields: readonly Field[];
  readonly unique: readonly { readonly fields: readonly string[]; readonly position: Position }[];
  readonly fails: readonly FailRule[];
  readonly visible?: Expression;
  readonly always: readonly Expression[];
  readonly kept?: { readonly milliseconds: number; readonly after: string; readonly position: Position };
  readonly deleted: "removed" | "marked";
  /** The value of `error.resource`: `Called`, or the name in lower case with `_`. */
  readonly called: string;
  readonly states?: StateMachine;
  /** `Records of`: records that every store has from the start. */
  readonly records: readonly {
    readonly fields: Readonly<Record<string, Json>>;
    /** The records that it refers to, by their keys. */
    readonly refersTo: readonly {
      readonly resource: string;
      readonly key: string | number;
      readonly position: Position;
    }[];
    readonly position: Position;
  }[];
  /** The gap, if the field list or the identifier is not shown. */
  readonly gap?: Gap;
  /** Items that are not shown and affect what is visible, rejected or stored. An endpoint that needs one responds with 501. */
  readonly openItems?: {
    readonly visible?: Gap;
    readonly unique?: Gap;
    readonly deleted?: Gap;
    /** A value of an initial record is not shown. */
    readonly records?: Gap;
  };
}

export type Identifier =
  /** `by` is absent if it is not shown. A record is then only created with a stated value. */
  | { readonly kind: "made"; readonly field: string; readonly by?: Expression }
  | { readonly kind: "given"; readonly field: string }
  | { readonly kind: "joint"; readonly fields: readonly string[] }
  /** A value, which has no table of its own. */
  | { readonly kind: "none" }
  | { readonly kind: "not shown"; readonly gap: Gap };

export interface Field {
  readonly name: string;
  readonly position: Position;
  readonly type: FieldType;
  readonly rules: readonly FieldRule[];
  readonly role: "plain" | "identifier" | "state";
  readonly meaning: string;
  /** The gap, if the type or a rule is not shown. A request that carries the field gets 501. */
  readonly gap?: Gap;
  readonly open?: OpenRules;
}

/** Rules of a field whose value is not shown, by the action that needs them. */
export interface OpenRules {
  /** `default`, `on create`: needed to create a record without a value for the field. */
  readonly made?: Gap;
  /** `on update`: needed to change a record. */
  readonly changed?: Gap;
  /** `on delete`: needed to delete the referenced record. */
  readonly deleted?: Gap;
  /** `=`: needed to read the field. */
  readonly read?: Gap;
}

/**
 * `Fails: code on field when condition`. `of`: the path heading that states it, if that path has no
 * record.
 */
export interface FailRule {
  readonly code: string;
  readonly of?: OfPath;
  /** The blamed field or input, as a dotted name. */
  readonly on?: string;
  readonly when: Expression;
  /** `, null passes`: the author accepts that a null in the comparison doesn't reject the request. */
  readonly nullPasses?: true;
  readonly position: Position;
}

export interface StateMachine {
  /** Absent if every row is `any` to `same`. */
  readonly field?: string;
  readonly fieldAt?: Position;
  /** An expression over the new record. A plain state is a literal. Absent without a state field. */
  readonly initial?: Expression;
  readonly initialGap?: Gap;
  /** Each with the first position in a column `From`, otherwise with that of a row that leads to it. */
  readonly states: readonly { readonly name: string; readonly final: boolean; readonly position: Position }[];
  readonly transitions: readonly Transition[];
}

/**
 * A transition with one or more ends. Of those whose `from` fits, the first whose guard holds
 * fires.
 */
export interface Transition {
  readonly name: string;
  readonly position: Position;
  readonly ends: readonly TransitionEnd[];
  /** Type of `body`: the inputs of all endpoints that fire the transition, and the `with` names of all `do`s. */
  readonly body: Type;
}

export interface TransitionEnd {
  readonly from: readonly string[] | "any";
  readonly to: string;
  /** Whether it keeps the state: `To: same`, or no state field. */
  readonly same: boolean;
  readonly trigger: Trigger;
  readonly guard?: { readonly condition: Expression; readonly otherwise?: string };
  readonly effects: readonly Effect[];
  readonly position: Position;
  /** Position of the transition's name in the row. */
  readonly nameAt: Position;
  readonly gap?: Gap;
  /** A state or the guard couldn't be read, which was reported. */
  readonly unread?: true;
}

export type Trigger =
  | { readonly kind: "call" }
  | { readonly kind: "immediately" }
  | { readonly kind: "after"; readonly milliseconds: number }
  | { readonly kind: "at"; readonly field: string }
  | { readonly kind: "not shown" };

export type Effect = {
  readonly when?: Expression;
  readonly position: Position;
} /**
 * `of` is absent for a field of `this`. Otherwise it is the record-valued node before the last dot; if it is null,
 * nothing is
 * assigned.
 */ & (
  | {
      readonly kind: "assign";
      readonly of?: Expression;
      readonly resource: string;
      readonly field: string;
      readonly fieldAt: Position;
      readonly value: Expression;
    }
  | {
      readonly kind: "create";
      readonly resource: string;
      readonly resourceAt: Position;
      readonly fields: readonly Assignment[];
      /** The identifier or unique fields among `fields` find a record, which is then changed instead. */
      readonly upsert?: true;
      readonly as?: string;
      /**
       * A `when` that names the variable is evaluated for each element. Any other belongs to the
       * effect and is evaluated once.
       */
      readonly for?: { readonly variable: string; readonly list: Expression; readonly when?: Expression };
    }
  | {
      readonly kind: "update";
      readonly resource: string;
      readonly where: Expression;
      readonly set: readonly Assignment[];
    }
  | { readonly kind: "delete"; readonly resource: string; readonly where: Expression }
  | {
      readonly kind: "do";
      readonly transition: string;
      readonly resource: string;
      readonly where: Expression;
      readonly first?: Expression;
      readonly by: readonly OrderKey[];
      readonly with: readonly { readonly name: string; readonly value: Expression }[];
    }
  | { readonly kind: "send"; readonly event: string }
);

export interface Assignment {
  readonly field: string;
  /** Position of the field's name. */
  readonly fieldAt: Position;
  readonly value: Expression;
}

export interface OrderKey {
  readonly by: Expression;
  readonly descending: boolean;
  /** `by query.direction, else ascending`: the requested direction (`asc…` or `desc…`). */
  readonly direction?: Expression;
}

export interface OfPath {
  readonly path: string;
}
