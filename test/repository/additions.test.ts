/** The table of CONTRIBUTING is true: one of each of these kinds is added to a copy, works there, and nothing else had to change for it. */
import assert from "node:assert/strict";
import { execFileSync, spawnSync } from "node:child_process";
import { mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { after, afterEach, before, test } from "node:test";
import { checkOut, git } from "../package/checkout.ts";
import { rowsUnder } from "./pages.ts";

const folder = mkdtempSync(join(tmpdir(), "ninefold-additions-"));
const copy = join(folder, "copy");
before(() => checkOut(copy));
afterEach(() => {
  git(copy, "reset", "--quiet", "--hard");
  git(copy, "clean", "--quiet", "--force", "-d");
});
after(() => rmSync(folder, { recursive: true }));

function add(path: string, text: string): void {
  mkdirSync(dirname(join(copy, path)), { recursive: true });
  writeFileSync(join(copy, path), text);
}

/** Puts lines in front of another one. */
function edit(path: string, ...insertions: readonly (readonly [before: string, text: string])[]): void {
  let content = readFileSync(join(copy, path), "utf8");
  for (const [line, text] of insertions) {
    assert.ok(content.includes(line), `${path}: ${line}`);
    content = content.replace(line, () => `${text}\n${line}`);
  }
  writeFileSync(join(copy, path), content);
}

function run(...args: readonly string[]): string {
  return execFileSync(process.execPath, args, {
    cwd: copy,
    encoding: "utf8",
    stdio: ["ignore", "pipe", "pipe"],
  });
}

/** What a command says that finds mistakes. */
function told(...args: readonly string[]): string {
  const { stdout, stderr } = spawnSync(process.execPath, ["bin/ninefold", ...args], {
    cwd: copy,
    encoding: "utf8",
  });
  return stdout + stderr;
}

/** Each file that was touched is one that the row names: `<part>` stands for any name, and a folder for what is in it. */
function assertTouched(kind: string, count: number): void {
  const row = rowsUnder("CONTRIBUTING.md", "| | New | Edited |").find(([name]) => name === kind);
  assert.ok(row, kind);
  const named = [...row.join(" ").matchAll(/`([^`\s]*[/.][^`\s]*)`/g)].map(
    ([, path]) =>
      new RegExp(
        `^${path?.replaceAll(".", "\\.").replace(/<\w+>/g, "[^/]+")}${path?.endsWith("/") ? "" : "$"}`,
      ),
  );
  const touched = git(copy, "status", "--porcelain", "--untracked-files=all")
    .split("\n")
    .map((line) => line.trim().split(/\s+/)[1] as string);
  assert.deepEqual(
    touched.filter((path) => !named.some((form) => form.test(path))),
    [],
  );
  assert.equal(touched.length, count, touched.join(" "));
}

test("a field rule is a file, a line and a row of the notation", () => {
  add(
    "src/fields/rules/upper-case.ts",
    `/** \`upper case\`: small letters become capitals. */
import { isTextType, type Mark, type RuleWords } from "./field-rule-words.ts";

export const upperCase: RuleWords<Mark<"upper case">> = {
  rule: "upper case",
  otherWords: { uppercase: "\`upper case\`" },
  takes: "texts",
  applies: isTextType,
  contradicts: ["lower case"],
  isAbout: "form",
  normalise: (text) => text.toUpperCase(),
  sentence: () => "Taken in capitals.",
};
`,
  );
  edit(
    "src/fields/rules/index.ts",
    ["import { writeOnly }", 'import { upperCase } from "./upper-case.ts";'],
    ["  defaultRule,\n", "  upperCase,"],
  );
  edit("docs/notation.md", ["| `default <expr>`", "| `upper case` | taken in capitals |"]);
  assertTouched("a field rule", 3);
  const document = readFileSync(join(copy, "examples/helpdesk.md"), "utf8")
    .replace("| required, length 1..120 ", "| required, upper case, length 1..120 ")
    .replace('{"number": 1, "status": "open",', `{"subject": "IT DOESN'T START", "status": "open",`);
  writeFileSync(join(folder, "capitals.md"), document);
  assert.match(run("bin/ninefold", "test", join(folder, "capitals.md")), /passed/);
  writeFileSync(join(folder, "capitals.md"), document.replace("upper case", "uppercase"));
  assert.match(told("check", join(folder, "capitals.md")), /Write `upper case`\./);
});

test("a function is one entry, and its row comes from a script", () => {
  edit("src/expressions/functions/text.ts", [
    '  {\n    name: "contains",',
    `  {
    name: "doubled",
    form: "both",
    deterministic: true,
    sentence: "The text twice.",
    example: \`this.title.doubled()\`,
    signatures: [
      { parameters: [string], result: string, evaluate: ([text]) => (text as string).repeat(2) },
    ],
  },`,
  ]);
  run("scripts/function-table.ts");
  assertTouched("a function", 2);
  assert.match(readFileSync(join(copy, "docs/notation.md"), "utf8"), /doubled/);
  const document = readFileSync(join(copy, "examples/helpdesk.md"), "utf8")
    .replace('"subject": this.subject,', '"subject": this.subject.doubled(),')
    .replace(
      '{"number": 1, "status": "open",',
      `{"subject": "It doesn't startIt doesn't start", "status": "open",`,
    );
  writeFileSync(join(folder, "desk.md"), document);
  assert.match(run("bin/ninefold", "test", join(folder, "desk.md")), /passed/);
});

test("an operation is a file, its kind with what is true of it, and what it is called", () => {
  add(
    "src/engine/operations/touch.ts",
    `/** \`touch\`: changes a record as its \`on update\` and \`Set\` say, and nothing besides. */
import type { Endpoint } from "../../model/model.ts";
import type { Operation } from "../exchange.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { planChange } from "./change.ts";

export function planTouch(context: PlanContext, endpoint: Endpoint): Operation {
  return planChange(context, endpoint, "update");
}
`,
  );
  edit(
    "src/model/does.ts",
    ['  | { readonly kind: "stream" }', '  | { readonly kind: "touch"; readonly resource: string }'],
    ["  transition: {", '  touch: { reach: "one", changes: "fields", isVerb: true },'],
  );
  edit(
    "src/engine/operations/operation.ts",
    ["import { planTransition }", 'import { planTouch } from "./touch.ts";'],
    ['    case "transition":', '    case "touch":\n      return planTouch(context, endpoint);'],
  );
  edit("src/outputs/docs/operation-section.ts", [
    '    case "transition":',
    `    case "touch":\n      return html\`touches a \${resourceLink(site, does.resource)}\`;`,
  ]);
  edit("docs/notation.md", ["| `upsert Parcel` |", "| `touch Parcel` | changes it, by what is not sent |"]);
  assertTouched("an operation of `Does`", 5);
  const document = readFileSync(join(copy, "examples/helpdesk.md"), "utf8")
    .replace(
      "### POST /tickets\n",
      "### POST /tickets/{number}/more\n\n- Does: touch Ticket\n- Body: text\n- Returns: 200 TicketCard\n\n### POST /tickets\n",
    )
    .replace(
      "### Scenario:",
      () => `### Scenario: a ticket is touched

- Given: \`Member with name = "Ada", role = "customer", key = "hd_ada" as ada\`
- Given: \`Ticket with author = ada, subject = "Mine", text = "…"\`

\`\`\`http
POST /tickets/1/more
X-Key: hd_ada

{"text": "More."}
\`\`\`

\`\`\`http
HTTP/1.1 200

{"text": "More."}
\`\`\`

### Scenario:`,
    );
  writeFileSync(join(folder, "touch.md"), document);
  assert.match(run("bin/ninefold", "test", join(folder, "touch.md")), /passed/);
  run("bin/ninefold", "export", "openapi", join(folder, "touch.md"), "--out", join(folder, "touch.json"));
  assert.match(readFileSync(join(folder, "touch.json"), "utf8"), /"operationId": "touchTicket"/);
});

test("an export is a folder and a line", () => {
  add(
    "src/outputs/names/names.ts",
    `/** \`ninefold export names\`: the resources' names. */
import type { Output } from "../output.ts";

export const namesOutput: Output = {
  name: "names",
  summary: "the names of the resources",
  gives: "file",
  options: [],
  generate: (model) => ({
    files: [{ path: "names.txt", text: model.resources.map(({ name }) => name + "\\n").join("") }],
    notes: [],
  }),
};
`,
  );
  edit(
    "src/outputs/index.ts",
    ["export const outputs", 'import { namesOutput } from "./names/names.ts";\n'],
    ["  docsOutput,\n];", "  namesOutput,"],
  );
  assertTouched("an export", 2);
  assert.equal(run("bin/ninefold", "export", "names", "examples/helpdesk.md"), "Member\nTicket\n");
});

test("a command is a file, an entry and a row of the README", () => {
  add(
    "src/cli/commands/greet.ts",
    `/** \`ninefold greet\`: says hello. */
import { type Command, exitCodes } from "../command.ts";

export const greetCommand: Command = {
  name: "greet",
  usage: "Usage: ninefold greet\\n",
  async run(_, terminal) {
    terminal.write("Hello.\\n");
    return exitCodes.ok;
  },
};
`,
  );
  edit("src/cli/commands/index.ts", [
    '  {\n    name: "new",',
    `  { name: "greet", summary: "say hello", load: async () => (await import("./greet.ts")).greetCommand },`,
  ]);
  edit("README.md", ["| `ninefold new [FILE]`", "| `ninefold greet` | says hello |"]);
  assertTouched("a command", 3);
  assert.equal(run("bin/ninefold", "greet"), "Hello.\n");
  assert.match(run("bin/ninefold", "--help"), /greet +say hello/);
});
