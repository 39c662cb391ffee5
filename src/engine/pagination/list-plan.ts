/** A list as its answer asks for it: `actions/list.ts` reads it, `steps/returns.ts` shapes it. */
import type { Node } from "../../expressions/node.ts";
import type { RecordValue, Value } from "../../expressions/value.ts";
import type { Exchange } from "../exchange.ts";
import type { Blame } from "../problem.ts";

export interface ListedPage {
  /** Each record as JSON text in the item's shape. */
  readonly items: readonly string[];
  /** All parts of `page` but `items`. */
  readonly parts: Readonly<Record<string, Value>>;
}

export interface ListPlan {
  list(exchange: Exchange, item: Node, needsTotal: boolean): Promise<ListedPage>;
  /** What is wrong with the page that a request asks for. */
  wrongPage(exchange: Exchange): readonly Blame[];
  /** The records themselves, for answers that do more than shape them. */
  records(
    exchange: Exchange,
    needsTotal: boolean,
  ): Promise<{ readonly items: readonly RecordValue[]; readonly parts: ListedPage["parts"] }>;
}
