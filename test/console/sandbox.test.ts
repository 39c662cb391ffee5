/** The sandbox page in a real browser: its clock, data spaces, snapshots and records. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { eventually } from "../eventually.ts";
import { axeClean, fits, openConsole, press, shownDocuments } from "./open-console.ts";

test("the clock is moved to the next due time, and a snapshot restores the former state", async () => {
  const tested = await openConsole("examples/parcel-desk.md", ["--sandbox"]);
  const { page, close } = await tested.open("/sandbox", { expects: /status of 4/ });
  const dialog = page.getByRole("dialog");
  try {
    const due = page.getByRole("listitem").filter({ hasText: "lapse" });
    await due.waitFor();
    await page.getByRole("textbox", { name: "Name of a snapshot" }).fill("before");
    await page.getByRole("button", { name: "Take snapshot" }).click();
    await page.getByRole("button", { name: "Restore the snapshot before" }).waitFor();

    await page.getByRole("button", { name: "Stop" }).click();
    await page.getByText("stopped").waitFor();
    await due.getByRole("button").click();
    await page.getByText("No timers are set.").waitFor();
    await page.getByRole("textbox", { name: "Advance by" }).fill("two weeks");
    await page.getByRole("button", { name: "Advance", exact: true }).click();
    await page
      .getByRole("alert")
      .getByText(/14 days/)
      .first()
      .waitFor();
    await axeClean(page);

    await page.getByRole("button", { name: "Restore the snapshot before" }).click();
    await dialog.getByText("This discards all changes in the data space since the snapshot.").waitFor();
    await press(page, "Escape");
    await dialog.waitFor({ state: "detached" });
    await page.getByText("No timers are set.").waitFor();
    await page.getByRole("button", { name: "Restore the snapshot before" }).click();
    await dialog.getByRole("button", { name: "Restore", exact: true }).click();
    await due.waitFor();
    await fits(page, 360);
  } finally {
    await close();
    await tested.close();
  }
});

test("records are added with errors at their position, and data spaces are created, shown and removed", async () => {
  const tested = await openConsole("examples/parcel-desk.md", ["--sandbox"]);
  const { page, close } = await tested.open("/sandbox", { expects: /status of 4/ });
  const dialog = page.getByRole("dialog");
  try {
    const lines = page.getByRole("textbox", { name: "Given lines" });
    await lines.fill('- Given: Shop with name = "Linus" as linus\n- Given: Shop with nam = "x"');
    await page.getByRole("button", { name: "Add" }).click();
    await page.getByText(/line 2, column \d+: .*nam/).waitFor();
    await eventually(async () => assert.equal(await lines.getAttribute("aria-invalid"), "true"));
    await lines.fill('- Given: Shop with name = "Linus" as linus');
    await page.getByRole("button", { name: "Add" }).click();
    await page.getByText("1 record created").waitFor();

    await page.getByRole("textbox", { name: "Name of a new data space" }).fill("test-1");
    await page.getByRole("button", { name: "Create" }).click();
    await page.waitForURL(/space=test-1/);
    const remove = page.getByRole("button", { name: "Delete the data space test-1" });
    await remove.click();
    await dialog.getByRole("button", { name: "Delete", exact: true }).click();
    await page.waitForURL((url) => !url.search.includes("space"));
    await remove.waitFor({ state: "detached" });

    await page.getByRole("button", { name: "Reset to empty" }).click();
    await dialog.getByRole("button", { name: "Reset to empty" }).click();
    await page.getByText("Reset with 0 records").waitFor();
  } finally {
    await close();
    await tested.close();
  }
});

test("a service without a sandbox has no sandbox in its navigation, and its page says how to start one", async () => {
  const tested = await openConsole("examples/conduit.md");
  const { page, close } = await tested.open("/sandbox");
  try {
    await page.getByText("This service is not a sandbox").waitFor();
    await eventually(async () => assert.equal(await page.getByRole("link", { name: "Sandbox" }).count(), 0));
    await axeClean(page);
  } finally {
    await close();
    await tested.close();
  }
});

for (const document of shownDocuments.slice(1))
  test(`it is shown with ${document}`, async () => {
    const tested = await openConsole(document, ["--sandbox"]);
    const { page, close } = await tested.open("/sandbox");
    try {
      await page.getByRole("textbox", { name: "Name of a snapshot" }).fill("before");
      await page.getByRole("button", { name: "Take snapshot" }).click();
      await page.getByRole("button", { name: "Restore the snapshot before" }).waitFor();
      await axeClean(page);
      await fits(page, 360);
    } finally {
      await close();
      await tested.close();
    }
  });
