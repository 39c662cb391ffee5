/**
 * Expression ports: provides expressions with randomness, the clock and keys, and with timestamps
 * as text.
 */
import type { ExpressionPorts } from "../../expressions/value.ts";
import type { Ports } from "../ports.ts";
import type { Secrets } from "./secrets.ts";
import type { Tokens } from "./tokens.ts";

/** Formats a time as a timestamp; many requests of one millisecond share the text. */
export function createClockText(): (nowMs: number) => string {
  let lastMs = Number.NaN;
  let lastText = "";
  return (nowMs) => {
    if (nowMs !== lastMs) {
      lastMs = nowMs;
      lastText = new Date(nowMs).toISOString();
    }
    return lastText;
  };
}

export function createExpressionPorts(
  ports: Ports,
  secrets: Pick<Secrets, "verifyPassword" | "hashCredential" | "hashPassword">,
  tokens: Pick<Tokens, "sign">,
): ExpressionPorts {
  return {
    randomBytes: (count) => ports.randomBytes(count),
    now: () => ports.clock.now(),
    token: (resource, record) => tokens.sign(resource, record),
    verifyPassword: (stored, text) => secrets.verifyPassword(stored, text),
    hashCredential: (text) => secrets.hashCredential(text),
    hashPassword: (text) => secrets.hashPassword(text),
  };
}
