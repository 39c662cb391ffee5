/** Mermaid itself reads the exported diagrams, in a browser, which its parser needs. */
import assert from "node:assert/strict";
import { createRequire } from "node:module";
import { after, before, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import { compile } from "../../src/compile.ts";
import { stateMermaid } from "../../src/outputs/diagrams/mermaid.ts";
import { mermaidOutput } from "../../src/outputs/mermaid/mermaid.ts";
import { openBrowser } from "../browser/browser.ts";
import { filesUnder, textOf } from "../repository/repository.ts";

let browser: Browser;
let page: Page;

before(async () => {
  browser = await openBrowser();
  page = await browser.newPage();
  await page.addScriptTag({ path: createRequire(import.meta.url).resolve("mermaid/dist/mermaid.min.js") });
});

after(() => browser?.close());

interface Mermaid {
  parse(text: string): Promise<{ readonly diagramType: string }>;
  render(id: string, text: string): Promise<{ readonly svg: string }>;
}

/** The browser's globals that these tests use. */
interface BrowserWorld {
  readonly mermaid: Mermaid;
  readonly DOMParser: new () => {
    parseFromString(
      text: string,
      type: string,
    ): { querySelectorAll(selector: string): Iterable<{ readonly textContent: string | null }> };
  };
}

/** The kind of diagram, or Mermaid's error. */
function parsed(text: string): Promise<string> {
  return page.evaluate(async (given) => {
    const { mermaid } = globalThis as unknown as BrowserWorld;
    return mermaid.parse(given).then(
      ({ diagramType }) => diagramType,
      (error) => `${error}`,
    );
  }, text);
}

/**
 * All words in the picture that Mermaid draws: its state diagrams are lenient, so a parsed text may
 * still mean something else.
 */
function drawnWords(text: string): Promise<readonly string[]> {
  return page.evaluate(async (given) => {
    const { mermaid, DOMParser } = globalThis as unknown as BrowserWorld;
    const { svg } = await mermaid.render("drawn", given);
    const drawing = new DOMParser().parseFromString(svg, "text/html");
    return [...drawing.querySelectorAll("p, text")].map((element) => element.textContent ?? "");
  }, text);
}

const documents = filesUnder("examples", ".md").filter((path) => !path.endsWith(".seed.md"));

for (const path of documents) {
  test(`the diagrams of ${path} are diagrams`, async () => {
    const { model } = compile(textOf(path), { file: path });
    assert.ok(model);
    const { files, notes } = await mermaidOutput.generate(model, {});
    const text = files[0]?.text ?? "";
    const diagrams = [...text.matchAll(/^```mermaid\n([\s\S]*?)^```$/gm)].map((hit) => hit[1] as string);
    for (const diagram of diagrams) assert.match(await parsed(diagram), /^(stateDiagram|er)$/, diagram);
    const machines = model.resources.filter((resource) => resource.states?.states.length).length;
    assert.equal(diagrams.length, machines + (model.resources.length > 0 ? 1 : 0));
    if (model.resources.length === 0) assert.equal(notes.length, 4, "an empty file says what it is without");
  });
}

test("Mermaid rejects invalid diagrams", async () => {
  assert.match(await parsed("stateDiagram-v2\n  state {\n"), /error/i);
  assert.match(await parsed("erDiagram\n  A }o--|| : x\n"), /error/i);
});

const awkward = [
  "end",
  "state",
  "note",
  "on-hold",
  "Ready to ship",
  "3ds_required",
  "class",
  "n0_x",
  "__proto__",
  "as",
  "direction",
  "A",
];

test("states are drawn under any name that part 3 accepts", async () => {
  const states = awkward.map((name, at) => ({ name, initial: at === 0, final: at === 3 }));
  const arrows = awkward.flatMap((from, at) => [
    { transition: `end${at}`, from, to: awkward[(at + 1) % awkward.length] as string, guarded: true },
    { transition: `note${at}`, to: from, guarded: false, trigger: "after 2 days" },
  ]);
  const begins = { gap: false, text: `this.x == "%%{init: {}}%%" ? "a" : "b"\n--> [*]` };
  const text = stateMermaid({ resource: "X", states, arrows, initial: begins });
  assert.equal(await parsed(text), "stateDiagram");
  const words = await drawnWords(text);
  for (const name of [...awkward, ...arrows.map((arrow) => arrow.transition)]) {
    assert.ok(
      words.some((word) => word.trim() === name || word.startsWith(`${name},`)),
      `${name} is not among ${words.join(" | ")}`,
    );
  }
});
