/** Every feature of `ninefold lsp`, over the protocol, from a client of the real process. */
import assert from "node:assert/strict";
import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { fileURLToPath, pathToFileURL } from "node:url";
import {
  CodeActionRequest,
  CodeLensRequest,
  CompletionRequest,
  DefinitionRequest,
  DocumentFormattingRequest,
  DocumentSymbolRequest,
  ExecuteCommandRequest,
  FoldingRangeRequest,
  HoverRequest,
  InlayHintRequest,
  type Location,
  MarkupContent,
  type Position,
  PrepareRenameRequest,
  ReferencesRequest,
  RenameRequest,
  RequestType,
  SelectionRangeRequest,
  SemanticTokensRequest,
  type WorkspaceEdit,
} from "vscode-languageserver-protocol/node";
import { TextDocument } from "vscode-languageserver-textdocument";
import { compile } from "../../src/compile.ts";
import { ownFolder } from "../own-folder.ts";
import { type Editor, startEditor } from "./client.ts";

const root = join(import.meta.dirname, "..", "..");
const desk = readFileSync(join(root, "examples", "parcel-desk.md"), "utf8");

let editor: Editor;
let opened = 0;

before(async () => {
  editor = await startEditor();
});

after(() => editor.stop());

/** Opens a text as a new document, and waits until it is analysed. */
async function opens(text: string) {
  opened += 1;
  const uri = `file:///documents/${opened}.md`;
  editor.open(uri, text);
  const { diagnostics } = await editor.diagnostics(uri);
  return { uri, diagnostics, document: TextDocument.create(uri, "markdown", 1, text) };
}

/** The position after the first occurrence of a text, or within it at `¦`. */
function at(text: string, marked: string): Position {
  const index = text.indexOf(marked.replace("¦", ""));
  assert.notEqual(index, -1, marked);
  return TextDocument.create("file:///x", "markdown", 1, text).positionAt(index + marked.indexOf("¦"));
}

function applied(text: string, uri: string, edit: WorkspaceEdit | null | undefined): string {
  return TextDocument.applyEdits(TextDocument.create(uri, "markdown", 1, text), edit?.changes?.[uri] ?? []);
}

function withText(before: string, after: string): string {
  assert.ok(desk.includes(before), before);
  return desk.replace(before, after);
}

test("diagnostics are those of check, with their codes and hints", async () => {
  const text = withText("- Does: create Parcel", "- Does: create Parcle");
  const { diagnostics } = await opens(text);
  const expected = compile(text, { file: "1.md" }).diagnostics;
  assert.deepEqual(
    diagnostics.map(({ code, range }) => [code, range.start.line]),
    expected.map(({ code, position }) => [code, position.start.line - 1]),
  );
  const unknown = diagnostics.find(({ code }) => code === "endpoints/unknown-resource");
  assert.match(String(unknown?.message), /Did you mean `Parcel`/);
  assert.equal(unknown?.severity, 1);
});

test("a Markdown file that isn't a specification gets no diagnostics", async () => {
  const text = `# Notes\n\n- Does: nothing\n\n\`\`\`\`markdown\n${desk}\`\`\`\`\n`;
  const { uri, diagnostics } = await opens(text);
  assert.deepEqual(diagnostics, []);
  const params = { textDocument: { uri }, position: { line: 2, character: 3 } };
  assert.equal(await editor.connection.sendRequest(HoverRequest.type, params), null);
  assert.equal(await editor.connection.sendRequest(CompletionRequest.type, params), null);
});

test("a half-typed title keeps the diagnostics of a document that was a specification", async () => {
  const { uri } = await opens(desk);
  const changes = [{ range: { start: { line: 0, character: 3 }, end: { line: 0, character: 9 } }, text: "" }];
  editor.change(uri, 2, changes);
  const { diagnostics } = await editor.diagnostics(uri, 2);
  assert.ok(diagnostics.some(({ code }) => code === "document/unreadable-title"));
});

async function hoverAt(text: string, marked: string): Promise<string> {
  const { uri } = await opens(text);
  const params = { textDocument: { uri }, position: at(text, marked) };
  const hover = await editor.connection.sendRequest(HoverRequest.type, params);
  return hover && MarkupContent.is(hover.contents) ? hover.contents.value : "";
}

test("hover shows the reference's row of an item, a rule and a function", async () => {
  assert.match(await hoverAt(desk, "- Idemp¦otency: header"), /header Idempotency-Key, 24 hours/);
  assert.match(await hoverAt(desk, "requ¦ired, 1..30000"), /a stored record always has it/);
  assert.match(await hoverAt(desk, 'made by `"pcl_" + ran¦dom'), /random alphanumeric characters/);
});

