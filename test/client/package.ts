/** Clients of documents, written as `ninefold export client` writes them, and loaded as anybody would load them. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { pathToFileURL } from "node:url";
import type { Model } from "../../src/model/model.ts";
import { clientOutput } from "../../src/outputs/client/client.ts";
import type { Generated } from "../../src/outputs/output.ts";

/** What a client's `index.js` gives: tests look into it by the names that the document leads to. */
// biome-ignore lint/suspicious/noExplicitAny: its types are judged by the compiler, in types.test.ts
export type ClientPackage = Record<string, any>;

export async function clientOf(model: Model, version?: string): Promise<Generated> {
  return clientOutput.generate(model, { version });
}

export function writePackage({ files }: Generated, folder: string): void {
  for (const { path, text } of files) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), text);
  }
}

export interface LoadedClient {
  readonly client: ClientPackage;
  readonly generated: Generated;
  readonly folder: string;
}

const folders: string[] = [];
process.on("exit", () => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

export async function loadClient(model: Model, version?: string): Promise<LoadedClient> {
  const folder = mkdtempSync(join(tmpdir(), "ninefold-client-"));
  folders.push(folder);
  const generated = await clientOf(model, version);
  writePackage(generated, folder);
  return { client: await import(pathToFileURL(join(folder, "index.js")).href), generated, folder };
}
