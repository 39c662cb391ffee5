/** `write-only`: never shown. */
import { mark } from "./field-rule-words.ts";

export const writeOnly = mark("write-only", "Never shown.", { writeOnly: true });
