/** Runs a test once with stores in memory, and once with stores in PostgreSQL. */
import { test } from "node:test";
import type { Model } from "../../src/model/model.ts";
import { openStore } from "../../src/store/index.ts";
import type { Store } from "../../src/store/store.ts";
import { meaningOf } from "../../src/model/meaning.ts";
import { freshSchema } from "../postgres/server.ts";

/** Opens an empty store, which is closed when the test is finished. */
export type Open = (model: Model) => Promise<Store>;

export function onEachStore(title: string, work: (open: Open) => Promise<void>): void {
  for (const where of ["in memory", "on PostgreSQL"])
    test(`${title} (${where})`, async () => {
      const ends: (() => Promise<void>)[] = [];
      const open: Open = async (model) => {
        const schema = where === "on PostgreSQL" ? await freshSchema() : undefined;
        const store = await openStore(model, meaningOf(model), { path: schema?.url ?? ":memory:" });
        ends.push(() => store.close().then(() => schema?.drop()));
        return store;
      };
      try {
        await work(open);
      } finally {
        for (const end of ends) await end();
      }
    });
}
