/**
 * Symbol table: what the parts of a document declare, before expressions are read. Part modules
 * fill it in the order resources → states → endpoints' inputs and shapes → the rest (`build.ts`).
 * Every expression is bound against it, so each name is defined once and an unknown one gets a
 * suggestion.
 */
import type { Scope, Vocabulary } from "../../expressions/scope.ts";
import type { Type } from "../../expressions/type.ts";
import type { FieldRule } from "../../fields/rule.ts";
import type { FieldType } from "../../fields/type.ts";
import type { Phrase } from "../../source/phrase.ts";
import type { Position } from "../../source/source.ts";
import type { Gap } from "../model.ts";

export interface Declarations {
  readonly vocabulary: Vocabulary;
  readonly resources: ReadonlyMap<string, DeclaredResource>;
  /** Codes of part 7, with the position of their first row. */
  readonly errorCodes: ReadonlyMap<string, Position>;
  /** `Error codes: none`: a missing code is not a gap, and naming a code is a mistake. */
  readonly codesAreNone: boolean;
  /** Events of part 6. */
  readonly events: ReadonlyMap<string, DeclaredEvent>;
  /** Scheme names of part 5. */
  readonly schemes: ReadonlyMap<string, Position>;
  readonly shapes: ReadonlyMap<string, DeclaredShape>;
  /** Names of rates, `core` of `rate core`. */
  readonly rateNames: ReadonlyMap<string, Position>;
  /** Whether these are all rates. If rates aren't shown, unknown names aren't mistakes. */
  readonly ratesAreKnown: boolean;
  /** Whether a scheme accepts signed tokens. */
  readonly hasClaims: boolean;
  /** Names of versions. */
  readonly versions: ReadonlyMap<string, Position>;
  /** The type of `caller`. Null without callers. */
  readonly caller: Type;
  /** The resources of `caller` and `credential`, if schemes differ. */
  readonly several: NonNullable<Scope["several"]>;
  readonly credential: Type;
  /** The type of `body` in a transition. */
  transitionBody(resource: string, transition: string): Type;
  /** Names that are always available: caller, credential, request, now, service, limits. `this` and similar names are added. */
  readonly baseScope: Scope;
}

export interface DeclaredResource {
  readonly name: string;
  readonly variableName: string;
  readonly position: Position;
  readonly isValue: boolean;
  readonly fields: ReadonlyMap<string, DeclaredField>;
  readonly identifier: readonly string[];
  /** Whether the service generates the identifier. Otherwise a `create` must set it. */
  readonly identifierMade?: boolean;
  readonly stateField?: string;
  readonly states: readonly string[];
  readonly transitions: readonly string[];
  readonly deletedMarked: boolean;
  readonly gap?: Gap;
}

export interface DeclaredField {
  readonly name: string;
  readonly position: Position;
  readonly type: FieldType;
  /** Rules without expressions are final; those with expressions are bound later. */
  readonly rules: readonly FieldRule[];
  readonly computed: boolean;
  readonly role: "plain" | "identifier" | "state";
  readonly gap?: Gap;
  /** Whether a rule that isn't shown may give a new record its value. */
  readonly openOnCreate?: boolean;
}

export interface DeclaredEvent {
  readonly name: string;
  readonly position: Position;
  /** The resource of `this` in the payload, or several. Absent if unknown. */
  readonly resource?: RecordOf;
}

/** A resource, or several if the record may belong to any of them. */
export type RecordOf = string | readonly string[];

/** The union of what records may be. Undefined if one of them is unknown, or if there are none. */
export function recordOf(all: readonly (RecordOf | undefined)[]): RecordOf | undefined {
  if (all.includes(undefined)) return undefined;
  const names = [...new Set(all.flatMap((all) => all ?? []))];
  return names.length > 1 ? names : names[0];
}

export interface DeclaredShape {
  readonly name: string;
  readonly position: Position;
  readonly of?: string;
  /** `data` of `### Shape: Envelope(data)`. */
  readonly parameters?: readonly string[];
  /** Names that the part adds: `event` in part 6, `error` in part 7. */
  readonly names: Scope["fixed"];
  readonly body: Phrase | undefined;
}
