/** `internal`: neither sent nor shown; expressions alone see it. */
import { mark } from "./field-rule-words.ts";

export const internal = mark("internal", "Kept inside the service.");
