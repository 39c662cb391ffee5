/** For tests of pages: what a page will show by and by. */

const waitMsMax = 30_000;
const pauseMs = 50;

/** Tries an assertion again and again until it holds; fails as it failed last. A page shows what it shows when it is done with it. */
export async function eventually(assertion: () => Promise<void>): Promise<void> {
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
