/** Each way in which a promise can be made and not waited for, for `promises.test.ts`. Nothing runs it. */

const request = async (): Promise<number> => 1;
const perhaps = (isNow: boolean): number | Promise<number> => (isNow ? 1 : request());

export function unawaited(): boolean {
  request();
  void request();
  perhaps(true);
  request().finally(() => {});
  const found = perhaps(false);
  return found instanceof Promise || found > 0;
}

export async function awaited(): Promise<number> {
  void request().catch(() => 0);
  void request().then(
    () => 1,
    () => 0,
  );
  const one = perhaps(true);
  const other = request();
  if (one instanceof Promise) await one;
  return other;
}
