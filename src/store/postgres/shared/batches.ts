/**
 * Questions of one turn of the event loop, asked together: one statement goes through as many keys as wait, while the next ones gather. So
 * what is asked for each request costs the database one statement for many of them.
 */

/** @param ask answers all; one that fails fails for all of them */
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
