/** What will be so by and by: of a page when it is done with it, of a service when what it waits for has come. */

/** Only what fails waits so long; on a busy machine what passes may take a while too. */
const waitMsMax = 120_000;
const pauseMs = 50;

/** Tries an assertion again and again until it holds; fails as it failed last. */
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
