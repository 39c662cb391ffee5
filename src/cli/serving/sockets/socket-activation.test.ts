/** Socket activation: unit tests. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { type AddressInfo, createServer } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { emptyDocument } from "../../empty-document.ts";
import { bin, served, watched } from "../../testing/served-command.ts";
import { inheritedSocket, checkInheritedSocket } from "./socket-activation.ts";
import { ownFolder } from "../../../../test/own-folder.ts";

const folder = ownFolder("handed");
const file = join(folder, "empty.md");
writeFileSync(file, emptyDocument("Empty"));

/**
 * Serves twice over the socket that it inherits as descriptor 3, and holds the socket in between.
 */
const twice = `for turn in 1 2; do sh -c 'LISTEN_FDS=1 LISTEN_PID=$$ exec "$@"' sh "$@"; done`;

test("a client that connects during a restart with a passed socket is answered by the next process", async () => {
  const listening = createServer();
  await new Promise<void>((resolve) => listening.listen(0, "127.0.0.1", resolve));
  const { port } = listening.address() as AddressInfo;
  const { fd } = (listening as unknown as { readonly _handle: { readonly fd: number } })._handle;
  const command = [process.execPath, bin, "serve", file, "--store", join(folder, "empty.db")];
  const both = watched(
    "sh",
    ["-c", twice, "sh", ...command, "--no-operations", "--ready-json", "--log", "none"],
    {
      handed: fd,
    },
  );
  const [, , pid] = await both.until(/"url":"([^"]+)".*"pid":(\d+)/);
  listening.close();
  await once(listening, "close");
  assert.equal(JSON.parse(both.output()).url, `http://127.0.0.1:${port}`);
  process.kill(Number(pid), "SIGTERM");
  let requests = 0;
  while (both.output().trim().split("\n").length < 2) {
    assert.equal((await fetch(`http://127.0.0.1:${port}/`)).status, 501);
    requests += 1;
  }
  assert.ok(requests > 0);
  process.kill(JSON.parse(both.output().trim().split("\n")[1] as string).pid, "SIGTERM");
  assert.equal((await both.ended).code, 0);
});

test("with --drain-delay, the health check fails first, and requests are still accepted", async () => {
  const service = served([
    file,
    "--store",
    ":memory:",
    "--drain-delay",
    "10m",
    "--operations",
    "0",
    "--ready-json",
  ]);
  await service.until(/\n/);
  const { url, operations } = JSON.parse(service.output().split("\n")[0] as string);
  service.child.kill("SIGTERM");
  let health: Response;
  do health = await fetch(`${operations}/readyz`);
  while (health.status === 200);
  assert.deepEqual([health.status, (await health.text()).trim()], [503, "draining"]);
  const answer = await fetch(url);
  assert.deepEqual([answer.status, answer.headers.get("connection")], [501, "close"]);
  service.child.kill("SIGKILL");
  await service.ended;
});

const messages: string[] = [];
const terminalWith = (environment: Record<string, string>) =>
  ({ environment, printError: (text: string) => messages.push(text) }) as never;

test("a socket is used only by the process it was passed to", () => {
  assert.equal(inheritedSocket(terminalWith({}), 7), undefined);
  assert.equal(inheritedSocket(terminalWith({ LISTEN_FDS: "1", LISTEN_PID: "7" }), 7), 3);
  assert.equal(inheritedSocket(terminalWith({ LISTEN_FDS: "1", LISTEN_PID: "6" }), 7), undefined);
  assert.match(messages.join(""), /passed to process 6, and this is 7/);
  assert.throws(() => inheritedSocket(terminalWith({ LISTEN_FDS: "2", LISTEN_PID: "7" }), 7), /2 sockets/);
});

test("a socket for other machines is used only if the service is configured for them", () => {
  const bound = { address: "0.0.0.0", family: "IPv4", port: 80 };
  assert.throws(() => checkInheritedSocket(bound, "127.0.0.1"), /Confirm it with --host 0\.0\.0\.0\./);
  assert.equal(checkInheritedSocket(bound, "0.0.0.0"), bound);
  assert.throws(() => checkInheritedSocket("/run/desk.sock", "127.0.0.1"), /not a TCP socket/);
});

test("a passed descriptor that isn't a socket is reported", async () => {
  const script = 'LISTEN_FDS=1 LISTEN_PID=$$ exec "$@" 3</dev/null';
  const command = [process.execPath, bin, "serve", file, "--store", ":memory:", "--no-operations"];
  const service = watched("sh", ["-c", script, "sh", ...command]);
  assert.equal((await service.ended).code, 3);
  assert.match(service.output(), /from LISTEN_FDS is not a listening socket/);
});
