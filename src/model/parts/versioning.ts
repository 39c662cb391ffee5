/** Part 9 in the model: versions and their changes. */
import type { Expression } from "../../expressions/node.ts";
import type { Position } from "../../source/source.ts";
import type { StoredChange } from "../stored/stored-change.ts";
import type { Gap } from "./gaps.ts";
import type { TextAt } from "./purpose.ts";

export interface VersioningPart {
  readonly scheme?:
    | { readonly kind: "path prefix" }
    | { readonly kind: "header" | "query"; readonly name: string }
    | { readonly kind: "media type" }
    | { readonly kind: "none" };
  readonly default?: "oldest" | "current" | { readonly version: string } | { readonly pinned: Expression };
  /** `Default` is not shown: a request without a version gets 501. */
  readonly openDefault?: Gap;
  readonly compatibility?: string;
  /** In the order of the table. Empty: a single version without a name. */
  readonly versions: readonly Version[];
  /** In the order of execution: the document's, with the headings of versions in version order. */
  readonly storedChanges: readonly StoredChange[];
  /** `Stored from`: a store that has run neither the step of this name nor a later one is rejected. */
  readonly storedFrom?: TextAt;
}

export interface Version {
  readonly name: string;
  readonly status: "current" | "supported" | "deprecated" | "retired";
  /** The day of deprecation, if stated, and the day until which the version is served. */
  readonly since?: string;
  readonly until?: string;
  readonly untilAt?: Position;
  /** `### Changes in <name>`: how the previous version differs. */
  readonly changes: readonly VersionChange[];
  /** Positions of its headings. */
  readonly changesAt?: readonly Position[];
  readonly position: Position;
}

export type VersionChange = { readonly position: Position } & (
  | { readonly kind: "renamed"; readonly subject: string; readonly from: string; readonly to: string }
  | { readonly kind: "added"; readonly subject: string; readonly name: string }
  | {
      readonly kind: "removed";
      readonly subject: string;
      readonly name: string;
      readonly was?: Expression;
      /** `, stored`: the stored values are removed, too. */
      readonly stored?: true;
    }
  | {
      readonly kind: "removed input";
      readonly input: string;
      readonly endpoint: string;
      readonly as?: { readonly input: string; readonly value: Expression };
    }
  | { readonly kind: "default"; readonly subject: string; readonly name: string; readonly was: Expression }
  | {
      readonly kind: "replaced";
      readonly subject: string;
      readonly name: string;
      readonly new: Expression;
      readonly old: Expression;
      /** `, stored`: `new` converts the stored values. */
      readonly stored?: true;
    }
  | { readonly kind: "endpoint added" | "endpoint removed"; readonly endpoint: string }
);
