/**
 * Test kit of the console: a document served by the real command, and its console in a real
 * browser. Closing a page fails if it had errors, policy violations, or requests to another origin.
 * The console is rebuilt when its sources are newer than the build.
 */
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { readFileSync, statSync } from "node:fs";
import { createRequire } from "node:module";
import { after, test } from "node:test";
import type { Browser, BrowserContext, BrowserContextOptions, Page } from "playwright-core";
import { served, type Watched } from "../../src/cli/testing/served-command.ts";
import { openBrowser } from "../browser/browser.ts";
import { createChance } from "../streams/chance.ts";
import { filesUnder, pathOf } from "../repository/repository.ts";

export const token = "a-token-for-the-tests-of-the-console-0";

/** The documents that every page is tested with. */
export const shownDocuments = [
  "examples/parcel-desk.md",
  "examples/conduit.md",
  "examples/twins/stripe.md",
  "examples/unidentified-service.md",
] as const;

const seeds: Readonly<Record<string, string>> = { "examples/parcel-desk.md": "examples/parcel-desk.seed.md" };

export interface ConsoleTested {
  /** The operations address. */
  readonly address: string;
  /** The address of the service, with its base path. */
  readonly service: string;
  readonly process: Watched;
  /** Opens a window with the token at a path of the console. The caller closes it. */
  open(path: string, options?: OpenOptions): Promise<PageTested>;
  close(): Promise<void>;
}

export interface OpenOptions extends BrowserContextOptions {
  /** Whether the window has the token. */
  readonly hasToken?: boolean;
  /** Errors that are expected: browsers report a response of 409 as one. */
  readonly expects?: RegExp;
  /** Runs before the first page is requested. */
  readonly before?: (page: Page) => Promise<unknown>;
}

export interface PageTested {
  readonly page: Page;
  readonly context: BrowserContext;
  /** Closes the window, and fails if errors were reported. */
  close(): Promise<void>;
}

/** One browser for the process; each window is a separate context. */
let browser: Promise<Browser> | undefined;
/** Documents that tests only read, by path: each is served once. */
const lookedAt = new Map<string, Promise<ConsoleTested>>();
after(async () => {
  for (const opened of lookedAt.values()) await (await opened).close();
  await (await browser)?.close();
});

/** @param args further arguments of `serve`; the store is in memory unless they say otherwise */
export async function openConsole(document: string, args: readonly string[] = []): Promise<ConsoleTested> {
  buildWhereStale();
  const seed = seeds[document];
  const kept = args.includes("--store") ? [] : ["--store", ":memory:"];
  const seeded = seed === undefined || args.includes("--seed") ? [] : ["--seed", pathOf(seed)];
  const file = document.startsWith("/") ? document : pathOf(document);
  const process_ = served([file, ...kept, ...seeded, "--operations", "0", ...args], {
    env: { ...process.env, NINEFOLD_OPERATIONS_TOKEN: token },
  });
  try {
    browser ??= openBrowser();
    const opened = await browser;
    const address = (await process_.until(/Console: (http:\/\/[^/\s]+)/))[1] as string;
    const service = (await process_.until(/ at (http:\S+)/))[1] as string;
    return {
      address,
      service,
      process: process_,
      open: (path, options) => openPage(opened, address, path, options),
      async close() {
        process_.child.kill("SIGTERM");
        await process_.ended;
      },
    };
  } catch (error) {
    process_.child.kill("SIGKILL");
    throw error;
  }
}

/**
 * With `NINEFOLD_TEST_LATE=SEED` each response of the API is delayed by a random time, which no
 * page test may depend on.
 */
async function answerLate(context: BrowserContext): Promise<void> {
  const seed = process.env["NINEFOLD_TEST_LATE"];
  if (seed === undefined) return;
  const below = createChance(Number(seed));
  await context.route("**/api/**", async (route) => {
    await new Promise((resolve) => setTimeout(resolve, below(below(2) === 0 ? 100 : 1500)));
    // The page may be closed then.
    await route.continue().catch(() => {});
  });
}

async function openPage(
  browser: Browser,
  address: string,
  path: string,
  { hasToken = true, expects, before, ...options }: OpenOptions = {},
): Promise<PageTested> {
  const context = await browser.newContext({ viewport: { width: 1280, height: 900 }, ...options });
  if (hasToken)
    await context.addInitScript(
      `if (location.origin === ${JSON.stringify(address)}) localStorage.setItem("ninefold.token", ${JSON.stringify(token)})`,
    );
  const complaints: string[] = [];
  const printError = (text: string) => {
    if (!expects?.test(text)) complaints.push(text);
  };
  const listen = (page: Page) => {
    page.on("console", (message) => printError(`${message.type()}: ${message.text()}`));
    page.on("pageerror", (error) => printError(String(error)));
    page.on("request", (request) => {
      if (!request.url().startsWith(`${address}/`)) printError(`requested ${request.url()}`);
    });
  };
  context.on("page", listen);
  const page = await context.newPage();
  await answerLate(context);
  await before?.(page);
  await page.goto(address + path);
  return {
    page,
    context,
    async close() {
      await context.close();
      assert.deepEqual(complaints, []);
    },
  };
}

