/**
 * Sandbox process: starts `ninefold serve … --sandbox` as a test suite in any language would, and
 * sends requests to it.
 */
import { spawn } from "node:child_process";
import { once } from "node:events";
import { request } from "node:http";
import { join } from "node:path";

const root = join(import.meta.dirname, "..", "..");

export interface Answer {
  readonly status: number;
  readonly headers: Readonly<Record<string, string | string[] | undefined>>;
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers of all kinds
  readonly json: any;
}

export interface Sandbox {
  readonly service: string;
  /** The link that opens the operations address, with its token. */
  readonly operations: string;
  /** Returns the output of the process. */
  output(): string;
  /** Stops the process, and returns its exit code. */
  stop(): Promise<number | null>;
}

/** The operations token in the environment of the test's processes. */
const token = "a-token-for-tests-that-is-long-enough";

export async function startSandbox(...args: readonly string[]): Promise<Sandbox> {
  const child = spawn(
    process.execPath,
    [join(root, "bin", "ninefold"), "serve", ...args, "--sandbox", "--port", "0", "--log", "none"],
    {
      cwd: root,
      stdio: ["ignore", "pipe", "pipe"],
      env: { ...process.env, NINEFOLD_OPERATIONS_TOKEN: token },
    },
  );
  let output = "";
  const closed = once(child, "close");
  const ready = new Promise<void>((resolve, reject) => {
    for (const stream of [child.stdout, child.stderr])
      stream.on("data", (piece) => {
        output += piece;
        if (/operations at http\S+\n/.test(output)) resolve();
      });
    child.on("close", () => reject(new Error(`The sandbox ended:\n${output}`)));
  });
  await ready;
  const addressBehind = (words: string) =>
    new RegExp(`${words} (http://[\\d.]+:\\d+)`).exec(output)?.[1] as string;
  return {
    service: addressBehind(" at"),
    operations: `${addressBehind("operations at")}/#t=${token}`,
    output: () => output,
    async stop() {
      child.kill("SIGTERM");
      const [code] = await closed;
      return code;
    },
  };
}

/**
 * Sends a request. A body that is not a text is sent as JSON. Headers are sent unchanged, `Host`
 * and `Origin` too.
 */
export async function send(
  method: string,
  url: string,
  {
    body,
    headers = {},
  }: { readonly body?: unknown; readonly headers?: Readonly<Record<string, string>> } = {},
): Promise<Answer> {
  const text = body === undefined || typeof body === "string" ? body : JSON.stringify(body);
  const json = text === undefined || typeof body === "string" ? {} : { "Content-Type": "application/json" };
  const length = text === undefined ? {} : { "Content-Length": String(Buffer.byteLength(text)) };
  const requested = request(url, { method, headers: { ...json, ...length, ...headers } });
  requested.end(text);
  const [answer] = await once(requested, "response");
  let received = "";
  for await (const piece of answer) received += piece;
  return {
    status: answer.statusCode,
    headers: answer.headers,
    json: received === "" ? undefined : JSON.parse(received),
  };
}

/** Returns request functions for one data space: to the service and to the operations address. */
export function inSpace({ service, operations }: Sandbox, space: string, key = "sk_ada_4f1c09") {
  const own = { "Ninefold-Space": space };
  return {
    /** Sends a request to the service, as the shop of the seed. */
    request: (method: string, path: string, body?: unknown) =>
      send(method, service + path, {
        body,
        headers: { ...own, Authorization: `Bearer ${key}`, "Parcel-Version": "2026-11-01" },
      }),
    operate(method: string, path: string, body?: unknown) {
      const url = new URL(path, operations);
      // The list of data spaces belongs to no data space.
      if (!path.startsWith("/api/spaces")) url.searchParams.set("space", space);
      const held = new URL(operations).hash.slice("#t=".length);
      return send(method, url.href, { body, headers: { Authorization: `Bearer ${held}` } });
    },
  };
}

export const parcelDesk = ["examples/parcel-desk.md", "--seed", "examples/parcel-desk.seed.md"] as const;

export const parcel = (reference: string) => ({
  recipient: "Grace Hopper",
  address: { line: "1 Harbour St", city: "Oslo", country: "NO" },
  weight_grams: 400,
  reference,
});
