/** What a stored change may ask of outside: the time and chance. Nothing that needs the service's secrets is let in (`migrations/plan/for-each.ts`). */
import { newFrame } from "../../../expressions/evaluate.ts";
import type { Frame } from "../../../expressions/value.ts";
import { createRandomPool } from "../../../support/random-pool.ts";

const random = createRandomPool();
const nothing = (): never => {
  throw new Error("a stored change asked for what only a service has");
};

/** @param now a timestamp: one for all records */
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
