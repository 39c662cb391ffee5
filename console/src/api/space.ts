/** The data space that is looked at, of a sandbox. It stands in the address (`?space=`), so that a link leads into the same one. */
import { computed } from "@preact/signals";
import { parameter } from "../routing/address.ts";

/** Undefined for the one that is there without a name. */
export const space = computed(() => parameter("space"));
