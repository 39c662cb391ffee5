/**
 * The model: the meaning of a checked document, as frozen plain data with positions that survives
 * JSON. Engine, exports, docs, compare and verify all read it. It has no syntax nodes and no
 * functions.
 */
import type { Authentication } from "./parts/authentication.ts";
import type { Endpoint, EndpointsPart, PathHeading, Shape, ShapeFunction } from "./parts/endpoints.ts";
import type { ErrorsPart } from "./parts/errors.ts";
import type { EventsPart } from "./parts/events.ts";
import type { LedgerEntry } from "./parts/gaps.ts";
import type { LimitsPart } from "./parts/limits.ts";
import type { Scenario } from "./parts/purpose.ts";
import type { Resource } from "./parts/resources.ts";
import type { VersioningPart } from "./parts/versioning.ts";

export type { Condition } from "./errors/conditions.ts";
export type { Does } from "./endpoints/does.ts";
export type * from "./parts/gaps.ts";
export type * from "./parts/purpose.ts";
export type * from "./parts/resources.ts";
export type * from "./parts/endpoints.ts";
export type * from "./parts/authentication.ts";
export type * from "./parts/events.ts";
export type * from "./parts/errors.ts";
export type * from "./parts/limits.ts";
export type * from "./parts/versioning.ts";
export type { PathSegment, PathTemplate } from "./endpoints/path-text.ts";
export type {
  StoredChange,
  StoredEffect,
  StoredForEach,
  StoredRemoval,
  StoredRename,
} from "./stored/stored-change.ts";

export interface Model {
  readonly file: string;
  /** The text of the document. A store keeps it, so that a later document can be compared with it. */
  readonly text: string;
  /** `Parcel Desk`: the level-1 heading after `Interface Specification:`. */
  readonly name: string;
  readonly ledger: readonly LedgerEntry[];
  readonly purpose: { readonly purpose?: string; readonly domain?: string; readonly behaviour?: string };
  readonly scenarios: readonly Scenario[];
  /** In the document's order, including values (`Identifier: none`). */
  readonly resources: readonly Resource[];
  readonly endpointsPart: EndpointsPart;
  readonly paths: readonly PathHeading[];
  readonly endpoints: readonly Endpoint[];
  readonly shapes: readonly Shape[];
  readonly shapeFunctions: readonly ShapeFunction[];
  readonly authentication: Authentication;
  readonly events: EventsPart;
  readonly errors: ErrorsPart;
  readonly limits: LimitsPart;
  readonly versioning: VersioningPart;
}
