/**
 * Prism's proxy and Redocly respect as judges of the wrong implementations of `side-by-side.ts`. Prism
 * validates the same requests and responses as `verify`. Respect sends the requests of
 * `parcel-desk.arazzo.yaml`. A report about the document's own service doesn't count. Prism is large,
 * so it is installed in a folder of its own, and this is run by hand:
 *
 *   npm run judges-study -- [--faults N] [--requests N] [--seed N]
 */
import { spawn, spawnSync } from "node:child_process";
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { once } from "node:events";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { createHttpServer } from "../../src/engine/http/server.ts";
import { createReference } from "../../src/explore/comparison/implementation.ts";
import { mutationsOf } from "../../src/explore/mutations/mutations.ts";
import type { PlayedStep } from "../../src/explore/stories/played-step.ts";
import type { Model } from "../../src/model/model.ts";
import { openapiOutput } from "../../src/outputs/openapi/openapi.ts";
import { HttpTarget } from "../../src/verify/http-target.ts";
import type { ReceivedResponse, SentRequest } from "../../src/verify/scenario-failure.ts";
import { pathOf } from "../repository/repository.ts";
import { stepsWith } from "./side-by-side.ts";
import { sampleOf } from "./study.ts";
import { type Subject, subjectOf } from "./subjects.ts";

const prismPackage = "@stoplight/prism-cli@5.16.0";
const workflows = "parcel-desk.arazzo.yaml";
/** Those of the document's scenarios. */
const credentials = { shop: "sk_ada", courier: "sk_courier" };
const target = { timeoutMs: 20_000, bodyBytesMax: 1 << 24, gapMs: 0 };

/** Runs a program to its end, and returns whether it succeeded. */
function run(folder: string, program: string, args: readonly string[]): boolean {
  return spawnSync(program, args, { cwd: folder, encoding: "utf8" }).status === 0;
}

/** Prism in front of a service that returns given responses. */
class Prism {
  readonly #judge: HttpTarget;
  readonly #stop: () => Promise<void>;
  #response: ReceivedResponse = { status: 200, headers: [], body: "" };

