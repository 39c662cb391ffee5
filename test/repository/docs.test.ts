/**
 * Documentation tests: the pages run as written. The mark of a fenced block decides what is done:
 *
 * - `sh` runs in the page's folder, in order; `sh fails` must end with an exit code; `sh serve`
 *   runs until the next one or the page's end, as in a second terminal.
 * - `text prints`: the lines are in the output of the block before it; `…` matches anything.
 * - `markdown FILE`: a part that replaces that file's part with the same heading. `markdown FILE
 *   PART`: sections that are added to that part. A whole document is that file. Without FILE: a
 *   document without a mistake.
 * - `diff FILE`: changed lines of that file, in groups with an empty line between them.
 * - `ts FILE` is written to that file, with the package installed next to it.
 *
 * The folder has the repository's `examples/` in it, and a pair for TLS at localhost,
 * `fullchain.pem` and `privkey.pem`; `$DATABASE_URL` is a PostgreSQL. Pages use the sources as a
 * package, or the package at `NINEFOLD_INSTALLED`, on the Node of `NINEFOLD_NODE`
 * (`test/package/walk.ts`).
 */
import assert from "node:assert/strict";
import { type ChildProcess, fork, spawn } from "node:child_process";
import { once } from "node:events";
import {
  copyFileSync,
  mkdirSync,
  mkdtempSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from "node:fs";
import { createServer } from "node:net";
import type { AddressInfo } from "node:net";
import { tmpdir } from "node:os";
import { delimiter, dirname, join } from "node:path";
import { after, test } from "node:test";
import { pathToFileURL } from "node:url";
import { compile } from "../../src/compile.ts";
import { freshSchema } from "../postgres/server.ts";
import { type Block, blocksOf } from "./pages.ts";
import { filesUnder, pathOf, textOf } from "./repository.ts";
import type { DocumentedCommand, DoneCommand } from "./run-commands.ts";

/**
 * A folder with the installed package, and the Node that runs it; without them, the sources and the
 * Node of these tests.
 */
const { NINEFOLD_INSTALLED: installed, NINEFOLD_NODE: node = process.execPath } = process.env;

const walkedThrough = [
  "docs/tutorial.md",
  "docs/decisions.md",
  ...filesUnder("docs/quickstart", ".md"),
  ...filesUnder("docs/guides", ".md"),
];

for (const page of walkedThrough) {
  test(`${page} runs as written`, { timeout: 300_000 }, async (t) => {
    if (textOf(page).includes("$DATABASE_URL")) {
      const schema = await freshSchema();
      t.after(() => schema.drop());
      database.DATABASE_URL = schema.url;
    }
    const walk = await startWalk(page);
    try {
      for (const block of blocksOf(page)) await walk.take(block);
    } finally {
      await walk.end();
    }
  });
}

test("`npm start` prints the output in the README, and the line to paste works", {
  timeout: 300_000,
}, async () => {
  const { scripts } = JSON.parse(textOf("package.json"));
  const printed = blocksOf("README.md").find((block) => block.language === "text") as Block;
  const curl = printed.text.split("\n").find((line) => line.includes("curl")) as string;
  const walk = await startWalk("README.md");
  const block = (language: string, mark: string, text: string): Block => ({
    ...printed,
    language,
    mark,
    text,
  });
  try {
    await walk.take(block("sh", "serve", scripts.start.replace(/^exec node bin\//, "")));
    // A terminal shows the seed's key; other output names the field with the key.
    await walk.take({
      ...printed,
      mark: "prints",
      text: printed.text.replace("sk_ada_4f1c09", "<ApiKey.key>"),
    });
    await walk.take(block("sh", "", curl.trim()));
    await walk.take(block("text", "prints", `{"data":[{"id":"pcl_`));
  } finally {
    await walk.end();
  }
});

/** Starts to follow a page as a reader would, in a separate folder. */
async function startWalk(page: string) {
  const folder = mkdtempSync(join(tmpdir(), "ninefold-docs-"));
  const examples = ["md", "ts", "openapi.json"].flatMap((ending) => filesUnder("examples", ending));
  for (const example of examples) {
    mkdirSync(join(folder, dirname(example)), { recursive: true });
    copyFileSync(pathOf(example), join(folder, example));
  }
  for (const [name, ending] of [
    ["fullchain.pem", "cert"],
    ["privkey.pem", "key"],
  ] as const)
    copyFileSync(pathOf(`src/cli/testing/certificates/first.${ending}.pem`), join(folder, name));
  installPackage(folder);
  // The port in the pages may be in use on the machine of the tests.
  const port = String(await freePort());
  let output = "";
  let server: Running | undefined;
  /**
   * The operations address: on a free port for a sandbox, else on the port after the service's, or
   * a free one.
   */
  let operations: string | undefined;
  const taken = async (block: Block): Promise<void> => {
    const place = `${page}:${block.line}`;
    const text = block.text
      // This address is replaced first, because the service's port may start with the same digits.
      .replaceAll("http://127.0.0.1:4546", operations ?? "http://127.0.0.1:4546")
      .replaceAll(/\b4545\b/g, port);
    if (block.language === "sh" && block.mark === "serve") {
      await server?.stop();
      const inSandbox = text.includes("--sandbox") ? " --operations 0" : "";
      server = await serve(`${text.trim()} --port ${port}${inSandbox}`, folder, place);
      output = server.output();
      operations = /^Console: (http:\/\/[^\s/]+)/m.exec(output)?.[1];
    } else if (block.language === "sh") {
      const done = await runBlock(text, folder, operations);
      output = done.output;
      assert.equal(done.code !== 0, block.mark === "fails", `${place} ended with ${done.code}:\n${output}`);
    } else if (block.mark === "prints") assertPrinted(output, text, place);
    else if (block.language === "ts" && block.mark !== "") writeFileSync(join(folder, block.mark), text);
    else if (isEdit(block)) {
      const before = server?.output().length ?? 0;
      if (block.language === "diff") changeLines(folder, block, place);
      else if (isDocument(block)) writeFileSync(join(folder, block.mark), block.text);
      else editDocument(folder, block);
      if (server && server.watched === block.mark.split(" ")[0]) {
        await server.until((reported) => isSettled(reported.slice(before)));
        output = server.output().slice(before);
      }
    } else if (block.language === "markdown") assertCompiles(block, place);
  };
  return {
    take: taken,
    async end() {
      await server?.stop();
      rmSync(folder, { recursive: true, force: true });
    },
  };
}

/** Installs the package as `npm install ninefold` would, or the sources of this repository. */
function installPackage(folder: string): void {
  writeFileSync(join(folder, "package.json"), `{"type": "module"}`);
  if (installed !== undefined) {
    symlinkSync(join(installed, "node_modules"), join(folder, "node_modules"));
    return;
  }
  const place = join(folder, "node_modules", "ninefold");
  mkdirSync(place, { recursive: true });
  const source = pathToFileURL(pathOf("src/index.ts")).href;
  const exports = { ".": "./index.js", "./testing": "./testing.js" };
  writeFileSync(join(place, "package.json"), JSON.stringify({ type: "module", exports }));
  writeFileSync(join(place, "index.js"), `export * from ${JSON.stringify(source)};\n`);
  const kit = pathToFileURL(pathOf("src/kit/index.ts")).href;
  writeFileSync(join(place, "testing.js"), `export * from ${JSON.stringify(kit)};\n`);
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}

/** Set for the service and for its clients, as pages say. */
const token = { NINEFOLD_OPERATIONS_TOKEN: "a-token-for-the-readers-of-these-pages" };

const { NODE_TEST_CONTEXT: _, NINEFOLD_INSTALLED: __, NINEFOLD_NODE: ___, ...withoutTest } = process.env;

/** The value of `$DATABASE_URL` for pages that use it. */
const database: { DATABASE_URL?: string } = {};

function startShell(text: string, folder: string, operations = ""): ChildProcess {
  return spawn("sh", ["-e", "-c", text], { cwd: folder, env: environmentOf(operations), detached: true });
}

/**
 * Returns the environment of a page. A page with its own tests runs them independently of this
 * test.
 */
function environmentOf(operations: string): NodeJS.ProcessEnv {
  const bin = installed === undefined ? pathOf("bin") : join(installed, "node_modules", ".bin");
  const path = [bin, dirname(node), process.env["PATH"]].join(delimiter);
  return {
    ...withoutTest,
    ...database,
    PATH: path,
    NO_COLOR: "1",
    NINEFOLD_OPERATIONS: operations,
    ...token,
  };
}

async function runShell(
  text: string,
  folder: string,
  operations?: string,
): Promise<{ readonly code: number; readonly output: string }> {
  const child = startShell(text, folder, operations);
  let output = "";
  for (const stream of [child.stdout, child.stderr]) stream?.on("data", (piece) => (output += piece));
  const [code] = await once(child, "close");
  return { code: code ?? 1, output };
}

/**
 * Runs a block as `sh -e` would. If the sources are the package, commands of ninefold run in one
 * process, because each would load the same sources again, which takes longer than most of them do.
 * Pages that serve, and installed packages, show that the program starts.
 */
async function runBlock(text: string, folder: string, operations?: string): ReturnType<typeof runShell> {
  if (installed !== undefined) return runShell(text, folder, operations);
  let output = "";
  for (const piece of piecesOf(text)) {
    const done = await (typeof piece === "string"
      ? runShell(piece, folder, operations)
      : runCommand(piece, folder, operations));
    output += done.output;
    if (done.code !== 0) return { code: done.code, output };
  }
  return { code: 0, output };
}

/**
 * Splits a block into the arguments of ninefold commands on their own lines, and texts for the
 * shell, in order.
 */
function piecesOf(text: string): readonly (string | readonly string[])[] {
  const pieces: (string | readonly string[])[] = [];
  for (const line of text.trimEnd().split("\n")) {
    const words = wordsOf(line);
    const last = pieces.at(-1);
    if (words) pieces.push(words);
    else if (typeof last === "string") pieces[pieces.length - 1] = `${last}\n${line}`;
    else pieces.push(line);
  }
  return pieces;
}

/**
 * Returns the arguments of `ninefold`; undefined if the shell has to do more than split and unquote
 * them.
 */
function wordsOf(line: string): readonly string[] | undefined {
  const plain = /^ninefold((?: +(?:'[^']*'|"\$DATABASE_URL"|[\w./:=,@-]+))*) *(?:#.*)?$/.exec(line);
  return plain?.[1]
    ?.match(/'[^']*'|[^ ]+/g)
    ?.map((word) =>
      word === '"$DATABASE_URL"' ? (database.DATABASE_URL as string) : word.replace(/^'(.*)'$/, "$1"),
    );
}

/** The process in which commands run, started with the first of them. */
let commands: ChildProcess | undefined;
after(() => commands?.kill());

async function runCommand(
  words: readonly string[],
  folder: string,
  operations = "",
): ReturnType<typeof runShell> {
  commands ??= fork(new URL("./run-commands.ts", import.meta.url), [], { execArgv: [], env: withoutTest });
  const running = commands;
  const requested: DocumentedCommand = { words, folder, environment: environmentOf(operations) };
  running.send(requested);
  const [done] = (await once(running, "message")) as [DoneCommand];
  return done;
}

/** Whether the block writes or changes a document. */
function isEdit({ language, mark }: Block): boolean {
  return (language === "markdown" || language === "diff") && mark !== "";
}

/** Whether the output has the last line that `--watch` prints after a change. */
function isSettled(reported: string): boolean {
  return /is still served\.\n|has changed\.[\s\S]*documentation, OpenAPI/.test(reported);
}

interface Running {
  output(): string;
  /** The document under `--watch`. */
  readonly watched: string | undefined;
  until(test: (reported: string) => boolean): Promise<void>;
  stop(): Promise<void>;
}

/** Starts a service and waits until it prints its address. */
async function serve(command: string, folder: string, place: string): Promise<Running> {
  const child = startShell(`exec ${command}`, folder);
  let output = "";
  let look = () => {};
  let isOver = false;
  const closed = once(child, "close");
  child.on("close", () => {
    isOver = true;
    look();
  });
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (piece) => {
      output += piece;
      look();
    });
  const until = (test: (reported: string) => boolean) =>
    new Promise<void>((resolve, reject) => {
      look = () => {
        if (test(output)) resolve();
        else if (isOver) reject(new Error(`${place} ended:\n${output}`));
      };
      look();
    });
  await until((reported) => reported.includes("http://"));
  return {
    output: () => output,
    watched: command.includes(" --watch") ? /ninefold serve (\S+)/.exec(command)?.[1] : undefined,
    until,
    async stop() {
      child.kill("SIGTERM");
      await closed;
    },
  };
}

/** Asserts that each line is in the output, in order. */
function assertPrinted(output: string, text: string, place: string): void {
  let rest = output;
  for (const line of text.trimEnd().split("\n")) {
    const pieces = line.split("…").map((piece) => piece.replace(/[.*+?^${}()|[\]\\]/g, "\\$&"));
    const hit = new RegExp(pieces.join(".*")).exec(rest);
    assert.ok(hit, `${place}: "${line}" is not in what was printed:\n${output}`);
    rest = rest.slice(hit.index + hit[0].length);
  }
}

/** Replaces the part with the same heading, or adds sections to the part that the mark names. */
function editDocument(folder: string, { mark, text }: Block): void {
  const [name, ...words] = mark.split(" ");
  const file = join(folder, name as string);
  const heading = words.length > 0 ? `## ${words.join(" ")}` : (text.split("\n")[0] as string);
  const pieces = readFileSync(file, "utf8").split(/^(?=## )/m);
  const at = pieces.findIndex((piece) => piece.startsWith(`${heading}\n`));
  assert.notEqual(at, -1, `${file} has no ${heading}`);
  const before = words.length > 0 ? `${(pieces[at] as string).trimEnd()}\n\n` : "";
  pieces[at] = `${before}${text.trimEnd()}\n\n`;
  writeFileSync(file, pieces.join(""));
}

/** Lines with `-` are removed and lines with `+` added; lines with a space are context. */
function changeLines(folder: string, { mark, text }: Block, place: string): void {
  const file = join(folder, mark);
  let content = readFileSync(file, "utf8");
  for (const group of text.trimEnd().split("\n\n")) {
    const lines = group.split("\n");
    const without = (sign: string) =>
      lines.filter((line) => !line.startsWith(sign)).map((line) => `${line.slice(1)}\n`);
    const [before, after] = [without("+").join(""), without("-").join("")];
    assert.equal(content.split(before).length, 2, `${place}: ${mark} has this not once:\n${before}`);
    content = content.replace(before, () => after);
  }
  writeFileSync(file, content);
}

function isDocument({ text }: Block): boolean {
  return text.startsWith("# Interface Specification");
}

/** Asserts that a whole document has no mistake. */
function assertCompiles(block: Block, place: string): void {
  if (!isDocument(block)) return;
  const { diagnostics } = compile(block.text, { file: place });
  assert.deepEqual(
    diagnostics.filter((diagnostic) => diagnostic.kind === "mistake"),
    [],
    place,
  );
}