test("hover shows the definition of a name, by the type before the dot", async () => {
  assert.match(await hoverAt(desk, "this.weight_¦grams"), /\*\*Parcel\.weight_grams\*\* \(field\)/);
  assert.match(await hoverAt(desk, "- Returns: 201 Par¦cel"), /\*\*Parcel\*\* \(resource\)/);
});

test("hover shows the page of a mistake", async () => {
  const text = withText("- Does: create Parcel", "- Does: create Parcle");
  assert.match(await hoverAt(text, "- Does: create Par¦cle"), /ninefold explain endpoints\/unknown-resource/);
});

async function labelsAt(text: string, marked: string): Promise<readonly string[]> {
  const { uri } = await opens(text);
  const params = { textDocument: { uri }, position: at(text, marked) };
  const found = await editor.connection.sendRequest(CompletionRequest.type, params);
  return (Array.isArray(found) ? found : (found?.items ?? [])).map(({ label }) => label);
}

test("completion offers items, resources, fields, states and values where they are allowed", async () => {
  const key = await labelsAt(withText("- Does: create Parcel\n", "- Does: create Parcel\n- Id\n"), "- Id¦\n");
  assert.equal(key[0], "Idempotency");
  const resource = await labelsAt(withText("- Does: create Parcel", "- Does: create "), "- Does: create ¦");
  assert.ok(resource.slice(0, 5).includes("Parcel"), resource.join());
  const field = await labelsAt(withText("this.weight_grams", "this."), "`490 + this.¦");
  assert.ok(field.includes("weight_grams") && !field.includes("scopes"), field.join());
  const rule = await labelsAt(withText("required, 1..30000, immutable", "required, immu"), "immu¦");
  assert.equal(rule[0], "immutable");
  const state = await labelsAt(withText('this.status != "registered"', 'this.status != "'), 'status != "¦');
  assert.ok(state.includes("in_transit"), state.join());
});

test("completion offers columns, types, functions, codes, shapes and conditions where they are allowed", async () => {
  for (const [written, cut, label] of [
    ["| Trigger | Guard |", "| Trig¦ | Guard |", "Trigger"],
    ["| weight_grams | integer ", "| weight_grams | inte¦ ", "integer"],
    ['`"pcl_" + random(20)`', '`"pcl_" + ran¦`', "random"],
    ["- Fails: already_moving when", "- Fails: alre¦ when", "already_moving"],
    ["- Returns: 200 Page of Parcel", "- Returns: 200 Pa¦ of Parcel", "Page"],
    ["| 429 | rate limited |", "| 429 | rate¦ |", "rate limited"],
  ] as const) {
    const labels = await labelsAt(withText(written, cut.replace("¦", "")), cut);
    assert.ok(labels.slice(0, 5).includes(label), `${cut}: ${labels.join()}`);
  }
});

test("completion offers the fields and the functions of a condition that requests write", async () => {
  for (const [where, label] of [
    ["any of ¦", "reference"],
    ["any of reference, sta¦", "status"],
    ["any of reference ¦", "by"],
    ["any of reference by ¦", "narrow"],
    ["any of reference by `nar¦`", "narrow"],
  ] as const) {
    const text = withText(
      "- Does: list Parcel\n",
      `- Does: list Parcel\n- Where: ${where.replace("¦", "")}\n`,
    ).replace(
      "- Unknown fields: rejected\n",
      "- Unknown fields: rejected\n- Functions: narrow(string): condition\n",
    );
    const labels = await labelsAt(text, `- Where: ${where}`);
    assert.ok(labels.slice(0, 10).includes(label), `${where}: ${labels.join()}`);
  }
});

test("completion offers the types of events in a text that is compared with them", async () => {
  const text = withText(
    "`hook.shop == this.shop && event.type in hook.events`",
    '`event.type == "parcel.de"`',
  );
  assert.deepEqual(await labelsAt(text, 'event.type == "parcel.de¦'), ["parcel.delivered"]);
});

test("completion answers within a half-typed expression", async () => {
  const text = withText(
    "- Does: create Parcel\n",
    "- Does: create Parcel\n- Let: n = `Parcel.exists(p, p.rec\n",
  );
  assert.equal((await labelsAt(text, "p.rec¦"))[0], "recipient");
});

