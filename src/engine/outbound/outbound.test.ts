/** Outbound requests: unit tests. */
import assert from "node:assert/strict";
import { createServer, type RequestListener } from "node:http";
import type { AddressInfo } from "node:net";
import { test } from "node:test";
import { createOutbound, OutboundFailed } from "./outbound.ts";
import { systemNetwork } from "./system-network.ts";
import { isLoopbackAddress, isPublicAddress } from "./public-address.ts";

/**
 * A time-out that is long enough on a loaded machine. The test of a slow response has its own
 * bound.
 */
const bounds = { timeoutMs: 60_000, bytesMax: 1000 };

test("only unicast addresses of the public internet are public", () => {
  for (const address of ["1.1.1.1", "93.184.216.34", "172.32.0.1", "2606:4700:4700::1111", "2a00:1450::1"])
    assert.equal(isPublicAddress(address), true, address);
  for (const address of [
    ...["0.0.0.0", "10.1.2.3", "100.64.0.1", "127.0.0.1", "169.254.169.254", "172.16.0.1", "192.168.1.1"],
    ...["198.18.0.1", "224.0.0.1", "255.255.255.255", "::", "::1", "::ffff:1.1.1.1", "::ffff:127.0.0.1"],
    ...["64:ff9b::a00:1", "fe80::1", "fe80::1%eth0", "fc00::1", "ff02::1", "2001:db8::1", "2002:7f00:1::"],
    ...["localhost", "1.1.1", "", "0x7f.1"],
  ])
    assert.equal(isPublicAddress(address), false, address);
  assert.deepEqual(["127.9.9.9", "::1", "0:0::0:1", "::2", "10.0.0.1"].map(isLoopbackAddress), [
    true,
    true,
    true,
    false,
    false,
  ]);
});

test("addresses that are not public are rejected, however they are written", async () => {
  const outbound = createOutbound({
    allowPrivate: false,
    network: { ...systemNetwork, resolve: async () => ["1.1.1.1", "10.0.0.1"] },
  });
  for (const url of [
    "https://127.0.0.1/",
    "https://127.1/",
    "https://2130706433/",
    "https://[::1]/",
    "https://[::ffff:7f00:1]/",
    "https://169.254.169.254/latest/meta-data",
    // One of its two addresses is private.
    "https://example.test/",
    "http://1.1.1.1/",
    "ftp://example.test/",
    "https://user:secret@example.test/",
    "no address",
  ])
    await assert.rejects(
      outbound.request({ url, ...bounds }),
      (error) => error instanceof OutboundFailed && error.refused,
      url,
    );
});

test("a private address is called if the operator allows it", async () => {
  await served(
    (_request, response) => response.end("hello"),
    async (port) => {
      const outbound = createOutbound({ allowPrivate: true });
      const { status, body } = await outbound.request({ url: `http://127.0.0.1:${port}/`, ...bounds });
      assert.deepEqual([status, Buffer.from(body).toString()], [200, "hello"]);
    },
  );
});

test("a name is resolved once, and the connection goes to the address that was checked", async () => {
  await served(
    (request, response) => response.end(request.headers.host),
    async (port) => {
      let requests = 0;
      const resolve = async () => {
        requests += 1;
        return ["127.0.0.1"];
      };
      const outbound = createOutbound({ allowPrivate: true, network: { ...systemNetwork, resolve } });
      const { body } = await outbound.request({ url: `http://keys.example.test:${port}/`, ...bounds });
      assert.deepEqual([requests, Buffer.from(body).toString()], [1, `keys.example.test:${port}`]);
    },
  );
});

test("redirects are not followed, and long or slow responses are abandoned", async () => {
  await served(
    (request, response) => {
      if (request.url === "/moved") response.writeHead(302, { Location: "http://127.0.0.1/" }).end();
      else if (request.url === "/long") response.end("x".repeat(1001));
    },
    async (port) => {
      const outbound = createOutbound({ allowPrivate: true });
      const request = (path: string, { timeoutMs } = bounds) =>
        outbound.request({ url: `http://127.0.0.1:${port}${path}`, ...bounds, timeoutMs });
      assert.equal((await request("/moved")).status, 302);
      await assert.rejects(request("/long"), /longer than 1000 bytes/);
      await assert.rejects(request("/slow", { ...bounds, timeoutMs: 100 }), /took longer than 100 ms/);
    },
  );
});

async function served(listener: RequestListener, use: (port: number) => Promise<void>): Promise<void> {
  const server = createServer(listener);
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  try {
    await use((server.address() as AddressInfo).port);
  } finally {
    server.closeAllConnections();
    await new Promise((resolve) => server.close(resolve));
  }
}
