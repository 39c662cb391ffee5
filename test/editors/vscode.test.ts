/** The extension for VS Code starts the language server of the workspace, with stand-ins for the editor's own modules. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire, registerHooks } from "node:module";
import { join } from "node:path";
import { test } from "node:test";

const folder = join(import.meta.dirname, "..", "..", "editors", "vscode");

interface Extension {
  activate(): Promise<void>;
  deactivate(): Promise<void> | undefined;
}

interface Started {
  readonly server: {
    readonly command: string;
    readonly args: readonly string[];
    readonly options: { cwd?: string };
  };
  readonly client: { readonly documentSelector: readonly { readonly language: string }[] };
  isRunning: boolean;
}

const editor = `exports.workspace = {
  getConfiguration: () => ({ get: () => JSON.parse(process.env.NINEFOLD_TEST_COMMAND) }),
  workspaceFolders: [{ uri: { fsPath: "/workspace" } }],
};`;

const languageClient = `exports.LanguageClient = class {
  constructor(id, name, server, client) { this.started = { server, client, isRunning: false }; globalThis.startedClients.push(this.started); }
  async start() { this.started.isRunning = true; }
  async stop() { this.started.isRunning = false; }
};`;

const standIns: Readonly<Record<string, string>> = {
  vscode: editor,
  "vscode-languageclient/node": languageClient,
};

test("the extension starts the configured command in the workspace, and stops it", async (t) => {
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const command: readonly string[] =
    manifest.contributes.configuration.properties["ninefold.command"].default;
  process.env["NINEFOLD_TEST_COMMAND"] = JSON.stringify(command);
  const started: Started[] = [];
  Object.assign(globalThis, { startedClients: started });
  const hooks = registerHooks({
    resolve: (specifier, context, next) =>
      Object.hasOwn(standIns, specifier)
        ? { url: `stand-in:${specifier}`, format: "commonjs", shortCircuit: true }
        : next(specifier, context),
    load: (url, context, next) =>
      url.startsWith("stand-in:")
        ? { format: "commonjs", source: standIns[url.slice("stand-in:".length)] ?? "", shortCircuit: true }
        : next(url, context),
  });
  t.after(() => hooks.deregister());
  const extension: Extension = createRequire(import.meta.url)(join(folder, manifest.main));
  await extension.activate();
  const [client] = started;
  assert.deepEqual([client?.server.command, ...(client?.server.args ?? [])], command);
  assert.equal(client?.server.options.cwd, "/workspace");
  assert.deepEqual(client?.client.documentSelector, [{ scheme: "file", language: "markdown" }]);
  assert.equal(client?.isRunning, true);
  await extension.deactivate();
  assert.equal(client?.isRunning, false);
});