test("a name has its definition and all references", async () => {
  const { uri } = await opens(desk);
  const params = { textDocument: { uri }, position: at(desk, "- Fails: already_mo¦ving") };
  const definition = (await editor.connection.sendRequest(DefinitionRequest.type, params)) as Location[];
  assert.deepEqual(definition[0]?.range.start, at(desk, "¦already_moving | 409"));
  const references = await editor.connection.sendRequest(ReferencesRequest.type, {
    ...params,
    context: { includeDeclaration: true },
  });
  assert.equal(references?.length, 2);
});

async function renamed(marked: string, newName: string): Promise<string> {
  const { uri } = await opens(desk);
  const params = { textDocument: { uri }, position: at(desk, marked) };
  assert.ok(await editor.connection.sendRequest(PrepareRenameRequest.type, params));
  const edit = await editor.connection.sendRequest(RenameRequest.type, { ...params, newName });
  return applied(desk, uri, edit);
}

function soundness(text: string): readonly string[] {
  return compile(text, { file: "renamed.md" }).diagnostics.map(({ code }) => code);
}

test("rename changes a resource, a field, a state, a transition, a code and an event everywhere", async () => {
  for (const [marked, name, gone] of [
    ["### Par¦cel\n", "Packet", /create Parcel\b/],
    ["| weight_gr¦ams", "grams", /weight_grams/],
    ["| collect | regis¦tered", "announced", /"registered"|\| registered/],
    ["| give_¦back", "send_back", /give_back/],
    ["| already_mo¦ving", "in_motion", /already_moving/],
    ["| parcel.col¦lected", "parcel.picked_up", /parcel\.collected/],
  ] as const) {
    const text = await renamed(marked, name);
    assert.deepEqual(soundness(text), soundness(desk), marked);
    assert.ok(text.includes(name), marked);
    assert.ok(!gone.test(text), `${marked} is still there`);
  }
});

test("rename changes the seed next to the document: the open text, or else the file", async () => {
  const file = join(ownFolder("rename"), "desk.md");
  const uri = pathToFileURL(file).href;
  const seedUri = pathToFileURL(file.replace(".md", ".seed.md")).href;
  const seed = readFileSync(join(root, "examples", "parcel-desk.seed.md"), "utf8");
  writeFileSync(fileURLToPath(seedUri), seed);
  editor.open(uri, desk);
  const seedWith = async (marked: string, newName: string, text: string): Promise<string> => {
    const params = { textDocument: { uri }, position: at(desk, marked), newName };
    return applied(text, seedUri, await editor.connection.sendRequest(RenameRequest.type, params));
  };
  for (const [marked, newName, before, after] of [
    ["| weight_gr¦ams", "grams", "weight_grams", "grams"],
    ["### Par¦cel\n", "Packet", "Parcel with", "Packet with"],
    ["| in_tran¦sit", "moving", '"in_transit"', '"moving"'],
  ] as const)
    assert.equal(await seedWith(marked, newName, seed), seed.replaceAll(before, after), marked);
  const open = `${seed}\n- Given: \`Shop with name = "Bea" as bea\`\n`;
  editor.open(seedUri, open);
  assert.equal(await seedWith("### Sh¦op\n", "Store", open), open.replaceAll("Shop with", "Store with"));
  editor.close(seedUri);
});

