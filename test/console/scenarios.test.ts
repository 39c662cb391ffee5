/** The scenarios page in a real browser: run, compare, show coverage, and try drafts. */
import assert from "node:assert/strict";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { eventually } from "../eventually.ts";
import { pathOf } from "../repository/repository.ts";
import { axeClean, fits, focused, lookAt, openConsole, press, shownDocuments } from "./open-console.ts";

/** Browsers log responses with 409; here they mean that no scenario was run. */
const refusals = /status of 409/;

test("scenarios are run, and one that fails shows the actual body next to the expected one", async () => {
  const folder = mkdtempSync(join(tmpdir(), "ninefold-console-"));
  const file = join(folder, "parcel-desk.md");
  const text = readFileSync(pathOf("examples/parcel-desk.md"), "utf8");
  // The scenario expects another first response.
  const changed = text.replace('"status": "registered"', '"status": "delivered"');
  assert.notEqual(changed, text);
  writeFileSync(file, changed);
  const tested = await openConsole(file);
  const { page, close } = await tested.open("/scenarios", { expects: refusals });
  try {
    await page.getByRole("row", { name: /a parcel reaches its recipient/ }).waitFor();
    await eventually(async () => assert.equal(await page.getByText("not run").count(), 3));
    await page.getByRole("button", { name: "Run all" }).focus();
    await press(page, "Enter");
    await page.getByText("2 passed", { exact: true }).waitFor();
    await page.getByText("1 failed", { exact: true }).waitFor();
    // Keyboard navigation to the first row, and into it.
    await press(page, "j", "Enter");
    const detail = page.locator(".detail");
    await detail.locator("table.differences").waitFor();
    const sides = detail.getByRole("group", { name: /Expected and actual body/ });
    await eventually(async () =>
      assert.match(await sides.locator("tr.is-differs").innerText(), /"delivered"[\s\S]*"registered"/),
    );
    const line = changed.split("\n").findIndex((lineText) => lineText.includes('"status": "delivered"'));
    const link = detail.locator(".differences a").first();
    const [, at] = /#L(\d+)$/.exec((await link.getAttribute("href")) ?? "") ?? [];
    assert.ok(Math.abs(Number(at) - line) < 8, `line ${at}, and it stands at ${line}`);
    await eventually(async () => assert.equal((await detail.getByText("not reached").count()) > 0, true));
    await axeClean(page);
    await fits(page, 360);
    await press(page, "Escape");
    await detail.waitFor({ state: "detached" });

    await page.getByRole("link", { name: "Coverage" }).click();
    await page.getByRole("heading", { name: /Resources and their fields/ }).waitFor();
    const rule = page.getByRole("listitem").filter({ hasText: "Parcel.weight_grams range 1..30000" });
    await eventually(async () => assert.match(await rule.innerText(), /fulfilled[\s\S]*not violated/));
    await eventually(async () => assert.equal(await page.getByText("parcel.registered").count(), 0));
    await page.getByRole("link", { name: "All rules" }).click();
    await page.getByText("parcel.registered").waitFor();
    await axeClean(page);
    await fits(page, 360);
  } finally {
    await close();
    await tested.close();
    rmSync(folder, { recursive: true, force: true });
  }
});

test("a scenario is run before it is pasted, with its mistakes, its differences and its result", async () => {
  const tested = await openConsole("examples/parcel-desk.md");
  const { page, close } = await tested.open("/scenarios/try");
  try {
    const text = page.getByRole("textbox", { name: "Scenario" });
    const tryIt = async (markdown: string) => {
      await text.fill(markdown);
      await page.getByRole("button", { name: "Try it" }).click();
    };
    const scenario = (status: number) =>
      `### Scenario: a stranger\n\n\`\`\`http\nGET /v1/parcels\n\`\`\`\n\n\`\`\`http\nHTTP/1.1 ${status}\n\`\`\`\n`;
    await tryIt('### Scenario: wrong\n\n- Given: Shopp with name = "x"\n');
    await page.getByText("The scenario has mistakes").first().waitFor();
    await page.getByText(/line 3: .*Shopp/).waitFor();
    await tryIt(scenario(200));
    await page.locator(".verdict", { hasText: "It fails" }).waitFor();
    await tryIt(scenario(401));
    await page.locator(".verdict", { hasText: /It passes. Paste it before line \d+/ }).waitFor();
    await axeClean(page);
    await fits(page, 360);
    await eventually(async () => assert.match(await focused(page), /button: Try it|body/));
  } finally {
    await close();
    await tested.close();
  }
});

for (const document of shownDocuments.slice(1))
  test(`the page is complete with ${document}`, async () => {
    const tested = await lookAt(document);
    const { page, close } = await tested.open("/scenarios", { expects: refusals });
    try {
      await page.locator("tr[data-key], .empty").first().waitFor();
      await axeClean(page);
      await fits(page, 360);
      await page.goto(`${tested.address}/scenarios/coverage`);
      await page.getByText("No scenario was run yet").waitFor();
    } finally {
      await close();
    }
  });
