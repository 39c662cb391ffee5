/**
 * Query batching: collects the queries of one tick of the event loop into one statement.
 *
 * While a batch runs, the next one collects queries. So many requests with a query each cost the
 * database a single statement.
 */

/**
 * Batches the queries of a function.
 * @param execute runs a whole batch, and returns its results in order; an error rejects all of its
 * queries
 */
export function inBatches<Q, A>(
  execute: (all: readonly Q[]) => Promise<readonly A[]>,
): (query: Q) => Promise<A> {
  let waiting: Waiting<Q, A>[] = [];
  let isUnderWay = false;

  const next = () => {
    const all = waiting;
    waiting = [];
    if (all.length === 0) {
      isUnderWay = false;
      return;
    }
    execute(all.map(({ question }) => question))
      .then(
        (answers) => {
          for (const [at, { resolve }] of all.entries()) resolve(answers[at] as A);
        },
        (error: unknown) => {
          for (const { reject } of all) reject(error);
        },
      )
      .finally(next);
  };
  return (question) =>
    new Promise((resolve, reject) => {
      waiting.push({ question, resolve, reject });
      if (isUnderWay) return;
      isUnderWay = true;
      setImmediate(next);
    });
}

interface Waiting<Q, A> {
  readonly question: Q;
  readonly resolve: (answer: A) => void;
  readonly reject: (error: unknown) => void;
}
