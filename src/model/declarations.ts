/**
 * Symbol table: what the parts of a document declare, before expressions are read. Part modules
 * fill it in the order resources → states → endpoints' inputs and shapes → the rest (`build.ts`).
 * Every expression is bound against it, so each name is defined once and an unknown one gets a
 * suggestion.
 */
import type { Scope, Vocabulary } from "../expressions/scope.ts";
import type { Type } from "../expressions/type.ts";
import type { FieldRule } from "../fields/rule.ts";
import type { FieldType } from "../fields/type.ts";
import type { Phrase } from "../source/phrase.ts";
import type { Position } from "../source/source.ts";
import type { Gap } from "./model.ts";

export interface Declarations {
  readonly vocabulary: Vocabulary;
  readonly resources: ReadonlyMap<string, DeclaredResource>;
  /** Codes of part 7, with the place of their first row. */
  readonly errorCodes: ReadonlyMap<string, Position>;
  /** `Error codes: none`: then a missing code is no gap, and naming one is a mistake. */
  readonly codesAreNone: boolean;
  /** Events of part 6. */
  readonly events: ReadonlyMap<string, DeclaredEvent>;
  /** Scheme names of part 5. */
  readonly schemes: ReadonlyMap<string, Position>;
  readonly shapes: ReadonlyMap<string, DeclaredShape>;
  /** Names of rates, `core` of `rate core`. */
  readonly rateNames: ReadonlyMap<string, Position>;
  /** Whether these are all: where rates aren't shown, nothing is known of them. */
  readonly ratesAreKnown: boolean;
  /** Some scheme takes signed tokens. */
  readonly hasClaims: boolean;
  /** Names of versions. */
  readonly versions: ReadonlyMap<string, Position>;
  /** The type of `caller` and of `credential`; null where there is none. */
  readonly caller: Type;
  /** Of which resources the two are, where schemes differ. */
  readonly several: NonNullable<Scope["several"]>;
  readonly credential: Type;
  /** What `body` is in a transition. */
  transitionBody(resource: string, transition: string): Type;
  /** Names that are always there: caller, credential, request, now, service, limits. `this` and the like are added. */
  readonly baseScope: Scope;
}

export interface DeclaredResource {
  readonly name: string;
  readonly smallName: string;
  readonly position: Position;
  readonly isValue: boolean;
  readonly fields: ReadonlyMap<string, DeclaredField>;
  readonly identifier: readonly string[];
  /** The service makes the identifier; else a `create` must give it. */
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
  /** A rule that isn't shown may give a new record its value. */
  readonly openOnCreate?: boolean;
}

export interface DeclaredEvent {
  readonly name: string;
  readonly position: Position;
  /** What `this` is in its payload: a record of this resource, or of one of these; absent where that isn't known. */
  readonly resource?: RecordOf;
}

/** A resource; where a record may be of several, all of them. */
export type RecordOf = string | readonly string[];

/** What a record is that may be what any of these are; undefined where one of them isn't known, or there are none. */
export function recordOf(all: readonly (RecordOf | undefined)[]): RecordOf | undefined {
  if (all.includes(undefined)) return undefined;
  const names = [...new Set(all.flatMap((all) => all ?? []))];
  return names.length > 1 ? names : names[0];
}

export interface DeclaredShape {
  readonly name: string;
  readonly position: Position;
  readonly of?: string;
  /** What its part adds to the names in play: `event` in part 6, `error` in part 7. */
  readonly names: Scope["fixed"];
  readonly body: Phrase | undefined;
}
