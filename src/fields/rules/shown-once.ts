/** `shown once`: readable in the answer to the request that set it, and never again. */
import { mark } from "./field-rule-words.ts";

export const shownOnce = mark("shown once", "Shown once, in the answer to the request that set it.");
