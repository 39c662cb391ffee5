/** A case: a variation of an endpoint's request that the document distinguishes. */
import type { Condition } from "../../model/errors/conditions.ts";
import type { Endpoint } from "../../model/model.ts";
import type { Draft } from "./draw-request.ts";
import type { StoryContext } from "../stories/story-context.ts";

/** The families of cases, which are rows of the report. */
export const aspects = [
  "behaviour",
  "access",
  "inputs",
  "errors",
  "records of the path",
  "filters and orders",
  "pagination",
  "preconditions",
  "idempotency",
  "concurrency",
  "time",
  "versions",
  "streams",
  "webhooks",
] as const;

export type Aspect = (typeof aspects)[number];

export interface Case {
  readonly endpoint: Endpoint;
  readonly aspect: Aspect;
  /** Identifies the case within its endpoint: `title one above the maximum length`. */
  readonly name: string;
  /**
   * The mistake in the request, if the document leaves open whether other mistakes are reported
   * first.
   */
  readonly alternative?: Condition | undefined;
  /** Whether its requests are sent concurrently. */
  readonly isConcurrent?: boolean;
  /** Whether no rule of the document distinguishes it, so that it is sent less often. */
  readonly isGeneral?: boolean;
  /** The requests to send one after another; undefined if the story can't send them yet. */
  drafts(base: Draft, context: StoryContext): readonly Draft[] | undefined;
}

/** Makes a case of the endpoint at hand. */
export type Add = (aspect: Aspect, name: string, drafts: Case["drafts"], alternative?: Condition) => Case;
