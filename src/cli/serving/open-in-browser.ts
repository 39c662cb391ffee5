/**
 * Opens a link in the browser (`serve --open`). The link has a token, and every user of the machine
 * can read the arguments of processes. So the browser gets the path of a page that only this user
 * can read and that leads to the link.
 */
import { spawn } from "node:child_process";
import { rmSync } from "node:fs";
import { mkdtemp, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { pathToFileURL } from "node:url";
import { messageOf } from "../../support/failure.ts";
import { type Terminal, warn } from "../terminal.ts";

/** The program that opens a URL: `BROWSER`, else the platform's own. */
function openerOf({ environment }: Terminal): readonly [command: string, ...args: readonly string[]] {
  if (environment["BROWSER"]) return [environment["BROWSER"]];
  if (process.platform === "darwin") return ["open"];
  return process.platform === "win32" ? ["explorer"] : ["xdg-open"];
}

/** Never fails: without a browser, the link is in the greeting. */
export async function openInBrowser(link: string, terminal: Terminal): Promise<void> {
  const [command, ...args] = openerOf(terminal);
  const failed = (error: unknown) =>
    warn(
      terminal,
      `ninefold serve: --open can't start a browser (${messageOf(error)}). Open the console's link yourself, or set BROWSER.\n`,
    );
  try {
    const folder = await mkdtemp(join(tmpdir(), "ninefold-open-"));
    process.once("exit", () => rmSync(folder, { recursive: true, force: true }));
    const page = join(folder, "console.html");
    await writeFile(page, pageTo(link), { mode: 0o600 });
    const child = spawn(command, [...args, pathToFileURL(page).href], { stdio: "ignore", detached: true });
    child.on("error", failed);
    child.unref();
  } catch (error) {
    failed(error);
  }
}

function pageTo(link: string): string {
  const address = link.replaceAll("&", "&amp;").replaceAll('"', "&quot;");
  return `<!doctype html>
<meta charset="utf-8">
<meta name="referrer" content="no-referrer">
<meta http-equiv="refresh" content="0; url=${address}">
<title>Console</title>
<a href="${address}">Open the console</a>
`;
}
