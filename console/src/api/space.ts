/** The data space that is looked at, of a sandbox. It stands in the address (`?space=`), so that a link leads into the same one. */
import { query } from "../routing/address.ts";
import { derived } from "../state.ts";

/** Undefined for the one that is there without a name. */
export const space = derived(query, (query) => new URLSearchParams(query).get("space") ?? undefined);
