/** Start of a prepared service: unit tests. */
import assert from "node:assert/strict";
import { existsSync, readFileSync, writeFileSync } from "node:fs";
import { createServer, type AddressInfo } from "node:net";
import { request } from "node:http";
import { join } from "node:path";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { addressOf, freePort, served } from "../testing/served-command.ts";
import { runCommand } from "../testing/run-command.ts";
import { ownFolder } from "../../../test/own-folder.ts";

const folder = ownFolder("start");

const example = (name: string) => fileURLToPath(new URL(`../../../examples/${name}`, import.meta.url));

function document(name: string, endpoints: string, more: Readonly<Record<string, string>> = {}): string {
  const path = join(folder, name);
  const text = `# Interface Specification: Visits

## What the service does

## Resources and their fields

### Visit

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| id | integer | |

## States and transitions

## Endpoints

${endpoints}

## Authentication

${more["authentication"] ?? "- Scheme: none"}

## Events

## Errors

## Limits

${more["limits"] ?? ""}

## Versioning
`;
  writeFileSync(path, text);
  return path;
}

/** The status of `GET path` with this `Host`. */
function statusAs(origin: string, path: string, host: string): Promise<{ status: number; body: string }> {
  return new Promise((resolve, reject) => {
    request(`${origin}${path}`, { headers: { Host: host } }, (answer) => {
      let body = "";
      answer.setEncoding("utf8");
      answer.on("data", (text) => {
        body += text;
      });
      answer.on("end", () => resolve({ status: answer.statusCode ?? 0, body }));
    })
      .on("error", reject)
      .end();
  });
}

test("a start sends its service no request, so it creates no record and uses no limit", async () => {
  const file = document(
    "visits.md",
    '### GET /visits\n\n- Does: answer\n- Effect: `create Visit`\n- Returns: 200 `{"visits": Visit.count()}`\n\n' +
      "### GET /limited\n\n- Does: answer\n- Returns: 200 `{}`",
    {
      limits: "| Limit | Bound | Applies to |\n|---|---|---|\n| rate | 1 per hour | address, GET /limited |",
    },
  );
  const service = served([file, "--store", ":memory:"]);
  try {
    const origin = await addressOf(service);
    assert.match((await service.until(/Try:\n {2}(.*)\n/))[1] as string, /\/limited$/);
    assert.equal((await fetch(`${origin}/limited`)).status, 200);
    assert.deepEqual(await (await fetch(`${origin}/visits`)).json(), { visits: 1 });
  } finally {
    service.child.kill("SIGKILL");
  }
});

test("a seed's credential is printed on a terminal alone", async () => {
  const seed = example("parcel-desk.seed.md");
  for (const more of [[], ["--log", "none"], ["--host", "0.0.0.0"]]) {
    const service = served([example("parcel-desk.md"), "--store", ":memory:", "--seed", seed, ...more]);
    try {
      await service.until(/Try:\n.*<ApiKey\.key>.*\n/);
      for (const [, key] of readFileSync(seed, "utf8").matchAll(/key = "(\w+)"/g))
        assert.ok(!service.output().includes(key as string), service.output());
    } finally {
      service.child.kill("SIGKILL");
    }
  }
});

test("--quiet prints only errors: no greeting, no warning, no request", async () => {
  const file = document(
    "quiet.md",
    "### GET /\n\n- Does: answer\n- Returns: 200 `{}`\n\n### GET /broken\n\n- Does: handler broken\n- Returns: 200 `{}`",
  );
  writeFileSync(
    join(folder, "quiet.ts"),
    'export const handlers = { broken() { throw new Error("it is broken"); } };\n',
  );
  const port = await freePort();
  const service = served([
    ...[file, "--store", ":memory:", "--port", String(port), "--host", "0.0.0.0", "--no-operations"],
    "--quiet",
  ]);
  try {
    // The sandbox doesn't print when the page is available.
    const statusOf = async (path: string): Promise<number> => {
      for (;;) {
        assert.equal(service.child.exitCode, null, service.output());
        try {
          return (await fetch(`http://127.0.0.1:${port}${path}`)).status;
        } catch {
          await new Promise((resolve) => setTimeout(resolve, 50));
        }
      }
    };
    assert.equal(await statusOf("/"), 200);
    assert.equal(await statusOf("/nowhere"), 404);
    assert.equal(service.output(), "");
    assert.equal(await statusOf("/broken"), 500);
    await service.until(/it is broken/);
    service.child.kill("SIGTERM");
    assert.equal((await service.ended).code, 0);
    for (const line of service.output().trim().split("\n"))
      assert.equal((JSON.parse(line) as { level: number }).level, 50, line);
  } finally {
    service.child.kill("SIGKILL");
  }
});

