/** Store owner for tests: another process that holds a store, and never closes it. */
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import type { TestContext } from "node:test";

/** Resolves when the process has committed a note for each identifier, one after the other. */
export async function startOwner(
  t: TestContext,
  path: string,
  ids: readonly string[],
): Promise<ChildProcess> {
  const source = (name: string) => JSON.stringify(join(import.meta.dirname, name));
  const script = `
    import { openStore } from ${source("index.ts")};
    import { field, model, resource } from ${source("test-model.ts")};
    import { meaningOf } from ${source("../model/meaning.ts")};
    const notes = model([resource("Note", [field("text", "string")])]);
    const store = await openStore(notes, meaningOf(notes), { path: ${JSON.stringify(path)} });
    for (const id of ${JSON.stringify(ids)}) await store.write((transaction) => transaction.insert("Note", { id, text: id }));
    console.log("ready");
    setInterval(() => {}, 1000);
  `;
  const child = spawn(process.execPath, ["--input-type=module", "-e", script], {
    stdio: ["ignore", "pipe", "inherit"],
  });
  t.after(() => child.kill("SIGKILL"));
  await once(child.stdout, "data");
  return child;
}
