/**
 * A real browser for tests: the one that NINEFOLD_BROWSER names, else one that the machine has, else the one that comes with the
 * development dependencies, so that `npm ci` is all the set-up there is. Where none starts the test fails; nothing is left out in silence.
 */
import { existsSync } from "node:fs";
import { type Browser, chromium } from "playwright-core";
import { unpackedBrowser } from "./packaged-browser.ts";

const usualPlaces = [
  "/usr/bin/chromium",
  "/usr/bin/chromium-browser",
  "/usr/bin/google-chrome",
  "/opt/google/chrome/chrome",
  "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
];

/** Whoever opens it closes it. @param more arguments besides those of every test */
export async function openBrowser(...more: readonly string[]): Promise<Browser> {
  const named = process.env["NINEFOLD_BROWSER"] ?? usualPlaces.find((path) => existsSync(path));
  const args = ["--no-sandbox", "--force-color-profile=srgb", ...more];
  if (named !== undefined && named !== "package") return chromium.launch({ executablePath: named, args });
  const { executablePath, environment } = await unpackedBrowser();
  return chromium.launch({
    executablePath,
    args,
    env: { ...process.env, ...environment } as Record<string, string>,
  });
}
