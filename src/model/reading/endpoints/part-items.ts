/** The items of part 4 that stand before its first endpoint. */
import type { EndpointItem, Items, PartItem } from "./items.ts";

export type PartItems = Items<PartItem | EndpointItem>;
