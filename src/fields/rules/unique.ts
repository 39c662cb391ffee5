/** `unique`: no two records have the same. The store asks it. */
import { mark } from "./field-rule-words.ts";

export const unique = mark("unique", "No two are equal.");
