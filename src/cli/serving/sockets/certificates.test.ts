/**
 * TLS as an operator configures it: certificates are served, renewed while in use, and rejected if
 * they don't match.
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { copyFileSync, readFileSync, writeFileSync } from "node:fs";
import { type IncomingMessage, request as requestPlain } from "node:http";
import { request } from "node:https";
import { connect } from "node:net";
import { join } from "node:path";
import { test } from "node:test";
import { connect as connectSecurely } from "node:tls";
import { runCommand } from "../../testing/run-command.ts";
import { served, type Watched } from "../../testing/served-command.ts";
import { ownFolder } from "../../../../test/own-folder.ts";

const folder = ownFolder("tls");

const stored = (name: string) => new URL(`../../testing/certificates/${name}.pem`, import.meta.url);
const cert = join(folder, "desk.crt");
const key = join(folder, "desk.key");
const flags = ["--tls-cert", cert, "--tls-key", key];

function put(pair: "first" | "second", what: "cert" | "key" | "both" = "both"): void {
  if (what !== "key") copyFileSync(stored(`${pair}.cert`), cert);
  if (what !== "cert") copyFileSync(stored(`${pair}.key`), key);
}

function write(name: string, answer: string): string {
  const path = join(folder, name);
  const parts = ["States and transitions", "Events", "Errors", "Limits", "Versioning"];
  const none = (part: string) => `## ${part}\n\nnone\n\n`;
  writeFileSync(
    path,
    `# Interface Specification: Hello

## What the service does

Says hello.

## Resources and their fields

none

${none(parts[0] as string)}## Endpoints

### GET /hello

- Does: answer
- Returns: 200 \`{"says": "${answer}", "url": service.url}\`

## Authentication

- Scheme: none

${parts.slice(1).map(none).join("")}`,
  );
  return path;
}

async function serving(file: string, ...more: readonly string[]) {
  const service = served([
    file,
    "--store",
    ":memory:",
    "--no-operations",
    "--log",
    "json",
    ...flags,
    ...more,
  ]);
  const [, port] = await service.until(/ at https:\/\/127\.0\.0\.1:(\d+)/);
  return { service, port: Number(port) };
}

async function hello(port: number): Promise<{ readonly says: string; readonly url: string }> {
  const ca = [readFileSync(stored("first.cert")), readFileSync(stored("second.cert"))];
  const sent = request({ host: "127.0.0.1", port, path: "/hello", ca, agent: false });
  sent.end();
  const [answer] = (await once(sent, "response")) as [IncomingMessage];
  return JSON.parse((await answer.toArray()).join("")) as { says: string; url: string };
}

/** The certificate that a new connection receives. */
async function shown(port: number): Promise<string> {
  const socket = connectSecurely({ host: "127.0.0.1", port, rejectUnauthorized: false });
  await once(socket, "secureConnect");
  const { fingerprint256 } = socket.getPeerCertificate();
  socket.destroy();
  return fingerprint256;
}

async function stop(service: Watched): Promise<void> {
  service.child.kill("SIGTERM");
  assert.deepEqual(await service.ended, { code: 0, signal: null });
}

test("TLS is served, and links start with https", async () => {
  put("first");
  const { service, port } = await serving(write("speaks.md", "hello"));
  assert.deepEqual(await hello(port), { says: "hello", url: `https://127.0.0.1:${port}` });
  await stop(service);
});

test("a client without TLS gets no response, causes no fault, and delays no stop", async () => {
  put("first");
  const { service, port } = await serving(write("plain.md", "hello"));
  const plain = requestPlain({ host: "127.0.0.1", port, path: "/hello" });
  plain.end();
  const [error] = (await once(plain, "error")) as [NodeJS.ErrnoException];
  assert.ok(["ECONNRESET", "HPE_INVALID_CONSTANT"].includes(error.code ?? ""), error.code);
  const silent = connect({ host: "127.0.0.1", port });
  await once(silent, "connect");
  silent.on("error", () => {});
  assert.equal((await hello(port)).says, "hello");
  await stop(service);
  assert.doesNotMatch(service.output(), /a fault/);
});

test("a replaced certificate is used for new connections, and a mismatched pair is not", async () => {
  put("first");
  const { service, port } = await serving(write("renewed.md", "hello"));
  const first = await shown(port);
  put("second", "cert");
  await service.until(/belongs to another key.*the previous certificate stays in use/);
  assert.equal(await shown(port), first);
  put("second", "key");
  await service.until(/the certificate was renewed/);
  assert.notEqual(await shown(port), first);
  assert.equal((await hello(port)).says, "hello");
  await stop(service);
});

test("SIGHUP reads the document again, and one with mistakes changes nothing", async () => {
  put("first");
  const file = write("again.md", "hello");
  const { service, port } = await serving(file);
  writeFileSync(file, readFileSync(file, "utf8").replace("GET /hello", "FETCH hello"));
  service.child.kill("SIGHUP");
  await service.until(/The previous again\.md is still served/);
  assert.equal((await hello(port)).says, "hello");
  write("again.md", "good evening");
  assert.equal((await hello(port)).says, "hello");
  service.child.kill("SIGHUP");
  await service.until(/again\.md has changed\.[\s\S]* at https/);
  assert.equal((await hello(port)).says, "good evening");
  await stop(service);
});

const wrong: readonly (readonly [name: string, args: readonly string[], code: number, message: RegExp])[] = [
  ["one of both alone", flags.slice(0, 2), 2, /TLS needs both .*the key is missing/],
  [
    "no such file",
    ["--tls-cert", join(folder, "none"), "--tls-key", key],
    3,
    /none can't be read: ENOENT\.$/,
  ],
  [
    "a key as certificate",
    ["--tls-cert", key, "--tls-key", key],
    3,
    /desk\.key is not a certificate in PEM\.$/,
  ],
  [
    "a certificate as key",
    ["--tls-cert", cert, "--tls-key", cert],
    3,
    /desk\.crt is not a private key in PEM\.$/,
  ],
];

for (const [name, args, code, message] of wrong)
  test(`${name}: one line at the start, and by --check-config`, async () => {
    put("first");
    const file = write("wrong.md", "hello");
    for (const more of [[], ["--check-config"]]) {
      const ran = await runCommand("serve", file, "--store", ":memory:", "--port", "0", ...args, ...more);
      assert.equal(ran.code, code);
      assert.match(ran.complaints.replace(/ See `.*`\.\n$/, "").trimEnd(), message);
      assert.equal(ran.complaints.trimEnd().split("\n").length, 1);
    }
  });

test("a certificate that doesn't fit its key is one line at the start", async () => {
  put("first");
  put("second", "key");
  const { code, complaints } = await runCommand(
    "serve",
    write("fits.md", "hello"),
    "--store",
    ":memory:",
    ...flags,
  );
  assert.equal(code, 3);
  assert.match(
    complaints,
    /^ninefold serve: The certificate \S+desk\.crt belongs to another key than \S+desk\.key\. Name the two files of one pair\.\n$/,
  );
});