test("uncaught errors are logged in the log's form; a rejection ends nothing, an exception stops the service in order", async () => {
  const file = document(
    "uncaught.md",
    ["rejecting", "throwing", "slow"]
      .map((name) => `### GET /${name}\n\n- Does: handler ${name}\n- Returns: 200 \`{}\``)
      .join("\n\n"),
  );
  writeFileSync(
    join(folder, "uncaught.ts"),
    `const started = Promise.withResolvers();
export const handlers = {
  rejecting() { Promise.reject(new Error("dropped promise")); return {}; },
  // It throws when another request is under way, which is answered all the same.
  throwing() { started.promise.then(() => setTimeout(() => { throw new Error("thrown in a timer"); })); return {}; },
  async slow() { started.resolve(); await new Promise((resolve) => setTimeout(resolve, 100)); return {}; },
};\n`,
  );
  const service = served([file, "--store", ":memory:", "--no-operations", "--log", "json"]);
  try {
    const origin = await addressOf(service);
    const statusOf = async (path: string) => (await fetch(origin + path)).status;
    assert.equal(await statusOf("/rejecting"), 200);
    await service.until(/dropped promise.*"msg":"unhandled rejection"/);
    assert.equal(await statusOf("/throwing"), 200);
    assert.equal(await statusOf("/slow"), 200);
    assert.deepEqual(await service.ended, { code: 1, signal: null });
    const lines = service
      .output()
      .split("\n")
      .filter((line) => line.includes("thrown in a timer"));
    assert.equal(lines.length, 1, service.output());
    const { level, msg } = JSON.parse(lines[0] as string) as { level: number; msg: string };
    assert.deepEqual([level, msg], [50, "uncaught exception: the service stops"]);
  } finally {
    service.child.kill("SIGKILL");
  }
});

test("in a sandbox each line of the log has its data space", async () => {
  const file = document(
    "spaces.md",
    "### GET /\n\n- Does: answer\n- Returns: 200 `{}`\n\n### GET /broken\n\n- Does: handler broken\n- Returns: 200 `{}`",
  );
  writeFileSync(
    join(folder, "spaces.ts"),
    'export const handlers = { broken() { throw new Error("it is broken"); } };\n',
  );
  for (const [form, named] of [
    ["json", /"space":"suite-1".*it is broken/],
    ["pretty", /space=suite-1.*\n?.*it is broken/],
  ] as const) {
    const service = served([file, "--sandbox", "--operations", "0", "--log", form]);
    try {
      const origin = await addressOf(service);
      const headers = { "Ninefold-Space": "suite-1" };
      await fetch(`${origin}/`, { headers });
      await service.until(form === "json" ? /"path":"\/".*"space":"suite-1"/ : /GET \/ .*in suite-1/);
      await fetch(`${origin}/broken`, { headers });
      await service.until(named);
    } finally {
      service.child.kill("SIGKILL");
    }
  }
});