/**
 * `npm ci` has built the console; this rebuilds it after a change, so that tests run the current
 * sources.
 */
function buildWhereStale(): void {
  const changed = (path: string) => statSync(pathOf(path), { throwIfNoEntry: false })?.mtimeMs ?? 0;
  const newest = Math.max(...filesUnder("console").map(changed));
  if (changed("dist/console/index.html") >= newest) return;
  execFileSync(process.execPath, [pathOf("scripts/build-console.ts")], { stdio: "inherit" });
}

const axeSource = () => readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");

interface Violation {
  readonly id: string;
  readonly nodes: readonly { readonly html: string; readonly failureSummary?: string }[];
}

/**
 * Line numbers are as high as the lines of their text. *Go to* leads to a line as well, which is an
 * equivalent control as WCAG 2.5.8 has it.
 */
function isLineNumber({ id, nodes }: Violation): boolean {
  return id === "target-size" && nodes.every(({ html }) => html.startsWith('<a class="line-number'));
}

/** Asserts that axe finds no violation, in light and dark mode. */
export async function axeClean(
  page: Page,
  schemes: readonly ("light" | "dark")[] = ["light", "dark"],
): Promise<void> {
  await page.evaluate(`globalThis.axe === undefined && (() => { ${axeSource()} })()`);
  for (const colorScheme of schemes) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    // In dark mode only the colours differ.
    const options = JSON.stringify({
      preload: false,
      ...(colorScheme === "light"
        ? { rules: { "target-size": { enabled: true } } }
        : { runOnly: ["color-contrast"] }),
    });
    const { violations } = (await page.evaluate(`globalThis.axe.run(${options})`)) as {
      readonly violations: readonly Violation[];
    };
    assert.deepEqual(
      violations
        .filter((violation) => !isLineNumber(violation))
        .map(({ id, nodes }) => `${id}: ${nodes[0]?.html.slice(0, 300)} ${nodes[0]?.failureSummary}`),
      [],
      `${page.url()} in the ${colorScheme}`,
    );
  }
}

/**
 * Asserts that nothing extends beyond a screen of this width, except content of scrolling elements.
 */
export async function fits(page: Page, width: number): Promise<void> {
  const before = page.viewportSize();
  await page.setViewportSize({ width, height: 740 });
  const widths = await page.evaluate(
    `[document.documentElement.scrollWidth, document.documentElement.clientWidth]`,
  );
  assert.deepEqual(widths, [width, width], page.url());
  const cut = await page.evaluate(`
    (() => {
      const scrolls = (one) => {
        for (let at = one; at; at = at.parentElement)
          if (/auto|scroll|hidden/.test(getComputedStyle(at).overflowX) && at !== document.documentElement) return true;
        return false;
      };
      return [...document.querySelectorAll("main *")]
        .filter((one) => one.getBoundingClientRect().right > ${width + 1} && !scrolls(one.parentElement) && !one.closest(".hidden-words"))
        .map((one) => one.outerHTML.slice(0, 160));
    })()`);
  assert.deepEqual(cut, [], page.url());
  if (before) await page.setViewportSize(before);
}

/** Presses one key after the other: `press(page, "g", "r")`. */
export async function press(page: Page, ...keys: readonly string[]): Promise<void> {
  for (const key of keys) await page.keyboard.press(key);
}

/** The focused element: its role or tag, and its name or text. */
export async function focused(page: Page): Promise<string> {
  return page.evaluate(
    `(() => { const one = document.activeElement; return one.tagName.toLowerCase() + ": " + (one.getAttribute("aria-label") ?? one.textContent ?? "").trim().slice(0, 80); })()`,
  );
}

/** The console of a document that tests only read: they share one process, which `after` closes. */
export function lookAt(document: string): Promise<ConsoleTested> {
  const opened = lookedAt.get(document) ?? openConsole(document);
  lookedAt.set(document, opened);
  return opened;
}

/**
 * Tests a page with every document other than the parcel desk, which has its own tests. @param
 * selector the element to wait for
 */
export function testOfOthers(name: string, selector: string): void {
  for (const document of shownDocuments.filter(
    (shownDocument) => shownDocument !== "examples/parcel-desk.md",
  )) {
    test(`${name} of ${document} are shown, or that there are none`, async () => {
      const { page, close } = await (await lookAt(document)).open(`/${name}`);
      await page.waitForSelector(selector);
      await axeClean(page);
      await fits(page, 360);
      await close();
    });
  }
}
