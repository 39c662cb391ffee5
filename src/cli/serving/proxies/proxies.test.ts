/** A service behind proxies: the client address in its responses, its limits and its log. */
import assert from "node:assert/strict";
import { once } from "node:events";
import { writeFileSync } from "node:fs";
import { type IncomingMessage, request } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { runCommand } from "../../testing/run-command.ts";
import { addressOf, freePort, served } from "../../testing/served-command.ts";
import { ownFolder } from "../../../../test/own-folder.ts";

const folder = ownFolder("proxies");

const document = join(folder, "who.md");
writeFileSync(
  document,
  `# Interface Specification: Who

## What the service does

Names its caller.

## Resources and their fields

none

## States and transitions

none

## Endpoints

### GET /who

- Does: answer
- Returns: 200 \`{"ip": request.ip, "url": service.url, "requested": request.url}\`

### GET /twice

- Does: answer
- Returns: 200 \`{}\`

## Authentication

- Scheme: none

## Events

none

## Errors

none

## Limits

| Limit | Bound | Applies to |
|---|---|---|
| rate | 2 per hour | address, GET /twice |

## Versioning

none
`,
);

async function serving(...args: readonly string[]) {
  const service = served([document, "--store", ":memory:", "--no-operations", "--log", "json", ...args]);
  const origin = await addressOf(service);
  return {
    service,
    async who(...headers: readonly (readonly [string, string])[]) {
      const answer = await fetch(`${origin}/who`, { headers: headers as [string, string][] });
      return ((await answer.json()) as { readonly ip: string }).ip;
    },
    async address(...headers: readonly (readonly [string, string])[]) {
      const answer = await fetch(`${origin}/who`, { headers: headers as [string, string][] });
      const { url, requested } = (await answer.json()) as {
        readonly url: string;
        readonly requested: string;
      };
      assert.equal(requested, `${url}/who`);
      return url.replace(origin, "own");
    },
    async host(host: string, ...headers: readonly string[]) {
      const sent = request(`${origin}/who`, { headers: ["Host", host, "Connection", "close", ...headers] });
      sent.end();
      const [answer] = (await once(sent, "response")) as [IncomingMessage];
      answer.resume();
      return answer.statusCode;
    },
    async twice(address: string) {
      const headers = { "X-Forwarded-For": address };
      return (await fetch(`${origin}/twice`, { headers })).status;
    },
    async stop() {
      service.child.kill("SIGTERM");
      await service.ended;
    },
  };
}

test("without the operator's setting no forwarded header is used", async () => {
  const { who, stop } = await serving();
  assert.equal(await who(["X-Forwarded-For", "203.0.113.7"], ["Forwarded", "for=203.0.113.7"]), "127.0.0.1");
  await stop();
});

test("behind trusted proxies the forwarded address is the caller's in expressions, limits by address and the log", async () => {
  const { who, twice, service, stop } = await serving("--trust-proxy", "loopback,10.0.0.0/8");
  assert.equal(await who(["X-Forwarded-For", "8.8.8.8, 203.0.113.7, 10.0.0.4"]), "203.0.113.7");
  assert.equal(await who(["Forwarded", "for=203.0.113.7"]), "127.0.0.1");
  assert.equal(await who(["X-Forwarded-For", "nonsense"]), "127.0.0.1");
  const statuses: number[] = [];
  for (const address of ["203.0.113.7", "203.0.113.7", "203.0.113.7", "203.0.113.8", "1.1.1.1, 203.0.113.7"])
    statuses.push(await twice(address));
  assert.deepEqual(statuses, [200, 200, 429, 200, 429]);
  await service.until(/"address":"203\.0\.113\.8"/);
  await stop();
});

test("a number of proxies is trusted at any address, and the standard header is read if it is named", async () => {
  const { who, stop } = await serving("--trust-proxy", "1", "--forwarded-header", "forwarded");
  assert.equal(await who(["Forwarded", 'for=8.8.8.8, for="[2001:db8::7]:99"']), "2001:db8::7");
  assert.equal(await who(["X-Forwarded-For", "203.0.113.7"]), "127.0.0.1");
  await stop();
});

