/**
 * Loaded before the tests (`npm run test:postgres`), it gives every store that is asked for in memory a schema of PostgreSQL instead, which
 * goes when the store is closed. Stores in files stay there: their tests are about files. So do those that begin with a snapshot, which only a
 * store in memory can give.
 */
import { registerHooks } from "node:module";

const opener = new URL("../../src/store/index.ts", import.meta.url).href;
const server = new URL("./server.ts", import.meta.url).href;
const original = "export async function openStore(";

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (url !== opener || loaded.source == null) return loaded;
    const text =
      typeof loaded.source === "string" ? loaded.source : Buffer.from(loaded.source as Uint8Array).toString();
    if (!text.includes(original)) throw new Error("src/store/index.ts opens stores in another way now");
    return { ...loaded, source: `${text.replace(original, "async function openAsked(")}\n${instead}` };
  },
});

const instead = `
export async function openStore(model, meaning, options) {
  if (options.path !== ":memory:" || options.begins !== undefined) return openAsked(model, meaning, options);
  const { freshSchema } = await import(${JSON.stringify(server)});
  const schema = await freshSchema();
  try {
    const store = await openAsked(model, meaning, { ...options, path: schema.url });
    const close = store.close.bind(store);
    let closing;
    store.close = () => (closing ??= close().then(() => schema.drop()));
    return store;
  } catch (error) {
    await schema.drop();
    throw error;
  }
}
`;
