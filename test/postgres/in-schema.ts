/** Opens a store in memory in a schema of its own instead; the schema is dropped when the store is closed. */
import type { openStore as OpenStore } from "../../src/store/index.ts";
import type { Store } from "../../src/store/store.ts";
import { freshSchema } from "./server.ts";

const open = new Set<Store>();

/**
 * By name: documents with queries that PostgreSQL can't evaluate, and the reason. A start on
 * PostgreSQL rejects them.
 */
const unaskable: ReadonlyMap<string, string> = new Map([
  ["Contentful (a twin of a part)", "records by what a function of our own makes of other records"],
]);

export async function openInSchema(
  openStore: typeof OpenStore,
  ...[model, meaning, options]: Parameters<typeof OpenStore>
): Promise<Store> {
  const { initialContent: begins, ...requested } = options;
  const isLeft = requested.path !== ":memory:" || (begins !== undefined && begins !== "empty");
  if (isLeft || unaskable.has(model.name)) return openStore(model, meaning, options);
  const schema = await freshSchema();
  let isOpen = false;
  // Warnings during the opening concern the tests' server, which isn't durable.
  const onWarning = (message: string) => (isOpen ? options.onWarning?.(message) : undefined);
  try {
    const store = await openStore(model, meaning, { ...requested, path: schema.url, onWarning });
    isOpen = true;
    open.add(store);
    const close = store.close.bind(store);
    let closing: Promise<void> | undefined;
    store.close = () => {
      closing ??= close().finally(() => {
        open.delete(store);
        return schema.drop();
      });
      return closing;
    };
    return store;
  } catch (error) {
    await schema.drop();
    throw error;
  }
}

/**
 * Closes all open stores after the tests of a file. A test may leave a store in memory open, but a
 * connection would keep the process alive.
 */
export async function closeAll(): Promise<void> {
  await Promise.all([...open].map((store) => store.close()));
}
