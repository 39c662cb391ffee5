/**
 * Browser windows with mutants of the console (`console.ts`): each window knows which mutant is
 * active, and reports those that it reached.
 */
import { chromium } from "playwright-core";
import { planted } from "./plant.ts";

/** Gives each new browser window the switches of this process. */
export function switchBrowsers(): void {
  const launch = chromium.launch.bind(chromium);
  chromium.launch = async (options) => {
    const browser = await launch(options);
    const newContext = browser.newContext.bind(browser);
    browser.newContext = async (wanted) => {
      const context = await newContext(wanted);
      await context.exposeFunction("__reached", (number: number) => void planted.reached.add(number));
      await context.addInitScript(`globalThis.__active = ${planted.active}`);
      return context;
    };
    return browser;
  };
}
