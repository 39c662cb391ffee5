/** `nullable`: null may be sent, and clears. For any other field null is a missing field. */
import { mark } from "./field-rule-words.ts";

export const nullable = mark("nullable", "Null clears it.");
