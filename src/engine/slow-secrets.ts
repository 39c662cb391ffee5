/**
 * Slow work with passwords, kept out of transactions and off the main thread. An expression or an operation asks for a hash or a
 * comparison as if it were there at once; where it isn't, the request's work is given up, what was missing is worked out aside, and the
 * work is done again. So only requests that have come that far (known caller, within their rate, inputs good) cost the slow work.
 */
import type { ExpressionPorts } from "../expressions/value.ts";
import type { Secrets } from "./secrets.ts";

/** Thrown through a request's work; `withSlowSecrets` catches it. */
class SlowWorkNeeded extends Error {
  override name = "SlowWorkNeeded";
  readonly work: () => Promise<void>;

  constructor(work: () => Promise<void>) {
    super("slow work with a password comes first");
    this.work = work;
  }
}

/** How often a request's work may be done again for want of a hash; after that it is worked out on the spot. */
const againMax = 4;

/**
 * @param isSent whether a text came with the request; others (a random password that the service makes) are new each time
 * @param run does the work with ports that know all that was worked out so far
 */
export async function withSlowSecrets<T>(
  secrets: Secrets,
  ports: ExpressionPorts,
  isSent: (text: string) => boolean,
  run: (ports: ExpressionPorts) => Promise<T>,
): Promise<T> {
  const hashes = new Map<string, string>();
  const verdicts = new Map<string, boolean>();
  const knowing: ExpressionPorts = {
    ...ports,
    hashPassword(text) {
      const known = hashes.get(text);
      if (known !== undefined) return known;
      if (!isSent(text)) return ports.hashPassword(text);
      throw new SlowWorkNeeded(async () => {
        hashes.set(text, await secrets.hashPasswordAside(text));
      });
    },
    verifyPassword(stored, text) {
      const question = `${stored}\0${text}`;
      const known = verdicts.get(question);
      if (known !== undefined) return known;
      throw new SlowWorkNeeded(async () => {
        verdicts.set(question, await secrets.verifyPasswordAside(stored, text));
      });
    },
  };
  for (let again = 0; again < againMax; again += 1) {
    try {
      return await run(knowing);
    } catch (error) {
      if (!(error instanceof SlowWorkNeeded)) throw error;
      await error.work();
    }
  }
  return run({
    ...ports,
    hashPassword: (text) => hashes.get(text) ?? ports.hashPassword(text),
    verifyPassword: (stored, text) =>
      verdicts.get(`${stored}\0${text}`) ?? ports.verifyPassword(stored, text),
  });
}
