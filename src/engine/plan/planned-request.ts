/** A request on its way to its answer, which `answering/` takes it, and of which `observing/` tells. */
import type { RequestContext, ParsedRequest } from "../request-context.ts";
import type { RequestCredentials } from "../steps/authenticate.ts";
import type { SpanContext } from "../trace.ts";
import type { EndpointPlan } from "./endpoint-plan.ts";

/** A request whose turn it is. */
export interface PlannedRequest {
  readonly plan: EndpointPlan;
  readonly parsed: ParsedRequest;
  readonly credentials: RequestCredentials;
  /** The last attempt that was begun: when all is over, the one that has brought the answer, or was refused. */
  lastAttempt: RequestContext | undefined;
  /** What it has brought about is committed. */
  isCommitted: boolean;
  /** Where it is traced. */
  readonly trace?: SpanContext | undefined;
}
