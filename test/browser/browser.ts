/**
 * A real browser for tests: the one that NINEFOLD_BROWSER names, else one that the machine has, else the one that comes with the
 * development dependencies, so that `npm ci` is all the set-up there is. Where none starts the test fails; nothing is left out in silence.
 */
import { existsSync } from "node:fs";
import { type Browser, chromium, type LaunchOptions } from "playwright-core";
import { unpackedBrowser } from "./packaged-browser.ts";

const usualPlaces = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/opt/google/chrome/chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** How the browser of these tests is started. @param more arguments besides those of every test */
export async function browserLaunch(...more: readonly string[]): Promise<LaunchOptions> {
  const named = process.env["NINEFOLD_BROWSER"] ?? usualPlaces.find((path) => existsSync(path));
  const args = ["--no-sandbox", "--force-color-profile=srgb", ...more];
  if (named !== undefined && named !== "package") return { executablePath: named, args };
  const { executablePath, environment } = await unpackedBrowser();
  return { executablePath, args, env: { ...process.env, ...environment } };
}

/** The caller closes it. */
export async function openBrowser(...more: readonly string[]): Promise<Browser> {
  return chromium.launch(await browserLaunch(...more));
}
