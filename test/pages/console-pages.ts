/**
 * Examination of every page of the console: all that links lead to from the overview of several
 * documents, and states that need a click: dialogs, forms, an import, a disabled webhook.
 */
import assert from "node:assert/strict";
import type { Page } from "playwright-core";
import { openConsole, token } from "../console/open-console.ts";
import { createDesk } from "../console/parcel-desk.ts";
import { eventually } from "../eventually.ts";
import type { Examination } from "./examination.ts";
import { type Form, forms, openWindow, type Window } from "./examine.ts";

const courier = "examples/parcel-desk.md";

/** The served documents: a sandbox with traffic, a service that is none, and three without records. */
const services = [
  { name: "sandbox", document: courier, args: ["--sandbox"] },
  { name: "conduit", document: "examples/conduit.md", args: [] },
  { name: "stripe", document: "examples/twins/stripe.md", args: [] },
  { name: "unidentified", document: "examples/unidentified-service.md", args: [] },
] as const;

/** How many pages are examined of a document: those nearest to the overview. */
const pagesMax = 60;

/** States of pages that no link leads to. */
const states: readonly {
  readonly name: string;
  readonly path: string;
  readonly open: (page: Page) => Promise<unknown>;
  readonly form?: Form["name"];
  /** The status that a browser reports as an error. */
  readonly expects?: number;
}[] = [
  {
    name: "import with mistakes",
    path: "/data/Shop",
    async open(page) {
      await button(page, "Import").click();
      await file(page, "shops.jsonl", '{"name": "Imported One"}\n{"nam": "Two"}\n{"name": 3}\n');
      await page.getByText("2 lines refused").waitFor();
    },
  },
  {
    name: "import without mistakes",
    path: "/data/Shop",
    async open(page) {
      await button(page, "Import").click();
      await file(page, "shops.csv", "name\nImported One\nImported Two\n");
      await page.getByText("2 to create, 0 to update").waitFor();
    },
  },
  {
    name: "new record",
    expects: 422,
    path: "/data/Parcel",
    async open(page) {
      await page.getByRole("table").waitFor();
      await page.keyboard.press("n");
      const dialog = page.getByRole("dialog");
      await button(dialog, "Create").click();
      await dialog.getByText("is required").first().waitFor();
    },
  },
  {
    name: "edit record",
    path: "/data/Parcel",
    async open(page) {
      await page.locator("tbody a.row-link").first().click();
      await page.locator(".detail .key-values").first().waitFor();
      await page.keyboard.press("e");
      await page.getByRole("form", { name: "Edit record" }).waitFor();
    },
  },
  {
    name: "delete record",
    path: "/data/Parcel",
    async open(page) {
      await page.locator("tbody a.row-link").first().click();
      await button(page, "Delete").click();
      await page.getByRole("dialog").getByText("1 Parcel").waitFor();
    },
  },
  {
    name: "fire transition",
    path: "/data/Parcel",
    async open(page) {
      await page.locator("tbody a.row-link").first().click();
      await page.getByRole("tab", { name: /^Transitions/ }).click();
      await page
        .getByRole("button", { name: /^Fire / })
        .first()
        .click();
      await page.getByRole("dialog").waitFor();
    },
  },
  {
    name: "change all",
    path: "/data/Parcel?filter=weight_grams%20%3E%201",
    async open(page) {
      await page.getByRole("button", { name: /^Change all/ }).click();
      await page.getByRole("dialog").waitFor();
    },
  },
  {
    name: "columns",
    path: "/data/Parcel",
    open: (page) => page.getByText("Columns", { exact: true }).click(),
  },
  {
    name: "shortcuts",
    path: "/document",
    async open(page) {
      await page.getByRole("heading", { level: 1, name: "Document" }).waitFor();
      await page.keyboard.press("?");
      await page.getByRole("dialog", { name: "Keyboard shortcuts" }).waitFor();
    },
  },
  {
    name: "go to",
    path: "/document",
    async open(page) {
      await page.getByRole("heading", { level: 1, name: "Document" }).waitFor();
      await page.keyboard.press("/");
      await page.getByRole("combobox", { name: "Go to" }).fill("parcel");
      await page.locator('[role="option"]').first().waitFor();
    },
  },
  {
    name: "menu",
    path: "/",
    form: "phone",
    async open(page) {
      await button(page, "Menu").click();
      await page.getByRole("dialog", { name: "Menu" }).waitFor();
    },
  },
  {
    name: "try it, filled from a scenario and sent",
    path: "/try",
    async open(page) {
      await page.getByRole("button", { name: /^a parcel reaches its recipient/ }).click();
      await button(page, "Send").click();
      await page.getByText("201", { exact: true }).first().waitFor();
    },
  },
  {
    name: "try it, refused",
    path: "/try",
    async open(page) {
      await button(page, "Send").click();
      await page.getByText("422", { exact: true }).first().waitFor();
    },
  },
  {
    name: "scenarios, all run",
    path: "/scenarios",
    async open(page) {
      await button(page, "Run all").click();
      await page
        .getByText(/\d+ passed/)
        .first()
        .waitFor();
    },
  },
  {
    name: "save a request as a scenario",
    path: "/requests",
    async open(page) {
      await page.getByRole("link", { name: /POST/ }).first().click();
      await button(page, "Save as scenario").click();
      await page.getByRole("dialog").waitFor();
    },
  },
  {
    name: "resend all",
    path: "/deliveries?state=done",
    async open(page) {
      await button(page, "Resend these").click();
      await page
        .getByRole("dialog")
        .getByText(/deliver(y|ies) match/)
        .waitFor();
    },
  },
  {
    name: "test event",
    path: "/deliveries?view=receivers",
    async open(page) {
      await page.locator(".receiver-name a").first().click();
      await button(page, "Send test event").click();
      await button(page.getByRole("dialog"), "Send").click();
      await page.getByRole("dialog").getByText("200", { exact: true }).waitFor();
    },
  },
  {
    name: "replay",
    path: "/deliveries?view=receivers",
    async open(page) {
      await page.locator(".receiver-name a").first().click();
      await button(page, "Replay").click();
      await page.getByRole("dialog", { name: "Replay deliveries" }).waitFor();
    },
  },
  {
    name: "disabled webhook",
    path: "/deliveries?view=receivers",
    async open(page) {
      await page.locator(".receiver-name a").first().click();
      const enable = button(page, "Enable");
      await enable.or(button(page, "Disable")).waitFor();
      if (await enable.isVisible()) return;
      await button(page, "Disable").click();
      await button(page.getByRole("dialog"), "Disable").click();
      await enable.waitFor();
    },
  },
  {
    name: "paused receiver, in the list",
    path: "/deliveries?view=receivers",
    open: (page) =>
      page
        .getByText(/disabled|paused/)
        .first()
        .waitFor(),
  },
  {
    name: "restore a snapshot",
    path: "/sandbox",
    async open(page) {
      await button(page, "Restore the snapshot before").click();
      await page.getByRole("dialog").waitFor();
    },
  },
  {
    name: "sandbox, wrong lines",
    expects: 422,
    path: "/sandbox",
    async open(page) {
      await page
        .getByRole("textbox", { name: "Given lines" })
        .fill('- Given: Shop with name = "Linus" as linus\n- Given: Shop with nam = "x"');
      await button(page, "Add").click();
      await page.getByText(/line 2, column \d+/).waitFor();
    },
  },
];

