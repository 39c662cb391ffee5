/**
 * `email`: an address as browsers validate it (WHATWG HTML, "valid email address"), which needs no
 * quoting. Both halves may have other scripts (RFC 6531). Stored as written.
 */
import { textType } from "./scalar-type.ts";

/** RFC 5321: a path has at most 256 octets, including its angle brackets. */
const lengthMax = 254;

const localForm = /^[A-Za-z0-9.!#$%&'*+/=?^_`{|}~\u{a1}-\u{10ffff}-]{1,64}$/u;
const labelForm =
  /^[A-Za-z0-9\u{a1}-\u{10ffff}](?:[A-Za-z0-9\u{a1}-\u{10ffff}-]{0,61}[A-Za-z0-9\u{a1}-\u{10ffff}])?$/u;

export function isEmail(text: string): boolean {
  if (text.length > lengthMax || !text.isWellFormed()) return false;
  const at = text.lastIndexOf("@");
  if (at < 1 || !localForm.test(text.slice(0, at))) return false;
  return text
    .slice(at + 1)
    .split(".")
    .every((label) => labelForm.test(label));
}

export const email = textType(
  "email",
  {
    refusal: "must be an email address",
    sentence: "an email address",
    schema: { type: "string", format: "email" },
  },
  (text) => (isEmail(text) ? text : undefined),
);
