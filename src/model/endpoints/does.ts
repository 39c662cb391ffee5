/**
 * The kinds of `Does` (part 4) and the facts of each, so that no other file needs a list of kinds.
 * `engine/actions` implements them, and `reading/endpoints/does.ts` reads them.
 */
import type { Expression } from "../../expressions/node.ts";
import type { FieldRule } from "../../fields/rule.ts";
import { ruleNamed } from "../../fields/rules/index.ts";
import type { Position } from "../../source/source.ts";

export type Does = { readonly when?: Expression; readonly position: Position } & (
  | { readonly kind: "list"; readonly resource: string }
  | { readonly kind: "create" | "upsert"; readonly resource: string; readonly orList?: OrList }
  | ({ readonly kind: "read" | "replace"; readonly resource: string } & MayFindNone)
  | ({ readonly kind: "update" | "delete"; readonly resource: string; readonly every: boolean } & MayFindNone)
  | ({ readonly kind: "transition"; readonly resource: string; readonly transition: string } & MayFindNone)
  | { readonly kind: "sign in"; readonly resource: string }
  | { readonly kind: "stream" }
  | { readonly kind: "answer" }
  | { readonly kind: "handler"; readonly name: string }
);

/**
 * `create Book or list of Book, items ..100`: the body is an object, or a list of such objects. For
 * a list, what the endpoint does is repeated for each element, in one transaction.
 */
export interface OrList {
  /** The bounds of the list. */
  readonly items?: Extract<FieldRule, { rule: "items" }>;
}

/**
 * `read Parcel, if any`: without such a record nothing is done, and `Returns` gives the response.
 */
interface MayFindNone {
  readonly ifAny: boolean;
}

export type DoesKind = Does["kind"];

/** The records of an operation: a new one, an existing one, or many. */
export type Reach = "new" | "one" | "new or one" | "many" | "none";

interface KindOfDoes {
  /** The records, unless it is about `every` record. */
  readonly reach: Reach;
  /** What it changes in a record of its resource. */
  readonly changes?: "fields" | "state" | "existence";
  /** Whether it changes nothing. */
  readonly onlyReads?: true;
  /** Whether it is written as its kind and a resource: `create Parcel`. */
  readonly isVerb?: true;
}

export const doesKinds: Readonly<Record<DoesKind, KindOfDoes>> = {
  create: { reach: "new", changes: "fields", isVerb: true },
  read: { reach: "one", onlyReads: true, isVerb: true },
  list: { reach: "many", onlyReads: true, isVerb: true },
  update: { reach: "one", changes: "fields", isVerb: true },
  replace: { reach: "one", changes: "fields", isVerb: true },
  upsert: { reach: "new or one", changes: "fields", isVerb: true },
  delete: { reach: "one", changes: "existence", isVerb: true },
  transition: { reach: "one", changes: "state" },
  "sign in": { reach: "one" },
  stream: { reach: "none", onlyReads: true },
  answer: { reach: "none", onlyReads: true },
  handler: { reach: "none" },
};

/** A `Does`, before or after binding. */
type Deed = {
  readonly kind: DoesKind;
  readonly resource?: string;
  readonly every?: boolean;
  readonly orList?: OrList;
};

export function reachOf({ kind, every }: Deed): Reach {
  return every ? "many" : doesKinds[kind].reach;
}

/** Whether the client of the request becomes the caller. The sent values identify the record. */
export function signsIn({ kind }: Deed): boolean {
  return kind === "sign in";
}

/** Whether it changes an existing record and creates a missing one. */
export function createsIfMissing(deed: Deed): boolean {
  return reachOf(deed) === "new or one";
}

/**
 * Whether it is about one existing record, selected by the path or by `Where` (or `Order`). A sign-in selects its
 * record by the sent values.
 */
export function isOnExistingRecord(deed: Deed): boolean {
  return reachOf(deed) === "one" && !signsIn(deed);
}

/** Whether it creates a record, or may create one. */
export function mayCreate({ kind }: Deed): boolean {
  const { reach } = doesKinds[kind];
  return reach === "new" || reach === "new or one";
}

/** Whether it changes a record of its resource, or a new one. */
export function isChanging({ kind }: Deed): boolean {
  return doesKinds[kind].changes !== undefined;
}

/** Whether it sets fields of a record. */
export function setsFields({ kind }: Deed): boolean {
  return doesKinds[kind].changes === "fields";
}

export function isOnlyReading({ kind }: Deed): boolean {
  return doesKinds[kind].onlyReads === true;
}

/** Whether the body of an endpoint may be a list, and its bounds. All its operations agree. */
export function listBodyOf({ does }: { readonly does: readonly Deed[] }): OrList | undefined {
  return does.find(({ orList }) => orList !== undefined)?.orList;
}

/** The `Does` as authors write it. */
export function doesText(does: Does): string {
  switch (does.kind) {
    case "transition":
      return `${does.transition} ${does.resource}`;
    case "handler":
      return `handler ${does.name}`;
    default:
      if (!("resource" in does)) return does.kind;
      return `${does.kind} ${"every" in does && does.every ? "every " : ""}${does.resource}${orListText(does)}`;
  }
}

function orListText(does: Extract<Does, { readonly resource: string }>): string {
  if (!("orList" in does) || !does.orList) return "";
  const { items } = does.orList;
  return ` or list of ${does.resource}${items ? `, ${ruleNamed(items)}` : ""}`;
}

// ── The choices of one endpoint: all of them about one resource (decision "Choices that read the body") ──

/** The resource, or the kind if it has no resource. */
export function subjectOf(deed: Deed): string {
  return deed.resource ?? deed.kind;
}

/**
 * A `stream` has no record. It may report the changes of what another alternative reads; else it
 * must be one of the alternatives.
 */
export function choicesOf<D extends Deed>(does: readonly D[]): readonly D[] {
  const reads = does.some(({ kind }) => kind === "read" || kind === "list");
  return reads ? does.filter(({ kind }) => kind !== "stream") : does;
}

/** Whether all alternatives are about the same subject. */
export function isOfSingleSubject(does: readonly Deed[]): boolean {
  return new Set(choicesOf(does).map(subjectOf)).size <= 1;
}
