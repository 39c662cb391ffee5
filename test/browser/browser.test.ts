/** The browser of the tests can be believed: what it measures has letters in it. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { openBrowser } from "./browser.ts";

test("letters are as wide as letters, in every kind of font that pages ask for", async () => {
  const browser = await openBrowser();
  try {
    const page = await browser.newPage();
    await page.setContent(
      ["system-ui", "sans-serif", "monospace"]
        .map((font) => `<p><span style="font: 16px ${font}">mmmmmmmmmm</span></p>`)
        .join(""),
    );
    const widths: readonly number[] = await page.evaluate(
      `[...document.querySelectorAll("span")].map((one) => one.getBoundingClientRect().width)`,
    );
    assert.deepEqual(
      widths.map((width) => width > 80),
      [true, true, true],
      String(widths),
    );
  } finally {
    await browser.close();
  }
});
