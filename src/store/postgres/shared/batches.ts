/**
 * Batches queries of one tick of the event loop: one statement handles all waiting keys while the next batch gathers.
 * A query per request thus costs the database one statement for many requests.
 */

/** @param execute runs a whole batch; an error rejects all of its queries */
export function inBatches<Q, A>(
  execute: (all: readonly Q[]) => Promise<readonly A[]>,
): (one: Q) => Promise<A> {
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
