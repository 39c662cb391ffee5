/** Stop signals: unit tests. */
import assert from "node:assert/strict";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";

const source = JSON.stringify(join(import.meta.dirname, "stop-signal.ts"));

/**
 * How a process ends that sends itself a stop signal, stops listening, and receives the same signal
 * again.
 */
async function endOf(requested: boolean): Promise<unknown> {
  const script = `
    import { listenForStop } from ${source};
    const working = setInterval(() => {}, 1000);
    const stop = listenForStop();
    ${requested ? `process.kill(process.pid, "SIGTERM"); await stop.requested;` : ""}
    stop.forget();
    process.kill(process.pid, "SIGTERM");
    await new Promise((resolve) => setTimeout(resolve, 100));
    clearInterval(working);
  `;
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const child = spawn(process.execPath, ["--input-type=module-typescript", "--eval", script], { env });
  const [code, signal] = await once(child, "exit");
  return { code, signal };
}

test("the echo of a stop signal does not end a stopped service", async () => {
  assert.deepEqual(await endOf(true), { code: 0, signal: null });
});

test("without a stop signal before, the first signal after listening ends the process", async () => {
  assert.deepEqual(await endOf(false), { code: null, signal: "SIGTERM" });
});

test("the echo may arrive at any moment of the stop, also after the last tick", async () => {
  const script = `
    import { listenForStop } from ${source};
    const working = setInterval(() => {}, 1000);
    const stop = listenForStop();
    process.kill(process.pid, "SIGINT");
    await stop.requested;
    stop.forget();
    clearInterval(working);
    process.exitCode = 7;
    process.stdout.write("stopped");
  `;
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const child = spawn(process.execPath, ["--input-type=module-typescript", "--eval", script], { env });
  const ended = once(child, "exit");
  await once(child.stdout, "data");
  // Repeats the signal until the process exits.
  while (child.exitCode === null && child.signalCode === null) {
    child.kill("SIGINT");
    await new Promise((resolve) => setTimeout(resolve, 0));
  }
  assert.deepEqual(await ended, [7, null]);
});

test("a service stops in order when its package script's shell has exited", async () => {
  const script = `
    import { listenForStop } from ${source};
    const working = setInterval(() => {}, 1000);
    const stop = listenForStop();
    console.log("started");
    await stop.requested;
    stop.forget();
    clearInterval(working);
    console.log("stopped in order");
  `;
  const { NODE_TEST_CONTEXT: _, ...env } = process.env;
  const args = [process.execPath, "--input-type=module-typescript", "--eval", script];
  // As npm starts a script: a shell stays between the two processes, and only the shell receives
  // the signal.
  const shell = spawn("sh", ["-c", '"$@"; true', "sh", ...args], {
    env: { ...env, npm_lifecycle_event: "start" },
    stdio: ["ignore", "pipe", "inherit"],
  });
  let output = "";
  for await (const text of shell.stdout) {
    output += String(text);
    if (output === "started\n") shell.kill("SIGTERM");
  }
  assert.equal(output, "started\nstopped in order\n");
});

test("scripts of this package that serve replace their shell, as a container's first process must", () => {
  const { scripts } = JSON.parse(
    readFileSync(join(import.meta.dirname, "../../../../package.json"), "utf8"),
  ) as { readonly scripts: Readonly<Record<string, string>> };
  const serving = Object.entries(scripts).filter(([name]) => name.startsWith("start"));
  assert.deepEqual(
    serving.filter(([, command]) => !command.startsWith("exec ")),
    [],
  );
});
