/**
 * Published programs read the OpenAPI of every example and twin. Prism validates the traffic
 * between the scenarios and the service as a proxy. The programs are large, so they are installed
 * in a folder of their own, and this is run by hand:
 *
 *   npx node test/consumers/run.ts [examples/parcel-desk.md]
 *
 * Expected: each generator accepts each file; no response violates the file, and no request that
 * the service accepted does.
 */
import { type ChildProcess, spawn, spawnSync } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { request } from "node:http";
import { type AddressInfo, createServer } from "node:net";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { loadHandlers } from "../../src/cli/load-handlers.ts";
import { createLocalTarget, type LocalTarget } from "../../src/scenarios/local-target.ts";
import { compile } from "../../src/compile.ts";
import { createHttpServer } from "../../src/engine/http/server.ts";
import type { Model, Scenario } from "../../src/model/model.ts";
import { openapiOutput } from "../../src/outputs/openapi/openapi.ts";
import { runScenario } from "../../src/verify/run-scenario.ts";
import { filesUnder, pathOf, textOf } from "../repository/repository.ts";
import { silentTerminal as terminal } from "../terminal.ts";
import type { SentRequest, ReceivedResponse } from "../../src/verify/scenario-failure.ts";

const packages = [
  "@stoplight/prism-cli@5.16.0",
  "@hey-api/openapi-ts@0.99.0",
  "orval@8.0.0",
  "typescript@5.9.3",
];
const documents = filesUnder("examples", ".md").filter((path) => !path.endsWith(".seed.md"));
const only = process.argv[2];
/** Headers that Prism adds to forwarded requests. */
const ofPrism: ReadonlySet<string> = new Set([
  "host",
  "connection",
  "accept-encoding",
  "content-length",
  "transfer-encoding",
  "via",
]);

