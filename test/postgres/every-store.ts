/**
 * Loaded before the tests (`npm run test:postgres`). Every store that a test opens in memory gets
 * a schema of PostgreSQL instead (`in-schema.ts`). Stores in files stay there, because their tests
 * are about files. So do stores that start empty or from a snapshot,
 * which only a store in memory can give: data spaces of a sandbox. Tests that are about SQLite itself are skipped (`../sqlite-alone.ts`).
 */
import { registerHooks } from "node:module";
import { after } from "node:test";
import { isMainThread } from "node:worker_threads";
import { storesAreElsewhere } from "../sqlite-alone.ts";

const opener = new URL("../../src/store/index.ts", import.meta.url).href;
const inSchema = new URL("./in-schema.ts", import.meta.url).href;
const original = "export async function openStore(";

let isOpenerThere = false;

storesAreElsewhere();

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (url !== opener || loaded.source == null) return loaded;
    const text =
      typeof loaded.source === "string" ? loaded.source : Buffer.from(loaded.source as Uint8Array).toString();
    isOpenerThere = true;
    if (!text.includes(original)) throw new Error("src/store/index.ts opens stores in another way now");
    return { ...loaded, source: `${text.replace(original, "async function openOriginal(")}\n${instead}` };
  },
});

// Registered here, because a hook that is registered during a test would run only after that test.
// Threads end with their resources.
if (isMainThread && process.env["NODE_TEST_CONTEXT"] !== undefined)
  after(async () => {
    if (!isOpenerThere) return;
    const { closeAll } = await import("./in-schema.ts");
    await closeAll();
  });

const instead = `
export async function openStore(...options) {
  const { openInSchema } = await import(${JSON.stringify(inSchema)});
  return openInSchema(openOriginal, ...options);
}
`;