test("rename is rejected with the reason if the name is in use", async () => {
  await assert.rejects(renamed("| weight_gr¦ams", "reference"), /weight_grams can't be called reference/);
});

test("code actions write the fix of a mistake, and the answers to a gap", async () => {
  const text = withText("- Does: create Parcel", "- Does: create Parcle");
  const { uri, diagnostics } = await opens(text);
  const actionsFor = async (code: string, of = diagnostics) => {
    const diagnostic = of.find((diagnostic) => diagnostic.code === code);
    assert.ok(diagnostic, code);
    const params = { textDocument: { uri }, range: diagnostic.range, context: { diagnostics: [] } };
    return (await editor.connection.sendRequest(CodeActionRequest.type, params)) ?? [];
  };
  const [fix] = await actionsFor("endpoints/unknown-resource");
  assert.ok(fix && "edit" in fix);
  assert.equal(applied(text, uri, fix.edit), desk);
  const [none] = await actionsFor("document/not-shown");
  assert.ok(none && "edit" in none);
  assert.match(applied(text, uri, none.edit), /- Notifications: none/);
});

test("a silent item can be stated as none or as not shown", async () => {
  const text = withText("- Notifications: not shown\n", "");
  const { uri, diagnostics } = await opens(text);
  const silent = diagnostics.find(({ code }) => code === "document/silent");
  assert.ok(silent);
  const params = { textDocument: { uri }, range: silent.range, context: { diagnostics: [] } };
  const actions = (await editor.connection.sendRequest(CodeActionRequest.type, params)) ?? [];
  assert.deepEqual(
    actions.map(({ title }) => title),
    ["Write `- Notifications: none`.", "Write `- Notifications: not shown`."],
  );
});

test("a gap can be stated, and a missing part is added", async () => {
  const open = withText('- Allowed: `"write" in caller.scopes`\n- Idem', "- Allowed: not shown\n- Idem");
  const titles = async (text: string, code: string) => {
    const { uri, diagnostics } = await opens(text);
    const diagnostic = diagnostics.find((diagnostic) => diagnostic.code === code);
    assert.ok(diagnostic, code);
    const params = { textDocument: { uri }, range: diagnostic.range, context: { diagnostics: [] } };
    const actions = (await editor.connection.sendRequest(CodeActionRequest.type, params)) ?? [];
    return actions.map((action) => ({
      title: action.title,
      text: "edit" in action ? applied(text, uri, action.edit) : "",
    }));
  };
  const stated = await titles(open, "document/smaller-gap");
  assert.ok(
    stated.some(({ title, text }) => title === "State it: `anyone`." && text.includes("- Allowed: anyone\n")),
    JSON.stringify(stated.map(({ title }) => title)),
  );
  const start = desk.indexOf("## Limits");
  const without = desk.slice(0, start) + desk.slice(desk.indexOf("## Versioning"));
  const [added] = await titles(without, "document/missing-part");
  assert.match(added?.title ?? "", /Add `## Limits`/);
  assert.ok(!soundness(added?.text ?? "").includes("document/missing-part"));
});

test("proposals of the work list are offered at their gap", async () => {
  const text = withText(
    "### POST /hooks\n",
    "### GET /hooks/{id}\n\n- Does: not shown\n- Returns: 200 Hook\n\n### POST /hooks\n",
  );
  const { uri } = await opens(text);
  const { line } = at(text, "### GET /hooks/{id}¦\n");
  const range = { start: { line, character: 0 }, end: { line: line + 4, character: 0 } };
  const params = { textDocument: { uri }, range, context: { diagnostics: [] } };
  const actions = (await editor.connection.sendRequest(CodeActionRequest.type, params)) ?? [];
  const proposal = actions.find(({ title }) => title.startsWith("GET /hooks/{id}: "));
  assert.ok(proposal && "edit" in proposal, JSON.stringify(actions.map(({ title }) => title)));
  assert.match(applied(text, uri, proposal.edit), /### GET \/hooks\/\{id\}\n[\s\S]*- Does: read/);
});

test("selections grow from the word to the document", async () => {
  const { uri } = await opens(desk);
  const [selection] =
    (await editor.connection.sendRequest(SelectionRangeRequest.type, {
      textDocument: { uri },
      positions: [at(desk, "490 + this.weight_¦grams")],
    })) ?? [];
  const document = TextDocument.create(uri, "markdown", 1, desk);
  const texts: string[] = [];
  for (let outer = selection; outer; outer = outer.parent) texts.push(document.getText(outer.range));
  assert.equal(texts[0], "weight_grams");
  assert.match(texts[1] ?? "", /^490 \+ this\.weight_grams/);
  assert.ok(
    texts.some((text) => text.startsWith("| ")),
    "the row",
  );
  assert.ok(
    texts.some((text) => text.startsWith("### Parcel")),
    "the section",
  );
  assert.ok(
    texts.some((text) => text.startsWith("## Resources")),
    "the part",
  );
  assert.equal(texts.at(-1), desk);
});

test("inlay hints have the type of a Let", async () => {
  const text = withText(
    "- Does: create Parcel\n",
    "- Does: create Parcel\n- Let: heavy = `body.weight_grams > 1000`\n",
  );
  const { uri } = await opens(text);
  const hints =
    (await editor.connection.sendRequest(InlayHintRequest.type, {
      textDocument: { uri },
      range: { start: { line: 0, character: 0 }, end: { line: 1000, character: 0 } },
    })) ?? [];
  const hint = hints.find(({ position }) => position.line === at(text, "- Let: heavy¦").line);
  assert.deepEqual(hint?.position, at(text, "- Let: heavy¦"));
  assert.equal(hint?.label, ": true or false");
});

test("an endpoint is tried with the request of a scenario", async () => {
  const { uri } = await opens(desk);
  const run = (method: string, path: string) =>
    editor.connection.sendRequest(ExecuteCommandRequest.type, {
      command: "ninefold.tryEndpoint",
      arguments: [uri, method, path],
    });
  const outcome = await run("POST", "/parcels");
  assert.equal(outcome.passed, true);
  assert.match(outcome.text, /^POST \/v1\/parcels[\s\S]*HTTP[^\n]* 201/);
  assert.match((await run("DELETE", "/nothing")).text, /No scenario sends a request/);
});

test("the preview has the open items, the text and a diagram of the states", async () => {
  const { uri } = await opens(desk);
  const request = new RequestType<{ uri: string }, { html: string; gaps: number }, void>("ninefold/preview");
  const { html, gaps } = await editor.connection.sendRequest(request, { uri });
  assert.equal(gaps, 1);
  assert.match(html, /<li data-line="\d+">notifications \(Events\): not shown/);
  assert.match(html, /<svg[\s\S]*in_transit/);
  assert.match(html, /<h3>POST \/parcels<\/h3>/);
  assert.ok(!html.includes("<script"));
  // Without a style, a browser fills each shape with black.
  const shapes = new Set(
    [...html.matchAll(/<(?:rect|path|polygon|circle)[^>]* class="(\w+)/g)].map(([, name]) => name),
  );
  for (const name of shapes) assert.match(html, new RegExp(`\\.diagram \\.${name}[ ,{]`), name);
});

test("symbols and folding follow parts, sections and rows", async () => {
  const { uri } = await opens(desk);
  const params = { textDocument: { uri } };
  const symbols = (await editor.connection.sendRequest(DocumentSymbolRequest.type, params)) ?? [];
  assert.equal(symbols.length, 9);
  const resources = symbols[1];
  assert.ok(resources && "children" in resources);
  const parcel = resources.children?.find(({ name }) => name === "Parcel");
  assert.ok(parcel?.children?.some(({ name }) => name === "weight_grams"));
  const folding = (await editor.connection.sendRequest(FoldingRangeRequest.type, params)) ?? [];
  assert.ok(folding.some(({ startLine }) => startLine === resources.range.start.line));
});

test("formatting gives the canonical form", async () => {
  const text = withText("- Does: create Parcel\n", "*   Does:   create Parcel\n");
  const { uri } = await opens(text);
  const options = { tabSize: 2, insertSpaces: true };
  const edits = await editor.connection.sendRequest(DocumentFormattingRequest.type, {
    textDocument: { uri },
    options,
  });
  const formatted = TextDocument.applyEdits(TextDocument.create(uri, "markdown", 1, text), edits ?? []);
  assert.match(formatted, /^- Does: create Parcel$/m);
});

test("semantic tokens mark keys and expressions", async () => {
  const { uri } = await opens(desk);
  const { data } = (await editor.connection.sendRequest(SemanticTokensRequest.type, {
    textDocument: { uri },
  })) ?? { data: [] };
  assert.ok(data.length > 0 && data.length % 5 === 0);
  const legend = editor.initialized.capabilities.semanticTokensProvider?.legend.tokenTypes ?? [];
  assert.equal(legend[data[3] ?? -1], "property");
  const tokens = new Map<string, string | undefined>();
  const document = TextDocument.create(uri, "markdown", 1, desk);
  let [line, character] = [0, 0];
  for (let at = 0; at < data.length; at += 5) {
    const [down = 0, right = 0, length = 0, type = -1] = data.slice(at, at + 4);
    [line, character] = down === 0 ? [line, character + right] : [line + down, right];
    const start = { line, character };
    tokens.set(document.getText({ start, end: { line, character: character + length } }), legend[type]);
  }
  for (const [text, type] of [
    ["Idempotency", "property"],
    ['"pcl_"', "string"],
    ["random", "function"],
    ["490", "number"],
    ["weight_grams", "property"],
    ["caller", "variable"],
    ["in", "keyword"],
  ] as const)
    assert.equal(tokens.get(text), type, text);
});

test("a code lens runs its scenario", async () => {
  const { uri } = await opens(desk);
  const lenses = (await editor.connection.sendRequest(CodeLensRequest.type, { textDocument: { uri } })) ?? [];
  const [first] = lenses;
  assert.equal(first?.command?.title, "Run this scenario");
  assert.ok(!lenses.some(({ command }) => command?.title === "Show its last requests"));
  const run = { command: first?.command?.command ?? "", arguments: first?.command?.arguments ?? [] };
  const outcome = await editor.connection.sendRequest(ExecuteCommandRequest.type, run);
  assert.equal(outcome.passed, true);
  const missing = { ...run, arguments: [uri, "no such scenario"] };
  assert.match(
    (await editor.connection.sendRequest(ExecuteCommandRequest.type, missing)).text,
    /has no scenario/,
  );
});
