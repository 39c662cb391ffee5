/**
 * Loaded before the tests (`npm run test:postgres`), it gives every store that is asked for in memory a schema of PostgreSQL instead
 * (`in-schema.ts`). Stores in files stay there: their tests are about files. So do those that begin with a snapshot, which only a store in
 * memory can give.
 */
import { registerHooks } from "node:module";
import { after } from "node:test";
import { isMainThread } from "node:worker_threads";

const opener = new URL("../../src/store/index.ts", import.meta.url).href;
const inSchema = new URL("./in-schema.ts", import.meta.url).href;
const original = "export async function openStore(";

/** Test files that are about SQLite or about stores in memory, and why: they run as they do without this. */
const asTheyAre: ReadonlyMap<string, string> = new Map([
  ["contracts/times-as-shown.test.ts", "reads the words of SQLite's statements"],
  ["operations/overview.test.ts", "says of a store in memory that it has no place"],
  ["scope/picked.test.ts", "asks `slug` of records, which PostgreSQL doesn't have"],
  ["tenancy/tenancy.test.ts", "begins each case with a snapshot of a store in memory"],
]);

let isOpenerThere = false;

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (url !== opener || loaded.source == null || staysAsItIs(process.argv[1])) return loaded;
    const text =
      typeof loaded.source === "string" ? loaded.source : Buffer.from(loaded.source as Uint8Array).toString();
    isOpenerThere = true;
    if (!text.includes(original)) throw new Error("src/store/index.ts opens stores in another way now");
    return { ...loaded, source: `${text.replace(original, "async function openAsked(")}\n${instead}` };
  },
});

function staysAsItIs(file = ""): boolean {
  return [...asTheyAre.keys()].some((name) => file.endsWith(`/test/${name}`));
}

// Here, for what is loaded while a test runs could say only what is done after that one. Threads end with what they have open.
if (isMainThread && process.env["NODE_TEST_CONTEXT"] !== undefined)
  after(async () => {
    if (!isOpenerThere) return;
    const { closeAll } = await import("./in-schema.ts");
    await closeAll();
  });

const instead = `
export async function openStore(...asked) {
  const { openInSchema } = await import(${JSON.stringify(inSchema)});
  return openInSchema(openAsked, ...asked);
}
`;
