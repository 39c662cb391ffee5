/**
 * Additions: the table of CONTRIBUTING is accurate. For each kind, the test adds one to a copy of
 * the repository, uses it there, and needs no other change.
 */
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

/** Inserts lines before another line. */
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

/** Returns the model of a document in the copy, which has more members than the current model. */
function modelOf(document: string): {
  readonly endpoints: readonly Readonly<Record<string, unknown>>[];
  readonly errors: object;
  readonly limits: object;
} {
  writeFileSync(join(folder, "document.md"), document);
  const script = `import { readFileSync } from "node:fs";
import { compile } from "./src/compile.ts";
const { model } = compile(readFileSync(process.argv[1], "utf8"), { file: "document.md" });
console.log(JSON.stringify(model));`;
  return JSON.parse(run("--input-type=module", "--eval", script, join(folder, "document.md")));
}

/** Returns the output of a command that finds mistakes. */
function reported(...args: readonly string[]): string {
  const { stdout, stderr } = spawnSync(process.execPath, ["bin/ninefold", ...args], {
    cwd: copy,
    encoding: "utf8",
  });
  return stdout + stderr;
}

/**
 * Asserts that a row names each changed file: `<part>` matches any name, and a folder matches its
 * files.
 */
function assertTouched(count: number, ...kinds: readonly string[]): void {
  const all = rowsUnder("CONTRIBUTING.md", "| Thing | New files | Edited files |");
  const rows = kinds.map((kind) => all.find(([name]) => name === kind) ?? assert.fail(kind));
  const named = [
    ...rows
      .flat()
      .join(" ")
      .matchAll(/`([^`\s]*[/.][^`\s]*)`/g),
  ].map(
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
    `/** \`upper case\`: converts to upper case. */
import { isTextType, type Mark, type RuleWords } from "./field-rule-notation.ts";

export const upperCase: RuleWords<Mark<"upper case">> = {
  rule: "upper case",
  forStored: "normalises",
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
  assertTouched(3, "a field rule");
  const document = readFileSync(join(copy, "examples/helpdesk.md"), "utf8")
    .replace("| required, length 1..120 ", "| required, upper case, length 1..120 ")
    .replace('{"number": 1, "status": "open",', `{"subject": "IT DOESN'T START", "status": "open",`);
  writeFileSync(join(folder, "capitals.md"), document);
  assert.match(run("bin/ninefold", "test", join(folder, "capitals.md")), /passed/);
  writeFileSync(join(folder, "capitals.md"), document.replace("upper case", "uppercase"));
  assert.match(reported("check", join(folder, "capitals.md")), /Write `upper case`\./);
});

test("a type of texts is a file, its line, its name and a row of the notation", () => {
  add(
    "src/fields/types/colour.ts",
    `/** \`colour\`: as style sheets write it, in six digits. */
import { textType } from "./scalar-type.ts";

export const colour = textType(
  "colour",
  { refusal: "must be a colour", sentence: "a colour", schema: { type: "string", pattern: "^#[0-9a-f]{6}$" } },
  (text) => (/^#[0-9a-f]{6}$/i.test(text) ? text.toLowerCase() : undefined),
);
`,
  );
  edit(
    "src/fields/types/index.ts",
    ["import { date }", 'import { colour } from "./colour.ts";'],
    ["  date,\n", "  colour,"],
  );
  edit("src/expressions/type.ts", ['"email", "uri"]', '"colour",']);
  edit("docs/notation.md", ["| `email` |", "| `colour` | a text |"]);
  edit("test/agreement/zoo.md", ["| mail | email | | |", "| paint | colour | | |"]);
  assertTouched(5, "a type of texts");
  const document = readFileSync(join(copy, "examples/helpdesk.md"), "utf8")
    .replace(
      /^\| subject +\| string +\| required, length 1\.\.120 +\|/m,
      "| subject | colour | required, lower case |",
    )
    .replaceAll("It doesn't start", "#FF8800")
    .replace('subject = "Mine"', 'subject = "#123456"')
    .replace('{"number": 1, "status": "open",', '{"subject": "#ff8800", "status": "open",');
  writeFileSync(join(folder, "colours.md"), document);
  assert.match(run("bin/ninefold", "test", join(folder, "colours.md")), /passed/);
  writeFileSync(join(folder, "colours.md"), document.replaceAll("#FF8800", "orange"));
  assert.match(reported("test", join(folder, "colours.md")), /must be a colour/);
});

test("a kind of limit is an entry, its reading, a member of the model and a row of the notation", () => {
  edit("src/model/reading/limits/limit-names.ts", ["  headers: {", '  cookies: { item: "size limits" },']);
  edit("src/model/reading/limits/limit-rows.ts", [
    "  headers: (reader",
    '  cookies: (reader, cells, draft) => readWholeSize(reader, cells, draft, "cookieBytes"),',
  ]);
  edit("src/model/parts/limits.ts", ["  readonly headerBytes?:", "  readonly cookieBytes?: number;"]);
  edit("docs/notation.md", ["| `url`, `headers` | `4 KiB` | |", "| `cookies` | `1 KiB` | of all cookies |"]);
  assertTouched(4, "a kind of limit");
  const document = readFileSync(join(copy, "examples/helpdesk.md"), "utf8");
  const limits = modelOf(document.replace(/^\| body .*$/m, "$&\n| cookies | 1 KiB | |")).limits;
  assert.match(JSON.stringify(limits), /"cookieBytes":1024/);
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
  assertTouched(2, "a function");
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

test("an operation is a file, its kind with properties, and its name", () => {
  add(
    "src/engine/actions/touch.ts",
    `/** \`touch\`: changes a record as its \`on update\` and \`Set\` say, and nothing besides. */
import type { Endpoint } from "../../model/model.ts";
import type { Action } from "../request-context.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { planChange } from "./change.ts";

export function planTouch(context: PlanContext, endpoint: Endpoint): Action {
  return planChange(context, endpoint, "update");
}
`,
  );
  edit(
    "src/model/endpoints/does.ts",
    ['  | { readonly kind: "stream" }', '  | { readonly kind: "touch"; readonly resource: string }'],
    ["  transition: {", '  touch: { reach: "one", changes: "fields", isVerb: true },'],
  );
  edit(
    "src/engine/actions/action.ts",
    ["import { planTransition }", 'import { planTouch } from "./touch.ts";'],
    ['    case "transition":', '    case "touch":\n      return planTouch(context, endpoint);'],
  );
  edit("src/outputs/docs/operation-section.ts", [
    '    case "transition":',
    `    case "touch":\n      return html\`touches a \${resourceLink(site, does.resource)}\`;`,
  ]);
  edit("docs/notation.md", ["| `upsert Parcel` |", "| `touch Parcel` | changes it, by what is not sent |"]);
  assertTouched(5, "an operation of `Does`");
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

test("a check is a file and a line, and its diagnostic words, a case and a page", () => {
  add(
    "src/checks/endpoints/teapot.ts",
    `/** RFC 2324: a teapot brews no coffee. */
import type { Check } from "../check.ts";

export const teapot: Check = ({ endpoints }, reporter) => {
  for (const { path, position } of endpoints)
    if (path.text === "/coffee") reporter.report("endpoints/teapot", position, { path: path.text });
};
`,
  );
  edit("src/checks/standard-checks.ts", [
    "export { unsafe }",
    'export { teapot } from "./endpoints/teapot.ts";',
  ]);
  edit("src/diagnostics/codes/endpoints.ts", [
    '  "endpoints/unknown-word": mistake<',
    `  "endpoints/teapot": mistake<{ readonly path: string }>(
    ({ path }) => \`A teapot answers \${path}.\`,
    "Write \`/tea\`.",
  ),`,
  ]);
  edit("src/diagnostics/reasons/endpoints.ts", [
    '  "endpoints/unknown-word":',
    '  "endpoints/teapot": "Clients would wait for coffee that never arrives.",',
  ]);
  const helpdesk = readFileSync(join(copy, "examples/helpdesk.md"), "utf8");
  add(
    "test/diagnostics/endpoints/paths/teapot.md",
    helpdesk.replace("### GET /tickets\n", "### GET /coffee\n"),
  );
  run("test/diagnostics/record.ts", "endpoints/paths/teapot");
  run("scripts/diagnostic-pages.ts");
  assertTouched(8, "a check of the whole model", "a diagnostic");
  const recorded = readFileSync(join(copy, "test/diagnostics/endpoints/paths/teapot.diagnostics"), "utf8");
  assert.match(recorded, /error endpoints\/teapot A teapot answers \/coffee\./);
});

test("an item of an endpoint is an entry, a member of the model, the line that reads it and a row of the notation", () => {
  edit("src/model/reading/endpoints/items.ts", ["  like: {", '  since: { occurs: "once" },']);
  edit("src/model/parts/endpoints.ts", ["  readonly waits?:", "  readonly since?: string;"]);
  edit("src/model/reading/endpoints/endpoint.ts", [
    '    ...optional("finds"',
    '    ...optional("since", items("since")[0]?.value.text),',
  ]);
  edit("docs/notation.md", ["| `- Finds: deleted records too` |", "| `- Since: 2026` | when it was added |"]);
  assertTouched(4, "an item of an endpoint");
  const document = readFileSync(join(copy, "examples/helpdesk.md"), "utf8");
  const endpointsOf = (text: string) => modelOf(text).endpoints;
  const [first] = endpointsOf(document.replace("- Does: create Ticket", "$&\n- Since: 2026"));
  assert.equal(first?.["since"], "2026");
  writeFileSync(join(folder, "since.md"), document.replace("- Does: create Ticket", "$&\n- Sinse: 2026"));
  assert.match(reported("check", join(folder, "since.md")), /Did you mean `Since`/);
});

test("a condition is an entry, and a row each of the notation and of the engine's defaults", () => {
  edit("src/model/errors/conditions.ts", [
    "  unavailable: {",
    '  "is a teapot": { status: 418, next: "not found" },',
  ]);
  edit("docs/notation.md", ["| unavailable |", "| is a teapot | not found | 418 |"]);
  edit("docs/engine-defaults.md", ["| unavailable |", "| is a teapot | 418 | Is a teapot |"]);
  assertTouched(3, "a condition");
  const text = readFileSync(join(copy, "examples/helpdesk.md"), "utf8");
  const reported = modelOf(text.replace(/^(\| not_found +\|[^|]*\|) not found/m, "$1 is a teapot")).errors;
  assert.match(JSON.stringify(reported), /"condition":"is a teapot"/);
  for (const page of ["notation", "engine-defaults"])
    run("--test-name-pattern", "condition|error", `test/repository/${page}.test.ts`);
});

test("a name is its type and its text, and its row comes from a script", () => {
  edit("src/model/reading/declare.ts", ["    prefer: types.string,", "    host: types.string,"]);
  edit("scripts/name-table-text.ts", [
    "      prefer: [",
    '      host: ["as it was called", "", \'"api.example"\'],',
  ]);
  run("scripts/name-table.ts");
  assertTouched(3, "a name of `event`, `delivery`, `error`, `request` or `page`");
  assert.match(readFileSync(join(copy, "docs/names.md"), "utf8"), /`request\.host`.*as it was called/);
});

test("a route of the operations API is a value, and its row comes from a script", () => {
  edit("src/admin/api/about.ts", [
    "  route({",
    `  route({
    method: "GET",
    path: "/api/motto",
    does: "what it is for",
    answer: fields({ motto: Type.String() }),
    run: () => ({ motto: "the specification is the service" }),
  }),`,
  ]);
  run("scripts/operation-table.ts");
  assertTouched(2, "a route of the operations API");
  assert.match(readFileSync(join(copy, "docs/guides/operations.md"), "utf8"), /`GET \/api\/motto`/);
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
  assertTouched(2, "an export");
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
  assertTouched(3, "a command");
  assert.equal(run("bin/ninefold", "greet"), "Hello.\n");
  assert.match(run("bin/ninefold", "--help"), /greet +say hello/);
});
