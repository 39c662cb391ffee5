/**
 * Slow password work, kept out of transactions and off the main thread. An expression or an
 * operation requests a hash or a comparison as if it were available at once. If it isn't, the
 * request's work is rolled back, a worker computes the missing result, and the work runs again. So
 * only requests that get this far (known caller, within their rate, valid inputs) cost the slow
 * work.
 */
import type { ExpressionPorts } from "../../expressions/value.ts";
import type { Model } from "../../model/model.ts";
import { bareObject } from "../../support/bare-object.ts";
import { memoizeBy } from "../../support/memoize-by.ts";
import type { PasswordRequester } from "../ports.ts";
import type { Secrets } from "./secrets.ts";

/** Thrown through a request's work; `withHashedSecrets` catches it. */
class SlowWorkNeeded extends Error {
  override name = "SlowWorkNeeded";
  readonly work: () => Promise<void>;

  constructor(work: () => Promise<void>) {
    super("the work needs a password hash");
    this.work = work;
  }
}

/**
 * Maximum number of repetitions for missing hashes; after that, hashes are computed synchronously.
 */
const repetitionsMax = 4;

export interface HashingWork<T> {
  /** The request: all its attempts share computed results. */
  readonly for: object;
  /** The client that waits in the queue. */
  from(): Omit<PasswordRequester, "account">;
  /**
   * Whether the request contains a text. Other texts, such as a random password of the service,
   * differ in each attempt.
   */
  isSent(text: string): boolean;
  /**
   * The author's code has run, which happens once: later missing results are computed
   * synchronously.
   */
  isLast(): boolean;
  /** Runs the work with ports that have all results so far. */
  run(ports: ExpressionPorts): Promise<T>;
}

export async function withHashedSecrets<T>(
  secrets: Secrets,
  ports: ExpressionPorts,
  { for: request, from, isSent, isLast, run }: HashingWork<T>,
): Promise<T> {
  const { hashes, verdicts } = resultsOf(request);
  let left = repetitionsMax;
  let hasCalled = false;
  const isSynchronous = () => left === 0 || hasCalled || isLast();
  const portsWithResults: ExpressionPorts = {
    ...ports,
    hashPassword(text) {
      const known = hashes.get(text);
      if (known !== undefined) return known;
      if (isSynchronous() || !isSent(text)) return ports.hashPassword(text);
      throw new SlowWorkNeeded(async () => {
        hashes.set(text, await secrets.hashPasswordInWorker(text, { ...from(), account: "" }));
      });
    },
    verifyPassword(stored, text, account = stored) {
      const question = `${stored}\0${text}`;
      const known = verdicts.get(question);
      if (known !== undefined) return known;
      if (isSynchronous()) return ports.verifyPassword(stored, text);
      throw new SlowWorkNeeded(async () => {
        const client = { ...from(), account };
        verdicts.set(question, await secrets.verifyPasswordInWorker(stored, text, client));
      });
    },
    ...(ports.functions ? { functions: observeCalls(ports.functions, () => (hasCalled = true)) } : {}),
  };
  for (; left > 0; left -= 1) {
    try {
      return await run(portsWithResults);
    } catch (error) {
      if (!(error instanceof SlowWorkNeeded)) throw error;
      await error.work();
    }
  }
  return run(portsWithResults);
}

/** Whether a document has passwords. */
export const hasPasswords = memoizeBy((model: Model): boolean =>
  model.resources.some((resource) => resource.fields.some((field) => field.type.kind === "password")),
);

interface KnownResults {
  readonly hashes: Map<string, string>;
  readonly verdicts: Map<string, boolean>;
}

const resultsByRequest = new WeakMap<object, KnownResults>();

function resultsOf(request: object): KnownResults {
  let known = resultsByRequest.get(request);
  if (!known) {
    known = { hashes: new Map(), verdicts: new Map() };
    resultsByRequest.set(request, known);
  }
  return known;
}

/** Wraps the ports so that each call is reported. */
export function observeCalls(
  functions: NonNullable<ExpressionPorts["functions"]>,
  called: () => void,
): NonNullable<ExpressionPorts["functions"]> {
  const all = Object.entries(functions).map(([name, implementation]): [string, typeof implementation] => [
    name,
    (...args) => {
      called();
      return implementation(...args);
    },
  ]);
  return Object.assign(bareObject(), Object.fromEntries(all));
}
