/** Each way in which a promise can be made and not waited for, for `promises.test.ts`. Nothing runs it. */

const asked = async (): Promise<number> => 1;
const perhaps = (isNow: boolean): number | Promise<number> => (isNow ? 1 : asked());

export function unawaited(): boolean {
  asked();
  void asked();
  perhaps(true);
  asked().finally(() => {});
  const found = perhaps(false);
  return found instanceof Promise || found > 0;
}

export async function awaited(): Promise<number> {
  void asked().catch(() => 0);
  void asked().then(
    () => 1,
    () => 0,
  );
  const one = perhaps(true);
  const other = asked();
  if (one instanceof Promise) await one;
  return other;
}