test("if the port is in use, no store is created", async () => {
  const file = document("port.md", "### GET /\n\n- Does: answer\n- Returns: 200 `{}`");
  const taker = createServer();
  await new Promise<void>((resolve) => taker.listen(0, "127.0.0.1", resolve));
  const { port } = taker.address() as AddressInfo;
  const store = join(folder, "port.db");
  try {
    const alone = await runCommand("serve", file, "--store", store, "--port", String(port));
    assert.equal(alone.code, 3);
    assert.match(alone.complaints, /is in use, .*Stop that process .*--port/);
    const sandbox = ["--sandbox", "--operations", String(port)];
    const operated = await runCommand("serve", file, "--store", store, "--port", "0", ...sandbox);
    assert.equal(operated.code, 3);
    assert.match(operated.complaints, /operations address can't be on port/);
    assert.ok(!existsSync(store));
  } finally {
    taker.close();
  }
});

test("on loopback a service accepts only the names of loopback and of its public address", async () => {
  const file = document("host.md", "### GET /\n\n- Does: answer\n- Returns: 200 `{}`");
  const port = await freePort();
  const service = served([
    file,
    "--store",
    ":memory:",
    "--port",
    String(port),
    "--url",
    "https://API.example",
  ]);
  try {
    await service.until(/ at https/);
    const origin = `http://127.0.0.1:${port}`;
    for (const host of ["127.0.0.1", "localhost:1", "shop.localhost", "[::1]:80", "api.example"])
      assert.equal((await statusAs(origin, "/", host)).status, 200, host);
    for (const host of ["evil.example:80", "127.0.0.1.evil.example", "localhost.evil.example", "10.0.0.1"]) {
      const { status, body } = await statusAs(origin, "/", host);
      assert.equal(status, 421, host);
      assert.match(JSON.parse(body).detail, /call it as localhost or 127\.0\.0\.1/);
    }
  } finally {
    service.child.kill("SIGKILL");
  }
});

test("on other addresses any host name is accepted", async () => {
  const file = document("open.md", "### GET /\n\n- Does: answer\n- Returns: 200 `{}`");
  const service = served([file, "--store", ":memory:", "--host", "0.0.0.0"]);
  try {
    const { port } = new URL(await addressOf(service));
    assert.equal((await statusAs(`http://127.0.0.1:${port}`, "/", "shop.example")).status, 200);
  } finally {
    service.child.kill("SIGKILL");
  }
});

test("a secret shorter than its algorithm's hash is reported on loopback, and not served elsewhere", async () => {
  const authentication =
    "### Scheme: session\n\n- Credentials: Visit by id, from claim `sub`\n- Placement: header Authorization, after Bearer\n- Signed with: HS384, secret env VISITS_SECRET";
  const file = document("secret.md", "### GET /\n\n- Does: answer\n- Allowed: anyone\n- Returns: 200 `{}`", {
    authentication,
  });
  const start = (secret: string, ...more: readonly string[]) =>
    served([file, "--store", ":memory:", ...more], { env: { ...process.env, VISITS_SECRET: secret } });
  const weak = start("x".repeat(47));
  await weak.until(/VISITS_SECRET \(line \d+\), which holds 376 bits, and HS384 needs 384/);
  await addressOf(weak);
  weak.child.kill("SIGKILL");
  const refused = start("x".repeat(47), "--host", "0.0.0.0");
  assert.deepEqual(await refused.ended, { code: 3, signal: null });
  assert.match(
    refused.output(),
    /Set it to what `openssl rand -base64 48` gives, or serve on 127\.0\.0\.1\.\n/,
  );
  const unset = start("");
  await unset.until(/ {2}VISITS_SECRET \(line \d+\) is not set: tokens are signed with a generated key/);
  assert.match(unset.output(), /\n {2}1 endpoint is open to anyone; `ninefold serve \S+ --routes` lists/);
  unset.child.kill("SIGKILL");
  const strong = start("x".repeat(48), "--host", "0.0.0.0");
  await addressOf(strong);
  assert.doesNotMatch(strong.output(), /VISITS_SECRET/);
  assert.doesNotMatch(weak.output(), /is not set/);
  strong.child.kill("SIGKILL");
});

test("requests are logged in the form of --log, in any process", async () => {
  const path = example("parcel-desk.md");
  const wanted = {
    json: /^\{.*"path":"\/v1\/parcels","status":401.*\}$/m,
    pretty: / 401 .*GET.*\/v1\/parcels|GET.*\/v1\/parcels.* 401 /,
  };
  await Promise.all(
    Object.entries(wanted).map(async ([form, line]) => {
      const serving = served([path, "--store", ":memory:", "--no-operations", "--log", form]);
      const [, address] = await serving.until(/ at (http:\S+)/);
      const answer = await fetch(`${address}/parcels`);
      assert.equal(answer.status, 401);
      await serving.until(line);
      serving.child.kill("SIGTERM");
      assert.equal((await serving.ended).code, 0);
    }),
  );
});

test("--routes prints the table of endpoints and ends", async () => {
  const { code, out } = await runCommand("serve", example("parcel-desk.md"), "--routes");
  assert.equal(code, 0);
  assert.match(
    out,
    /^POST +\/v1\/parcels\/\{id\}\/deliver +deliver Parcel +"courier" in caller\.scopes \(line 259\) +line 256$/m,
  );
});

test("the greeting leads from gaps to the commands that list and answer them", async () => {
  const path = document("gaps-of-visits.md", "### GET /visits\n\n- Does: not shown\n");
  const service = served([path, "--store", ":memory:", "--port", "0"]);
  const [, file] = await service.until(/`ninefold next (\S+)` lists the open questions/);
  assert.match(String(file), /gaps-of-visits\.md$/);
  await service.until(/smaller gaps?; `ninefold check \S*gaps-of-visits\.md` lists them/);
  service.child.kill("SIGTERM");
  await service.ended;
});