/** Line numbers are as high as their lines; *Go to* leads to a line as well (WCAG 2.5.8). */
const isExpected = (status?: number) => (fault: string) =>
  fault.startsWith('axe target-size: <a class="line-number') ||
  (status !== undefined && fault.includes(`status of ${status}`));

type Scope = Pick<Page, "getByRole">;

const button = (scope: Scope, name: string) => scope.getByRole("button", { name, exact: true }).first();

const file = (page: Page, name: string, text: string) =>
  page
    .getByRole("dialog")
    .getByLabel("File")
    .setInputFiles({ name, mimeType: "text/plain", buffer: Buffer.from(text) });

export async function examineConsole(examination: Examination): Promise<void> {
  for (const service of services)
    for (const form of forms) {
      // A served process of the tests ends after some minutes, so each form has its own.
      const served = await openConsole(service.document, service.args);
      try {
        if (service.document === courier) await makeTraffic(served);
        const window = await openWindow(examination.browser, form, `${served.address}/`, {
          storageState: {
            cookies: [],
            origins: [{ origin: served.address, localStorage: [{ name: "ninefold.token", value: token }] }],
          },
        });
        await examineLinked(examination, window, served.address, service.name, form);
        if (service.document === courier) await examineStates(examination, window, served.address, form);
        await window.close();
      } finally {
        await served.close();
      }
    }
}

