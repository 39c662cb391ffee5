/** Polling assertion: repeats until it holds, for pages and services that work asynchronously. */

/**
 * The timeout in milliseconds. Only a failure takes this long, although a success may also be slow
 * on a busy machine.
 */
const waitMsMax = 120_000;
const pauseMs = 50;

/** Repeats an assertion until it holds; throws its last error. */
export async function eventually(assertion: () => Promise<void> | void): Promise<void> {
  const end = performance.now() + waitMsMax;
  for (;;) {
    try {
      return await assertion();
    } catch (error) {
      if (performance.now() > end) throw error;
      await new Promise((resolve) => setTimeout(resolve, pauseMs));
    }
  }
}
