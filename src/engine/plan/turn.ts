/** A request on its way to its answer, which `answering/` takes it, and of which `observing/` tells. */
import type { RequestContext, ParsedRequest } from "../request-context.ts";
import type { Carried } from "../steps/authenticate.ts";
import type { SpanPlace } from "../trace.ts";
import type { EndpointPlan } from "./endpoint-plan.ts";

/** A request whose turn it is. */
export interface Turn {
  readonly plan: EndpointPlan;
  readonly read: ParsedRequest;
  readonly carried: Carried;
  /** The last attempt that was begun: when all is over, the one that has brought the answer, or was refused. */
  last: RequestContext | undefined;
  /** What it has brought about is committed. */
  isDone: boolean;
  /** Where it is traced. */
  readonly trace?: SpanPlace | undefined;
}
