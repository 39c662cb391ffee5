/** `read-only`: never sent. */
import { mark } from "./field-rule-words.ts";

export const readOnly = mark("read-only", "Set by the service.", { readOnly: true });
