/**
 * Examination of a page in a browser, in three forms: a desktop, a phone, and dark mode. It looks
 * for violations of axe, text that is wider than the screen or cut off, duplicate identifiers,
 * broken anchors and images, missing titles and an invisible focus.
 */
import { readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import type { Browser, BrowserContextOptions, Page } from "playwright-core";

export interface Form {
  readonly name: "desktop" | "phone" | "dark";
  readonly context: BrowserContextOptions;
  /** Rules of axe besides its default ones, or those alone that can differ from the desktop. */
  readonly axe: object;
}

const desktop = { width: 1280, height: 900 };
const withTargets = { rules: { "target-size": { enabled: true } } };

/** The forms in which every page is examined and photographed. */
export const forms: readonly Form[] = [
  { name: "desktop", context: { viewport: desktop, colorScheme: "light" }, axe: withTargets },
  {
    name: "phone",
    context: { viewport: { width: 390, height: 844 }, hasTouch: true, colorScheme: "light" },
    // Of the rules, these depend on the width.
    axe: {
      runOnly: ["target-size", "scrollable-region-focusable", "link-in-text-block", "aria-hidden-focus"],
    },
  },
  // In dark mode only the colours differ.
  {
    name: "dark",
    context: { viewport: desktop, colorScheme: "dark" },
    axe: { runOnly: ["color-contrast"] },
  },
];

const axeSource = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const faultsSource = readFileSync(join(import.meta.dirname, "page-faults.js"), "utf8");

/** How many kinds of elements get the focus on a page. */
const focusMax = 200;

/** Returns the faults of the page as it is shown, one text each. */
export async function faultsOf(page: Page, form: Form): Promise<readonly string[]> {
  await page.evaluate(`globalThis.axe === undefined && (() => { ${axeSource} })(); ${faultsSource}`);
  const given = JSON.stringify({ axe: { preload: false, ...form.axe }, focusMax });
  return page.evaluate(`pageFaults(${given})`);
}

export interface Window {
  readonly page: Page;
  /** Errors and warnings of the page, and its requests to other origins, since the last call. */
  takeComplaints(): readonly string[];
  close(): Promise<void>;
}

/**
 * Opens a window in a form.
 *
 * @param origin what the addresses of all permitted requests start with
 */
export async function openWindow(
  browser: Browser,
  form: Form,
  origin: string,
  options: BrowserContextOptions = {},
): Promise<Window> {
  const context = await browser.newContext({ ...form.context, reducedMotion: "reduce", ...options });
  let complaints: string[] = [];
  await context.route(
    (url) => !url.href.startsWith(origin) && !["data:", "blob:"].includes(url.protocol),
    (route) => {
      complaints.push(`requested ${route.request().url()}`);
      return route.abort();
    },
  );
  const page = await context.newPage();
  page.on("console", (message) => {
    if (["error", "warning"].includes(message.type())) complaints.push(`console: ${message.text()}`);
  });
  page.on("pageerror", (error) => complaints.push(`error: ${error}`));
  return {
    page,
    takeComplaints() {
      const taken = complaints;
      complaints = [];
      return taken;
    },
    close: () => context.close(),
  };
}
