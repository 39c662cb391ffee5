/** `node:util` for browsers. */
type Callback<R> = (error: Error | null, result?: R) => void;

export const promisify =
  <A extends unknown[], R>(call: (...args: [...A, Callback<R>]) => void) =>
  (...args: A): Promise<R> =>
    new Promise((resolve, reject) => {
      call(...args, (error, result) => (error ? reject(error) : resolve(result as R)));
    });
