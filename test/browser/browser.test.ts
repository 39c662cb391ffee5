/** The tests' browser is reliable: its fonts have glyphs, so its measurements are real. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { openBrowser } from "./browser.ts";

test("glyphs have their width in every kind of font that pages request", async () => {
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
