/** `empty is null`: the empty text counts as null. The reader asks it after `trimmed`, so that blanks alone are empty too. */
import { mark } from "./field-rule-words.ts";

export const emptyIsNull = mark("empty is null", "The empty text counts as null.");
