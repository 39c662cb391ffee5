/**
 * Fixture of `promises.test.ts`: all ways to create a promise without awaiting it. No code runs it.
 */

const requested = async (): Promise<number> => 1;
const perhaps = (isNow: boolean): number | Promise<number> => (isNow ? 1 : requested());

export function unawaited(): boolean {
  requested();
  void requested();
  perhaps(true);
  requested().finally(() => {});
  const found = perhaps(false);
  return found instanceof Promise || found > 0;
}

export async function awaited(): Promise<number> {
  void requested().catch(() => 0);
  void requested().then(
    () => 1,
    () => 0,
  );
  const unknown = perhaps(true);
  const known = requested();
  if (unknown instanceof Promise) await unknown;
  return known;
}
