/**
 * `uri`: an absolute URL of any scheme that a WHATWG URL parser accepts. Stored as written; the
 * engine decides whether to call it.
 */
import { textType } from "./scalar-type.ts";

const schemeForm = /^[A-Za-z][A-Za-z0-9+.-]*:/;
/** Schemes whose addresses need a host. The URL parser would accept `http:x` as `http://x`. */
const hostForm = /^(?:https?|wss?|ftp):(?!\/\/[^/?#])/i;
/** Blanks and control characters, which the URL parser would remove, and characters that browsers read as a slash. */
const strangeForm = /[\s\p{Cc}\\<>"`{}|^]/u;

function isUri(text: string): boolean {
  if (!schemeForm.test(text) || hostForm.test(text) || strangeForm.test(text)) return false;
  return text.isWellFormed() && URL.canParse(text);
}

export const uri = textType(
  "uri",
  {
    refusal: "must be an absolute URI",
    sentence: "an absolute URI",
    schema: { type: "string", format: "uri" },
  },
  (text) => (isUri(text) ? text : undefined),
);
