/** `required`: a stored record always has it. Whether an input must be sent is said by the input (decision "Required fields in updates"). */
import { mark } from "./field-rule-words.ts";

export const required = mark("required", "Always there.");
