/**
 * Planned request: a parsed request with its endpoint's plan, from its execution to its report to
 * observers.
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
   * The attempt that started last. At the end, it is the attempt that produced the response or was
   * rejected.
   */
  lastAttempt: RequestContext | undefined;
  /** Whether the changes are committed. */
  isCommitted: boolean;
  /** The trace of the request; absent if the request is not traced. */
  readonly trace?: SpanContext | undefined;
}
