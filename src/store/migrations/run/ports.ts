/**
 * The ports of a stored change: time and randomness. Expressions that need the service's secrets
 * are rejected earlier (`migrations/plan/for-each.ts`).
 */
import { newFrame } from "../../../expressions/evaluate.ts";
import type { Frame } from "../../../expressions/value.ts";
import { createRandomPool } from "../../../support/random-pool.ts";

const random = createRandomPool();
const nothing = (): never => {
  throw new Error("a stored change needs what only a service has");
};

/** @param now one timestamp for all records */
export function frameOfChange(now: string): Frame {
  const ports = {
    randomBytes: random,
    now: () => Date.parse(now),
    token: nothing,
    verifyPassword: nothing,
    hashCredential: nothing,
    hashPassword: nothing,
  };
  return newFrame(ports, { now });
}