  private constructor(port: number, stop: () => Promise<void>, bind: (next: () => ReceivedResponse) => void) {
    this.#judge = new HttpTarget(new URL(`http://127.0.0.1:${port}`), target);
    this.#stop = stop;
    bind(() => this.#response);
  }

  static async start(folder: string, file: string): Promise<Prism> {
    let next: () => ReceivedResponse = () => ({ status: 500, headers: [], body: "" });
    const upstream = createHttpServer(async () => next(), {
      refuse: ({ status }) => ({ status, headers: [], body: "" }),
    });
    const { port: upstreamPort } = await upstream.listen(0, "127.0.0.1");
    const port = await freePort();
    const program = join(folder, "node_modules", ".bin", "prism");
    const args = ["proxy", file, `http://127.0.0.1:${upstreamPort}`, "--port", String(port)];
    const child = spawn(program, args, { cwd: folder, stdio: ["ignore", "pipe", "inherit"] });
    await new Promise<void>((resolve, reject) => {
      let printed = "";
      child.stdout.on("data", (piece) => {
        printed += String(piece);
        if (printed.includes("is listening")) resolve();
      });
      child.on("exit", () => reject(new Error(`Prism ended:\n${printed}`)));
    });
    const stop = async (): Promise<void> => {
      child.kill("SIGKILL");
      await upstream.close(0);
    };
    return new Prism(port, stop, (from) => (next = from));
  }

  /** What Prism reports about a response. */
  async violations(request: SentRequest, { status, headers, body }: ReceivedResponse): Promise<string> {
    const kept = headers.filter(([name]) => !/^(content-length|transfer-encoding|connection)$/i.test(name));
    this.#response = { status, headers: kept, body };
    const { headers: reported } = await this.#judge.send(request);
    const text = reported.find(([name]) => name.toLowerCase() === "sl-violations")?.[1] ?? "[]";
    const all: readonly { readonly location: readonly string[]; readonly message: string }[] =
      JSON.parse(text);
    return all
      .filter(({ location }) => location[0] === "response")
      .map(({ location, message }) => `${location.join(".")} ${message}`)
      .join("; ");
  }

  async close(): Promise<void> {
    await this.#judge.close();
    await this.#stop();
  }
}

/** What Prism reports about an observed response, but not about the document's own one. */
async function reportOfPrism(prism: Prism, steps: readonly PlayedStep[]): Promise<string | undefined> {
  for (const { request, expected, observed, differences } of steps) {
    if (!observed || differences.length === 0) continue;
    try {
      const reported = await prism.violations(request, observed);
      if (reported !== "" && reported !== (await prism.violations(request, expected))) return reported;
    } catch {
      // Prism rejects some malformed requests before it forwards them.
    }
  }
  return undefined;
}

/** The checks of respect that fail for a service, each with its step. */
async function failuresOfRespect(
  folder: string,
  { model, given, handlers }: Subject,
): Promise<ReadonlySet<string>> {
  const service = await createReference(model, { given, handlers });
  const http = createHttpServer((request) => service.service.fetch(request), {
    refuse: (refusal) => service.service.refuse(refusal),
  });
  try {
    const { port } = await http.listen(0, "127.0.0.1");
    const output = join(folder, "respect.json");
    rmSync(output, { force: true });
    const server = `api=http://127.0.0.1:${port}`;
    const args = ["respect", workflows, "--server", server, "--input", JSON.stringify(credentials)];
    const child = spawn(pathOf("node_modules/.bin/redocly"), [...args, "--json-output", output], {
      cwd: folder,
      stdio: "ignore",
    });
    await new Promise((resolve) => child.on("exit", resolve));
    return failedChecks(JSON.parse(readFileSync(output, "utf8")));
  } finally {
    await http.close(1000);
    await service.close();
  }
}

/** Failed checks anywhere in respect's result, each under the step that has it. */
function failedChecks(result: unknown, step = ""): ReadonlySet<string> {
  const found = new Set<string>();
  const walk = (value: unknown, inStep: string): void => {
    if (typeof value !== "object" || value === null) return;
    const stepId: unknown = Reflect.get(value, "stepId");
    const at = typeof stepId === "string" ? stepId : inStep;
    const [name, status] = [Reflect.get(value, "name"), Reflect.get(value, "status")];
    if (typeof name === "string" && status === "error") found.add(`${at}: ${name}`);
    for (const part of Object.values(value)) walk(part, at);
  };
  walk(result, step);
  return found;
}

async function freePort(): Promise<number> {
  const server = createServer().listen(0, "127.0.0.1");
  await once(server, "listening");
  const address = server.address();
  server.close();
  await once(server, "close");
  if (typeof address !== "object" || !address) throw new Error("a TCP server has a port");
  return address.port;
}

async function openapiOf(model: Model, file: string): Promise<void> {
  const { files } = await openapiOutput.generate(model, { openapi: "3.1", format: "json" });
  writeFileSync(file, files[0]?.text ?? "");
}

const { values } = parseArgs({
  options: {
    faults: { type: "string", default: "60" },
    requests: { type: "string", default: "800" },
    seed: { type: "string", default: "1" },
  },
});
const options = { requests: Number(values.requests), seed: Number(values.seed) };
const subject = await subjectOf("examples/parcel-desk.md");
const folder = mkdtempSync(join(tmpdir(), "ninefold-judges-"));
try {
  writeFileSync(join(folder, "package.json"), '{"private": true}');
  const openapi = join(folder, "api.json");
  await openapiOf(subject.model, openapi);
  const hasPrism = run(folder, "npm", ["install", "--no-audit", "--no-fund", "--silent", prismPackage]);
  const prism = hasPrism ? await Prism.start(folder, openapi) : undefined;
  copyFileSync(pathOf(`test/explore/${workflows}`), join(folder, workflows));
  const usual = await failuresOfRespect(folder, subject);
  console.log(`respect fails for the right service: ${[...usual].join(", ")}`);
  const counts = { faults: 0, prism: 0, respect: 0 };
  const observable = mutationsOf(subject.model).filter(({ hiddenBy }) => hiddenBy === undefined);
  try {
    for (const mutation of sampleOf(observable, { ...options, each: Number(values.faults) })) {
      const served = mutation.apply();
      const steps = await stepsWith(subject, served, options);
      const byPrism = prism && (await reportOfPrism(prism, steps));
      const failed = await failuresOfRespect(folder, { ...subject, model: served });
      const byRespect = [...failed].filter((check) => !usual.has(check));
      counts.faults += 1;
      if (byPrism !== undefined) counts.prism += 1;
      if (byRespect.length > 0) counts.respect += 1;
      console.log(
        `line ${mutation.line}: ${mutation.name}: Prism ${byPrism ?? "✗"}, respect ${byRespect[0] ?? "✗"}`,
      );
    }
  } finally {
    await prism?.close();
  }
  console.log(`${counts.prism} by Prism, ${counts.respect} by respect, of ${counts.faults}`);
} finally {
  rmSync(folder, { recursive: true, force: true });
}
