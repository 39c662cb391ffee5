/**
 * List plan: what `actions/list.ts` provides to read a list, and `steps/returns.ts` uses to shape
 * it.
 */
import type { Node } from "../../expressions/node.ts";
import type { RecordValue, Value } from "../../expressions/value.ts";
import type { RequestContext } from "../request-context.ts";
import type { ProblemDetail } from "../problem.ts";

export interface ListedPage {
  /** Each record as JSON text in the item's shape. */
  readonly items: readonly string[];
  /** All parts of `page` except `items`. */
  readonly parts: Readonly<Record<string, Value>>;
}

export interface ListPlan {
  list(request: RequestContext, item: Node, needsTotal: boolean): Promise<ListedPage>;
  /** Returns the problems of the requested page. */
  wrongPage(request: RequestContext): readonly ProblemDetail[];
  /** Reads the records themselves, for responses that do more than shape them. */
  records(
    request: RequestContext,
    needsTotal: boolean,
  ): Promise<{ readonly items: readonly RecordValue[]; readonly parts: ListedPage["parts"] }>;
}