async function examineStates(
  examination: Examination,
  window: Window,
  address: string,
  form: Form,
): Promise<void> {
  for (const state of states.filter((known) => (known.form ?? form.name) === form.name)) {
    const name = `console/sandbox state ${state.name}`;
    if (!examination.includes(name)) continue;
    await show(window, address + state.path);
    try {
      await state.open(window.page);
    } catch (error) {
      examination.report(`${name} (${form.name}): ${String(error).split("\n")[0]}`);
    }
    await examination.examine(window, name, form, isExpected(state.expects));
  }
}

/** Shows a page, and waits until it has loaded what it shows. */
async function show({ page }: Window, address: string): Promise<void> {
  await page.goto(address);
  await page.locator("main").first().waitFor();
  // The stream of events stays open, so the network is never idle: the text has to stay the same.
  await page.evaluate(
    `new Promise((resolve) => {
      let text = "", unchanged = 0;
      const timer = setInterval(() => {
        const now = document.body.innerText;
        const isBusy = document.querySelector('[aria-busy="true"]') !== null;
        unchanged = now.length === text.length && !isBusy ? unchanged + 1 : 0;
        text = now;
        if (unchanged > 3) { clearInterval(timer); resolve(true); }
      }, 60);
    })`,
  );
}

/** The pages of the navigation, and an address without a page. */
const entries = ["", "document", "states", "data", "requests", "try", "events", "deliveries", "scenarios"];
const unlinked = ["sandbox", "nowhere"];

/**
 * Examines all pages that links lead to. Pages that differ in an identifier, a filter or an order
 * alone are visited once.
 */
async function examineLinked(
  examination: Examination,
  window: Window,
  address: string,
  service: string,
  form: Form,
): Promise<void> {
  const next = [...entries, ...unlinked].map((page) => `/${page}`);
  const known = new Set(next.map(kindOf));
  for (let visited = 0; visited < pagesMax && next.length > 0; visited += 1) {
    const path = next.shift() as string;
    const name = `console/${service}${path}`;
    await show(window, address + path);
    if (path !== "/nowhere" && (await window.page.getByText("The console has no page at").count()) > 0)
      examination.report(`${name} (${form.name}): a link leads to no page`);
    const links = await window.page.evaluate<readonly string[]>(
      `[...document.querySelectorAll("a[href]")]
        .filter((link) => link.origin === location.origin && !link.pathname.startsWith("/docs"))
        .map((link) => link.pathname + link.search)`,
    );
    for (const link of links) {
      if (known.has(kindOf(link))) continue;
      known.add(kindOf(link));
      next.push(link);
    }
    if (examination.includes(name)) await examination.examine(window, name, form, isExpected());
    else window.takeComplaints();
  }
}

/** A link without identifiers and values: links of one kind lead to pages of one kind. */
function kindOf(link: string): string {
  const { pathname, searchParams } = new URL(link, "http://console");
  const [, page, ...rest] = pathname.split("/");
  const isRecord = page === "data" && rest.length > 1;
  const place = isRecord ? [rest[0], "*"] : page === "data" || page === "states" ? rest : rest.map(() => "*");
  const parameters = [...searchParams]
    .map(([name, value]) => (["view", "tab"].includes(name) ? `${name}=${value}` : name))
    .filter((name) => !/^(space|sort|cursor|columns|part)$/.test(name));
  return [page, ...place, ...parameters.toSorted()].join("/");
}

/** Requests, records, deliveries that arrive and fail, and a snapshot. */
async function makeTraffic(served: Parameters<typeof createDesk>[0]): Promise<void> {
  const desk = await createDesk(served);
  const { address } = await desk.request("GET", "/api/receiver");
  await desk.newHook(address);
  await desk.collect(await desk.newParcel());
  await desk.request("POST", "/api/receiver", { answers: "fails" });
  for (let count = 0; count < 3; count += 1) await desk.newParcel();
  await eventually(async () => {
    const { received } = await desk.request("GET", "/api/receiver");
    assert.ok(received.length > 4);
  });
  await desk.request("POST", "/api/receiver", { answers: "ok" });
  await desk.collect("pcl_none");
  await fetch(`${served.service}/parcels`);
  await desk.request("POST", "/api/snapshots", { name: "before" });
}
