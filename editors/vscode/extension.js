/*
 * The extension for VS Code: starts `ninefold lsp` for Markdown files of a workspace, and shows its
 * preview and what it ran. All features are the server's own.
 */
"use strict";

const { commands, env, Uri, ViewColumn, window, workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

/** @type {LanguageClient | undefined} */
let client;

/** The preview of each document, by its URI. */
const previews = new Map();

/** Called by the editor when the first Markdown file is opened. */
async function activate(context) {
  const settings = workspace.getConfiguration("ninefold");
  const [command, ...args] = settings.get("command");
  const cwd = workspace.workspaceFolders?.[0]?.uri.fsPath;
  // On Windows, `npx` is a script that only a shell starts.
  const options = { ...(cwd === undefined ? {} : { cwd }), shell: process.platform === "win32" };
  const operations = settings.get("operations");
  client = new LanguageClient(
    "ninefold",
    "Ninefold",
    { command, args, options },
    {
      documentSelector: [{ scheme: "file", language: "markdown" }],
      ...(operations ? { initializationOptions: { operations } } : {}),
    },
  );
  context.subscriptions.push(
    commands.registerCommand("ninefold.preview", showPreview),
    commands.registerCommand("ninefold.log", () => client?.outputChannel.show()),
    commands.registerCommand("ninefold.console", () => operations && env.openExternal(Uri.parse(operations))),
    workspace.onDidChangeTextDocument(({ document }) => previews.get(document.uri.toString())?.update()),
  );
  await client.start();
}

/** Opens a page next to the document, which follows its changes. */
async function showPreview() {
  const document = window.activeTextEditor?.document;
  if (!document || !client) return;
  const uri = document.uri.toString();
  const known = previews.get(uri);
  if (known) {
    known.panel.reveal();
    return;
  }
  const panel = window.createWebviewPanel("ninefold.preview", "Ninefold preview", ViewColumn.Beside, {
    enableScripts: false,
  });
  const update = async () => {
    const preview = await client?.sendRequest("ninefold/preview", { uri });
    panel.webview.html = page(preview?.html ?? "<p>This file is no interface specification.</p>");
  };
  previews.set(uri, { panel, update });
  panel.onDidDispose(() => previews.delete(uri));
  await update();
}

/** The page has no scripts and loads nothing. */
function page(html) {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<style>
body { font-family: var(--vscode-font-family); line-height: 1.5; }
table { border-collapse: collapse; }
td, th { border: 1px solid var(--vscode-panel-border); padding: 0.2em 0.6em; text-align: left; }
code { font-family: var(--vscode-editor-font-family); }
pre { padding: 0.6em; overflow-x: auto; background: var(--vscode-textCodeBlock-background); }
pre code { padding: 0; background: none; }
svg { max-width: 100%; height: auto; }
.gaps { color: var(--vscode-editorWarning-foreground); }
</style>
</head>
<body>
${html}
</body>
</html>`;
}

/** Called when the editor ends. */
function deactivate() {
  return client?.stop();
}

module.exports = { activate, deactivate };
