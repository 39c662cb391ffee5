/** Sample ports: fixed time and randomness for expressions that a check evaluates. */
import { CostExceeded } from "../expressions/evaluate.ts";
import type { ExpressionPorts } from "../expressions/value.ts";

const sampleMs = Date.UTC(2026, 0, 1);

/** Ports with the same bytes at each check. */
export function samplePorts(): ExpressionPorts {
  let state = 1;
  const nextByte = (): number => {
    state ^= state << 13;
    state ^= state >>> 17;
    state ^= state << 5;
    return (state >>> 8) & 0xff;
  };
  const unused = (): never => {
    throw new CostExceeded();
  };
  return {
    randomBytes: (count) => Uint8Array.from({ length: count }, nextByte),
    now: () => sampleMs,
    token: unused,
    verifyPassword: unused,
    hashCredential: unused,
    hashPassword: unused,
  };
}
