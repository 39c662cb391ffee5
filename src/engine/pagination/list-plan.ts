/** List plan: `actions/list.ts` reads a list, `steps/returns.ts` shapes it. */
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
  /** Problems of the requested page. */
  wrongPage(request: RequestContext): readonly ProblemDetail[];
  /** The records themselves, for answers that do more than shape them. */
  records(
    request: RequestContext,
    needsTotal: boolean,
  ): Promise<{ readonly items: readonly RecordValue[]; readonly parts: ListedPage["parts"] }>;
}
