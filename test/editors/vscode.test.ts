/**
 * The extension for VS Code starts the language server of the workspace, with stand-ins for the
 * editor's own modules.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createRequire, registerHooks } from "node:module";
import { join } from "node:path";
import { test } from "node:test";

const folder = join(import.meta.dirname, "..", "..", "editors", "vscode");

interface Extension {
  activate(context: { readonly subscriptions: unknown[] }): Promise<void>;
  deactivate(): Promise<void> | undefined;
}

interface Started {
  readonly server: {
    readonly command: string;
    readonly args: readonly string[];
    readonly options: { cwd?: string };
  };
  readonly client: {
    readonly documentSelector: readonly { readonly language: string }[];
    readonly initializationOptions?: { readonly operations: string };
  };
  isRunning: boolean;
}

const editor = `exports.workspace = {
  getConfiguration: () => ({ get: (name) => name === "command" ? JSON.parse(process.env.NINEFOLD_TEST_COMMAND) : "http://127.0.0.1:9090" }),
  workspaceFolders: [{ uri: { fsPath: "/workspace" } }],
  onDidChangeTextDocument: (changed) => { globalThis.editorParts.changed = changed; return {}; },
};
exports.commands = { registerCommand: (name, run) => { globalThis.editorParts.commands[name] = run; return {}; } };
exports.ViewColumn = {};
exports.window = {
  activeTextEditor: { document: { uri: "file:///workspace/a.md" } },
  createWebviewPanel: (...args) => {
    const panel = { args, webview: { html: "" }, reveal() {}, onDidDispose() {} };
    globalThis.editorParts.panels.push(panel);
    return panel;
  },
};`;

const languageClient = `exports.LanguageClient = class {
  constructor(id, name, server, client) { this.started = { server, client, isRunning: false }; globalThis.startedClients.push(this.started); }
  async start() { this.started.isRunning = true; }
  async sendRequest(method, { uri }) { return { html: "<h1>" + method + " " + uri + "</h1>", gaps: 0 }; }
  async stop() { this.started.isRunning = false; }
};`;

/** The extension's registrations in the editor. */
interface EditorParts {
  readonly commands: Record<string, () => Promise<void>>;
  readonly panels: { readonly webview: { readonly html: string } }[];
}

const standIns: Readonly<Record<string, string>> = {
  vscode: editor,
  "vscode-languageclient/node": languageClient,
};

test("the extension starts the configured command in the workspace, shows the preview, and stops it", async (t) => {
  const manifest = JSON.parse(readFileSync(join(folder, "package.json"), "utf8"));
  const command: readonly string[] =
    manifest.contributes.configuration.properties["ninefold.command"].default;
  process.env["NINEFOLD_TEST_COMMAND"] = JSON.stringify(command);
  const started: Started[] = [];
  const parts: EditorParts = { commands: {}, panels: [] };
  Object.assign(globalThis, { startedClients: started, editorParts: parts });
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
  const subscriptions: unknown[] = [];
  await extension.activate({ subscriptions });
  const [client] = started;
  assert.deepEqual([client?.server.command, ...(client?.server.args ?? [])], command);
  assert.equal(client?.server.options.cwd, "/workspace");
  assert.deepEqual(client?.client.documentSelector, [{ scheme: "file", language: "markdown" }]);
  assert.equal(client?.isRunning, true);
  assert.deepEqual(client?.client.initializationOptions, { operations: "http://127.0.0.1:9090" });
  const commands: readonly { readonly command: string }[] = manifest.contributes.commands;
  assert.deepEqual(Object.keys(parts.commands).toSorted(), commands.map(({ command }) => command).toSorted());
  await parts.commands["ninefold.preview"]?.();
  await parts.commands["ninefold.preview"]?.();
  assert.equal(parts.panels.length, 1);
  assert.match(
    parts.panels[0]?.webview.html ?? "",
    /default-src 'none'[\s\S]*<h1>ninefold\/preview file:\/\/\/workspace\/a\.md<\/h1>/,
  );
  await extension.deactivate();
  assert.equal(client?.isRunning, false);
});
