/** For tests: starts a serving process and reads its output; the process ends with the test. */
import { type ChildProcess, spawn, type SpawnOptions } from "node:child_process";
import { type AddressInfo, createServer } from "node:net";
import { fileURLToPath } from "node:url";

export const bin = fileURLToPath(new URL("../../../bin/ninefold", import.meta.url));

/** Long enough for all tests of a file that share a process, on a busy machine. */
const lifeMsMax = 900_000;

export interface Watched {
  readonly child: ChildProcess;
  /** Its output so far, of both streams. */
  output(): string;
  /** Waits for output that matches; rejects if the process ends without it. */
  until(form: RegExp): Promise<RegExpExecArray>;
  readonly ended: Promise<{ readonly code: number | null; readonly signal: NodeJS.Signals | null }>;
}

/** @param options `handed`: the socket that the process inherits as descriptor 3 */
export function watched(
  command: string,
  args: readonly string[],
  { handed, ...options }: SpawnOptions & { readonly handed?: number } = {},
): Watched {
  const further = handed === undefined ? [] : [handed];
  const child = spawn(command, args, { ...options, stdio: ["ignore", "pipe", "pipe", ...further] });
  // A failing test must end; no test waits this long.
  const limit = setTimeout(() => child.kill("SIGKILL"), lifeMsMax);
  let output = "";
  let look = () => {};
  let isOver = false;
  for (const stream of [child.stdout, child.stderr])
    stream?.on("data", (text) => {
      output += String(text);
      look();
    });
  const ended = new Promise<{ code: number | null; signal: NodeJS.Signals | null }>((resolve) => {
    child.once("close", (code, signal) => {
      clearTimeout(limit);
      isOver = true;
      look();
      resolve({ code, signal });
    });
  });
  const until = (form: RegExp) =>
    new Promise<RegExpExecArray>((resolve, reject) => {
      look = () => {
        const found = form.exec(output);
        if (found) resolve(found);
        else if (isOver) reject(new Error(`it ended without ${form}:\n${output}`));
      };
      look();
    });
  return { child, output: () => output, until, ended };
}

/** `ninefold serve …` on a free port, on the Node of this test. */
export function served(args: readonly string[], options: SpawnOptions = {}): Watched {
  const port = args.includes("--port") ? [] : ["--port", "0"];
  return watched(process.execPath, [bin, "serve", ...args, ...port], options);
}

export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  await new Promise((resolve) => server.close(resolve));
  return port;
}

/** The address in a greeting. */
export async function addressOf(service: Watched): Promise<string> {
  return (await service.until(/ at (http:\S+)/))[1] as string;
}
