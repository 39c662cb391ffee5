/**
 * A real browser for tests: the one that NINEFOLD_BROWSER names, else an installed one, else the
 * one in the development dependencies, so that `npm ci` is the whole set-up. If none starts, the
 * test fails.
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

/** Launch options of the tests' browser. @param more further arguments */
export async function browserLaunch(...more: readonly string[]): Promise<LaunchOptions> {
  const named = process.env["NINEFOLD_BROWSER"] ?? usualPlaces.find((path) => existsSync(path));
  const args = ["--no-sandbox", "--force-color-profile=srgb", ...more];
  if (named !== undefined && named !== "package") return { executablePath: named, args };
  const { executablePath, environment } = await unpackedBrowser();
  return { executablePath, args, env: { ...process.env, ...environment } };
}

/** Opens the browser, which the caller closes. */
export async function openBrowser(...more: readonly string[]): Promise<Browser> {
  return chromium.launch(await browserLaunch(...more));
}
