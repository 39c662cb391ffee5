/**
 * Planned request: a parsed request with its endpoint's plan, while `answering/` runs it and
 * `observing/` reports it.
 */
import type { RequestContext, ParsedRequest, RequestCredentials } from "../request-context.ts";
import type { SpanContext } from "../trace.ts";
import type { EndpointPlan } from "./endpoint-plan.ts";

/** A parsed request with its endpoint's plan. */
export interface PlannedRequest {
  readonly plan: EndpointPlan;
  readonly parsed: ParsedRequest;
  readonly credentials: RequestCredentials;
  /**
   * The last attempt that was started. At the end, this is the one that produced the answer or was
   * rejected.
   */
  lastAttempt: RequestContext | undefined;
  /** Its changes are committed. */
  isCommitted: boolean;
  /** Its trace, if traced. */
  readonly trace?: SpanContext | undefined;
}
