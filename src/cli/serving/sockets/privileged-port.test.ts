/** Privileged ports: unit tests of the message. */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { served } from "../../testing/served-command.ts";

const document = fileURLToPath(new URL("../../../../examples/parcel-desk.md", import.meta.url));
const firstFree = "/proc/sys/net/ipv4/ip_unprivileged_port_start";
/** Whether the system allows the port to every user, or doesn't say. */
const isAnybodys = !existsSync(firstFree) || Number(readFileSync(firstFree, "utf8")) <= 83;
/** The user who runs the tests may be root. */
const unprivileged = process.getuid?.() === 0 ? { uid: 65_534, gid: 65_534 } : {};

test("a port below 1024 that this user may not open is reported in one line, with the option that sets another", {
  skip: isAnybodys,
}, async () => {
  for (const [args, expected] of [
    [["--port", "83"], /^ninefold serve: Port 83 requires a privilege.* with --port\.$/m],
    [["--operations", "83"], /^ninefold serve: Port 83 requires a privilege .* with --operations\.$/m],
  ] as const) {
    const { ended, output } = served([document, "--store", ":memory:", ...args], unprivileged);
    assert.equal((await ended).code, 3);
    assert.match(output(), expected);
    assert.equal(output().trim().split("\n").length, 1, output());
  }
});