test("links start with the address that a trusted proxy forwards, and no other header counts", async () => {
  const forged = [
    ["X-Forwarded-Proto", "https"],
    ["X-Forwarded-Host", "evil.test"],
  ] as const;
  const alone = await serving();
  assert.equal(await alone.address(...forged), "own");
  assert.equal(await alone.host("api.example.com", "X-Forwarded-Proto", "https"), 421);
  await alone.stop();
  const behind = await serving("--trust-proxy", "loopback");
  assert.equal(await behind.address(), "own");
  assert.equal(
    await behind.address(["X-Forwarded-Proto", "https"], ["X-Forwarded-Host", "evil.test, api.example.com"]),
    "https://api.example.com",
  );
  assert.equal(await behind.host("api.example.com", "X-Forwarded-Proto", "https"), 200);
  assert.equal(await behind.host("api.example.com"), 421);
  await behind.stop();
});

test("an unconfigured proxy is logged once, with the option to write", async () => {
  const alone = await serving();
  const forwarded = ["X-Forwarded-For", "203.0.113.7"] as const;
  await alone.who();
  assert.doesNotMatch(alone.service.output(), /trust-proxy/);
  await alone.who(forwarded);
  await alone.who(forwarded);
  assert.equal(await alone.host("api.example.com"), 421);
  assert.equal(await alone.host("other.example.com"), 421);
  await alone.service.until(/other\.example\.com|"status":421[\s\S]*"status":421/);
  await alone.stop();
  const lines = alone.service
    .output()
    .split("\n")
    .filter((line) => line.includes("--trust-proxy"))
    .map((line) => JSON.parse(line) as { readonly msg: string; readonly host?: string });
  assert.deepEqual(
    lines.map(({ host }) => host),
    [undefined, "api.example.com"],
  );
  assert.match(lines[0]?.msg ?? "", /^the header X-Forwarded-For is ignored: .*add --trust-proxy loopback$/);
  assert.match(lines[1]?.msg ?? "", /rejected with 421.*--trust-proxy loopback.*--url$/);
  const behind = await serving("--trust-proxy", "loopback");
  await behind.who(forwarded);
  await behind.stop();
  assert.doesNotMatch(behind.service.output(), /is ignored/);
});

test("the operator's --url takes precedence over a proxy's header", async () => {
  const port = await freePort();
  const url = "https://desk.example.com";
  const flags = ["--trust-proxy", "1", "--url", url, "--port", String(port)];
  const service = served([document, "--store", ":memory:", "--no-operations", ...flags]);
  await service.until(/ at https/);
  const answer = await fetch(`http://127.0.0.1:${port}/who`, {
    headers: { "X-Forwarded-For": "203.0.113.7", "X-Forwarded-Host": "evil.test" },
  });
  assert.deepEqual(await answer.json(), { ip: "203.0.113.7", url, requested: `${url}/who` });
  service.child.kill("SIGTERM");
  await service.ended;
});

const wrong: readonly (readonly [args: readonly string[], message: RegExp])[] = [
  [["--trust-proxy", "true"], /--trust-proxy takes the number of proxies in front of the service/],
  [["--trust-proxy", "0.0.0.0/0"], /--trust-proxy takes .* not "0\.0\.0\.0\/0"/],
  [["--forwarded-header", "forwarded"], /--forwarded-header requires --trust-proxy/],
  [
    ["--trust-proxy", "1", "--forwarded-header", "x-real-ip"],
    /--forwarded-header takes x-forwarded or forwarded/,
  ],
  [["--drain", "soon"], /--drain takes a time/],
];

for (const [args, message] of wrong) {
  test(`${args.join(" ")} is rejected`, async () => {
    const { code, complaints } = await runCommand("serve", document, ...args);
    assert.equal(code, 2);
    assert.match(complaints, message);
  });
}
