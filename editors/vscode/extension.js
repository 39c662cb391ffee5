/*
 * The extension for VS Code: starts `ninefold lsp` for Markdown files of a workspace. All features
 * are the server's own.
 */
"use strict";

const { workspace } = require("vscode");
const { LanguageClient } = require("vscode-languageclient/node");

/** @type {LanguageClient | undefined} */
let client;

/** Called by the editor when the first Markdown file is opened. */
async function activate() {
  const [command, ...args] = workspace.getConfiguration("ninefold").get("command");
  const cwd = workspace.workspaceFolders?.[0]?.uri.fsPath;
  // On Windows, `npx` is a script that only a shell starts.
  const options = { ...(cwd === undefined ? {} : { cwd }), shell: process.platform === "win32" };
  client = new LanguageClient(
    "ninefold",
    "Ninefold",
    { command, args, options },
    { documentSelector: [{ scheme: "file", language: "markdown" }] },
  );
  await client.start();
}

/** Called when the editor ends. */
function deactivate() {
  return client?.stop();
}

module.exports = { activate, deactivate };
