/** `immutable`: only sent on create. */
import { mark } from "./field-rule-words.ts";

export const immutable = mark("immutable", "Never changes.");
