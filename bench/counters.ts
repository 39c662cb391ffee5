/** The handler of `counters.md`: calls another service, which responds after three seconds. */
import { setTimeout as sleep } from "node:timers/promises";

interface Quote {
  readonly price: number;
}

export const handlers = {
  quote: {
    async prepare({ signal }: { readonly signal: AbortSignal }): Promise<Quote> {
      await sleep(3000, undefined, { signal });
      return { price: 12 };
    },
    run: ({ facts }: { readonly facts: Quote }): Quote => facts,
  },
};
