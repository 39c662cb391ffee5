/**
 * The selected data space of a sandbox. It is in the URL (`?space=`), so that a link opens the same
 * one.
 */
import { query } from "../routing/address.ts";
import { derived } from "../state.ts";

/** Undefined for the default data space. */
export const space = derived(query, (query) => new URLSearchParams(query).get("space") ?? undefined);