const folder = mkdtempSync(join(tmpdir(), "ninefold-consumers-"));
let failures = 0;
try {
  writeFileSync(join(folder, "package.json"), '{"private": true, "type": "module"}');
  run("npm", ["install", "--no-audit", "--no-fund", "--silent", ...packages]);
  for (const path of documents) if (only === undefined || path === only) await judge(path);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
console.log(failures === 0 ? "\nAll take it, and nothing is violated." : `\n${failures} objections.`);
process.exitCode = failures === 0 ? 0 : 1;

/** Runs a program to its end. @throws Error with its output */
function run(program: string, args: readonly string[]): void {
  const done = spawnSync(program, args, { cwd: folder, encoding: "utf8" });
  if (done.status !== 0) throw new Error(`${program} ${args.join(" ")}\n${done.stdout}\n${done.stderr}`);
}

async function judge(path: string): Promise<void> {
  const name = basename(path, ".md");
  const { model } = compile(textOf(path), { file: path }) as { readonly model: Model };
  const { files } = await openapiOutput.generate(model, { openapi: "3.1", format: "json" });
  const file = join(folder, `${name}.json`);
  writeFileSync(file, files[0]?.text as string);
  const bin = (program: string) => join(folder, "node_modules", ".bin", program);
  const takers = [
    ["hey-api", bin("openapi-ts"), ["-i", file, "-o", join(folder, name), "--silent"]],
    ["orval", bin("orval"), ["--input", file, "--output", join(folder, `${name}.orval.ts`)]],
  ] as const;
  const reported = takers.map(([taker, program, args]) => {
    try {
      run(program, args);
      return `${taker} takes it`;
    } catch (error) {
      failures += 1;
      return `${taker} refuses it: ${String(error).slice(0, 500)}`;
    }
  });
  const seen = await throughPrism(path, model, file);
  failures += seen.violations.length;
  console.log(
    `${path}: ${[...reported, `Prism: ${seen.exchanges} exchanges, ${seen.violations.length} violations`].join(", ")}`,
  );
  for (const violation of seen.violations) console.log(`  ${violation}`);
}

interface Seen {
  exchanges: number;
  readonly violations: string[];
}

/** Runs every scenario of the document through Prism. */
async function throughPrism(path: string, model: Model, file: string): Promise<Seen> {
  // Prism doesn't start without an endpoint.
  if (model.endpoints.length === 0) return { exchanges: 0, violations: [] };
  let target: LocalTarget | undefined;
  const upstream = createHttpServer(
    async (requested) => {
      const headers: (readonly [string, string])[] = [];
      for (let at = 0; at < requested.rawHeaders.length; at += 2)
        if (!ofPrism.has((requested.rawHeaders[at] as string).toLowerCase()))
          headers.push([requested.rawHeaders[at] as string, requested.rawHeaders[at + 1] as string]);
      const bytes = await requested.body(16 * 1024 * 1024);
      const body = bytes.byteLength === 0 ? {} : { body: new TextDecoder().decode(bytes) };
      return (target as LocalTarget).send({
        method: requested.method,
        target: requested.target,
        headers,
        ...body,
      });
    },
    {
      refuse: ({ status }) => ({ status, headers: [], body: "" }),
      onFault: (error) => console.error(error),
    },
  );
  const { port } = await upstream.listen(0, "127.0.0.1");
  const prism = await startPrism(file, port);
  const seen: Seen = { exchanges: 0, violations: [] };
  try {
    const handlers = await loadHandlers(pathOf(path), model, terminal);
    for (const scenario of model.scenarios) {
      target = await createLocalTarget(model, terminal, handlers);
      try {
        await follow(model, scenario, target, prism.port, seen);
      } finally {
        await target.close();
      }
    }
  } finally {
    prism.child.kill("SIGKILL");
    await upstream.close(0);
  }
  return seen;
}

async function follow(
  model: Model,
  scenario: Scenario,
  target: LocalTarget,
  port: number,
  seen: Seen,
): Promise<void> {
  const watched: LocalTarget = {
    ...target,
    async send(sent, isEnough) {
      const { headers } = sent;
      // Prism reads a stream to its end before it forwards any of it.
      if (isEnough) return target.send(sent, isEnough);
      const answer = await sendRequest(port, sent);
      const type = answer.headers.find(([name]) => name === "content-type")?.[1] ?? "";
      // A path or method that isn't in the file: the request checks that the service rejects it.
      if (/stoplight\.io\/prism/.test(answer.body) && /problem\+json/.test(type)) return target.send(sent);
      seen.exchanges += 1;
      const reported = answer.headers.find(([name]) => name === "sl-violations")?.[1];
      for (const { location, message } of reported === undefined
        ? []
        : (JSON.parse(reported) as readonly Violation[])) {
        // Scenarios also show refusals, whose requests are wrong on purpose.
        if (location[0] === "request" && answer.status >= 400) continue;
        // GitHub accepts `token` before a credential as well as `Bearer`; OpenAPI has a scheme only
        // for the latter.
        if (message === "Invalid security scheme used" && headers.some(isOtherPrefix)) continue;
        seen.violations.push(
          `${scenario.name}: ${sent.method} ${sent.target} ${answer.status}: ${location.join(".")} ${message}`,
        );
      }
      return { ...answer, headers: answer.headers.filter(([name]) => name !== "sl-violations") };
    },
  };
  const { outcome, failures: unmet, reason } = await runScenario(model, scenario, watched, "run1");
  if (outcome === "passed") return;
  const why = unmet
    .map((failure) => `${failure.what}: ${failure.actual} instead of ${failure.expected}`)
    .join("; ");
  seen.violations.push(`${scenario.name} ${outcome}: ${reason ?? why}`);
}

function isOtherPrefix([name, value]: readonly [string, string]): boolean {
  return name.toLowerCase() === "authorization" && !value.startsWith("Bearer ");
}

interface Violation {
  readonly location: readonly string[];
  readonly message: string;
}

async function sendRequest(port: number, sent: SentRequest): Promise<ReceivedResponse> {
  const { method, target, headers, body } = sent;
  const isTyped = headers.some(([name]) => name.toLowerCase() === "content-type");
  const requested = request({
    host: "127.0.0.1",
    port,
    method,
    path: target,
    headers: [
      ...["Host", `127.0.0.1:${port}`],
      ...headers.flat(),
      ...(method === "GET" ? [] : ["Content-Length", String(Buffer.byteLength(body ?? ""))]),
      ...(body === undefined || isTyped ? [] : ["Content-Type", "application/json"]),
    ],
  });
  requested.end(body);
  const [answer] = await once(requested, "response");
  let text = "";
  for await (const piece of answer.setEncoding("utf8")) text += piece;
  const lines: (readonly [string, string])[] = [];
  for (let at = 0; at < answer.rawHeaders.length; at += 2)
    lines.push([answer.rawHeaders[at].toLowerCase(), answer.rawHeaders[at + 1]]);
  return { status: answer.statusCode, headers: lines, body: text };
}

async function startPrism(
  file: string,
  upstream: number,
): Promise<{ readonly child: ChildProcess; readonly port: number }> {
  const port = await freePort();
  const program = join(folder, "node_modules", ".bin", "prism");
  const child = spawn(program, ["proxy", file, `http://127.0.0.1:${upstream}`, "--port", String(port)], {
    cwd: folder,
    stdio: ["ignore", "pipe", "pipe"],
  });
  let reported = "";
  await new Promise<void>((resolve, reject) => {
    const hear = (piece: Buffer) => {
      reported += piece;
      if (reported.includes("is listening")) resolve();
    };
    child.stdout?.on("data", hear);
    child.stderr?.on("data", hear);
    child.on("exit", () => reject(new Error(`Prism ended:\n${reported}`)));
  });
  return { child, port };
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  server.close();
  await once(server, "close");
  return port;
}
