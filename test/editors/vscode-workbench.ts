/**
 * The extension in a real VS Code, in Chromium, run by hand with the workbench of `code-server`,
 * which is VS Code's own build. It writes screenshots of diagnostics, completion, hover, lenses and
 * the preview.
 *
 *   npm run vsix
 *   node test/editors/vscode-workbench.ts FOLDER ninefold-0.2.0.vsix PICTURES
 *
 * FOLDER is `lib/vscode` of the npm package `code-server`, whose dependencies are installed there.
 * Of its native modules it needs `@vscode/spdlog`, `native-watchdog`, `node-pty` and
 * `@parcel/watcher`, built for the Node that `NINEFOLD_VSCODE_NODE` names.
 */
import assert from "node:assert/strict";
import { spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join, resolve } from "node:path";
import { ownFolder } from "../own-folder.ts";
import { openBrowser } from "../browser/browser.ts";

const root = join(import.meta.dirname, "..", "..");
const [vscode = "", extension = "", pictures = "."] = process.argv.slice(2);
const folder = ownFolder("workbench");
const workspace = join(folder, "workspace");
const machine = join(folder, "data", "Machine");
for (const path of [workspace, machine, pictures]) mkdirSync(path, { recursive: true });
const desk = readFileSync(join(root, "examples", "parcel-desk.md"), "utf8");
const file = join(workspace, "desk.md");
writeFileSync(file, desk.replace("- Does: create Parcel\n", "- Does: create Parcle\n"));
writeFileSync(
  join(machine, "settings.json"),
  JSON.stringify({
    "workbench.startupEditor": "none",
    "editor.inlayHints.enabled": "on",
    "ninefold.command": [process.execPath, join(root, "bin", "ninefold"), "lsp", "--stdio"],
  }),
);

// VS Code's native modules are built for the machine's Node, which may differ from the test's.
const node = process.env["NINEFOLD_VSCODE_NODE"] ?? process.execPath;
const folders = ["--server-data-dir", folder, "--extensions-dir", join(folder, "extensions")];
const program = join(resolve(vscode), "out", "server-main.js");
const installed = spawnSync(node, [program, ...folders, "--install-extension", resolve(extension)], {
  encoding: "utf8",
});
assert.match(installed.stdout, /successfully installed/);

const address = ["--host", "127.0.0.1", "--port", "0", "--without-connection-token"];
const server = spawn(node, [program, ...folders, ...address, "--accept-server-license-terms"], {
  stdio: ["ignore", "pipe", "inherit"],
});
const browser = await openBrowser();
try {
  let log = "";
  while (!/agent listening on \d+/.test(log)) log += String((await once(server.stdout, "data"))[0]);
  const port = /agent listening on (\d+)/.exec(log)?.[1] ?? "";
  const page = await browser.newPage({ viewport: { width: 1400, height: 900 } });
  page.setDefaultTimeout(60_000);
  const open = JSON.stringify([["openFile", `vscode-remote://127.0.0.1:${port}${file}`]]);
  await page.goto(
    `http://127.0.0.1:${port}/?folder=${encodeURIComponent(workspace)}&payload=${encodeURIComponent(open)}`,
  );
  const picture = async (name: string): Promise<void> => {
    // Until widgets have faded in.
    await page.waitForTimeout(500);
    await page.screenshot({ path: join(pictures, `${name}.png`) });
  };
  const goTo = async (line: number, column: number): Promise<void> => {
    await page.keyboard.press("Control+G");
    await page.locator(".quick-input-widget input").fill(`:${line}:${column}`);
    await page.keyboard.press("Enter");
  };
  const lineOf = (text: string): number => desk.slice(0, desk.indexOf(text)).split("\n").length;
  const command = async (name: string): Promise<void> => {
    await page.keyboard.press("F1");
    await page.locator(".quick-input-widget input").fill(`>${name}`);
    await page.keyboard.press("Enter");
  };

  await page.locator(".monaco-editor .view-lines").first().waitFor();
  await page.getByText("Yes, I trust the authors").click();
  await page.locator(".monaco-editor").first().click();
  await goTo(lineOf("- Does: create Parcel\n"), 20);
  await page.locator(".squiggly-error").first().waitFor();
  await page.getByText("Try this endpoint").first().waitFor();
  await picture("diagnostics");

  await command("Show or Focus Hover");
  await page.locator(".monaco-hover", { hasText: "Did you mean" }).first().waitFor();
  await picture("hover");

  await command("Quick Fix...");
  await page.locator(".action-widget", { hasText: "Did you mean" }).first().waitFor();
  await picture("quick-fix");
  await page.keyboard.press("Enter");
  await page.locator(".squiggly-error").first().waitFor({ state: "detached" });

  await goTo(lineOf("490 + this.weight_grams"), 1);
  await page.keyboard.press("End");
  await page.keyboard.press("Enter");
  await page.keyboard.type("| other | integer | = `this.we");
  await page.locator(".suggest-widget", { hasText: "weight_grams" }).first().waitFor();
  await picture("completion");
  await page.keyboard.press("Escape");
  for (let count = 0; count < 2; count += 1) await command("Undo");

  await command("Ninefold: Open Preview");
  const preview = page.frameLocator("iframe.webview").first().frameLocator("iframe");
  await preview.locator("svg").first().waitFor();
  await picture("preview");
  console.log("diagnostics, hover, quick fix, completion, lenses and preview: shown");
} catch (error) {
  await browser
    .contexts()[0]
    ?.pages()[0]
    ?.screenshot({ path: join(pictures, "failed.png") });
  throw error;
} finally {
  await browser.close();
  server.kill();
}
