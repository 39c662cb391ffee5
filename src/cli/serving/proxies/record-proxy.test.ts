/** Recording proxy (`serve --proxy URL --record FILE.har`): tests. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { join } from "node:path";
import { after, test } from "node:test";
import { ownFolder } from "../../../../test/own-folder.ts";
import { pathOf } from "../../../../test/repository/repository.ts";
import { recordedEntries } from "../../../inputs/recordings/har-exchanges.ts";
import { runCommand } from "../../testing/run-command.ts";
import { served } from "../../testing/served-command.ts";

const folder = ownFolder("record-proxy");
const desk = pathOf("examples/parcel-desk.md");
const upstream = createServer((request, response) => {
  let body = "";
  request.on("data", (piece) => (body += String(piece)));
  request.on("end", () => {
    if (request.url === "/v1/broken") return void request.socket.destroy();
    const content = {
      id: "hook_1",
      sent: body,
      by: request.headers.authorization,
      secret: "whsec_abcdef123",
    };
    response.writeHead(201, {
      "Content-Type": "application/json",
      "Set-Cookie": "sid=s3cr3t-session; Path=/",
    });
    response.end(JSON.stringify(content));
  });
});
after(() => {
  upstream.closeAllConnections();
  upstream.close();
});

async function upstreamUrl(): Promise<string> {
  if (!upstream.listening) await new Promise<void>((resolve) => upstream.listen(0, "127.0.0.1", resolve));
  return `http://127.0.0.1:${(upstream.address() as AddressInfo).port}`;
}

test("requests pass through unchanged, and are recorded without their secrets", async () => {
  const recording = join(folder, "traffic.har");
  const proxy = served([desk, "--proxy", await upstreamUrl(), "--record", recording]);
  after(() => proxy.child.kill());
  const [, url] = await proxy.until(/Requests to (http:\S+) are passed on/);
  const sent = { url: "https://a.example", note: "ä", api_key: "k-123456" };
  const response = await fetch(`${url}/v1/hooks?limit=2`, {
    method: "POST",
    headers: { Authorization: "Bearer sk_live_secret", "Content-Type": "application/json" },
    body: JSON.stringify(sent),
  });
  const received = (await response.json()) as Readonly<Record<string, string>>;
  assert.equal(response.status, 201);
  assert.equal(received["sent"], JSON.stringify(sent));
  assert.equal(received["by"], "Bearer sk_live_secret");
  assert.equal(received["secret"], "whsec_abcdef123");
  // The file is also complete while the proxy runs.
  await fetch(`${url}/v1/hooks`);
  const text = readFileSync(recording, "utf8");
  const [entry] = recordedEntries("traffic.har", text);
  assert.deepEqual([entry?.method, entry?.target, entry?.status], ["POST", "/v1/hooks?limit=2", 201]);
  assert.match(text, /https:\/\/a\.example/);
  for (const secret of ["sk_live_secret", "whsec_abcdef123", "k-123456", "s3cr3t-session"])
    assert.ok(!text.includes(secret), `${secret} is in the recording`);
  const broken = await fetch(`${url}/v1/broken`);
  assert.equal(broken.status, 502);
  proxy.child.kill("SIGINT");
  assert.equal((await proxy.ended).code, 0);
  assert.match(proxy.output(), /GET \/v1\/broken: /);
  assert.match(proxy.output(), /2 requests recorded/);
  const listed = proxy.output().slice(proxy.output().indexOf("replaced:"));
  assert.match(listed, /\n {2}header authorization +request 1\n/i);
  assert.match(listed, /\n {2}body api_key +request 1\n/);
  assert.match(listed, /\n {2}response header Set-Cookie +requests 1, 2\n/i);
  assert.match(listed, /\n {2}response body secret +requests 1, 2\n/);
  assert.match(listed, /\n {2}response body, repeated from the request +request 1\n/);
  assert.doesNotMatch(listed, /sk_live_secret|whsec_abcdef123|k-123456|s3cr3t-session/);
  assert.equal(JSON.parse(readFileSync(recording, "utf8")).log.entries.length, 2);
});

test("--proxy and --record belong together, and a recording is not overwritten", async () => {
  const alone = await runCommand("serve", desk, "--proxy", "https://api.example.com");
  assert.equal(alone.code, 2);
  assert.match(alone.complaints, /--proxy and --record belong together/);
  const wrong = await runCommand("serve", desk, "--proxy", "api", "--record", join(folder, "other.har"));
  assert.equal(wrong.code, 2);
  assert.match(wrong.complaints, /--proxy takes a URL such as https:\/\/api\.example\.com, not "api"/);
  const taken = await runCommand("serve", desk, "--proxy", await upstreamUrl(), "--record", desk);
  assert.equal(taken.code, 3);
  assert.match(taken.complaints, /parcel-desk\.md can't be written/);
});
