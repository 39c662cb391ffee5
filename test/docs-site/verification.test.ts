/**
 * The verification snippets of the sites distinguish real deliveries from forged ones. The test
 * runs them as shown.
 */
import assert from "node:assert/strict";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, mock, test } from "node:test";
import { pathToFileURL } from "node:url";
import { verificationCode } from "../../src/outputs/docs/verification-code.ts";
import { type Received, receive } from "../twins/receive.ts";
import { serveTwin, startedAt } from "../twins/serve-twin.ts";
import { textOf } from "../repository/repository.ts";
import { modelOf, siteOfExample } from "./site.ts";

type IsGenuine = (headers: Headers, body: string, secret: string) => boolean;

const folder = mkdtempSync(join(tmpdir(), "ninefold-snippets-"));
// Deliveries have the time of the service's own clock.
before(() => mock.timers.enable({ apis: ["Date"], now: startedAt.getTime() }));
after(() => {
  mock.timers.reset();
  rmSync(folder, { recursive: true, force: true });
});

/** The function as a reader would paste it; the test also verifies that the page shows it. */
async function shownFunction(path: string): Promise<IsGenuine> {
  const code = verificationCode(modelOf(textOf(path), path).events);
  assert.ok(code, path);
  const page = ((await siteOfExample(path)).get("events.html") as string)
    .replace(/<[^>]*>/g, "")
    .replaceAll("&#39;", "'")
    .replaceAll("&quot;", '"')
    .replaceAll("&lt;", "<")
    .replaceAll("&gt;", ">")
    .replaceAll("&amp;", "&");
  assert.ok(page.includes(code), "the page shows it");
  const file = join(folder, `${path.replaceAll("/", "-")}.ts`);
  writeFileSync(file, code);
  const { isGenuine } = await import(pathToFileURL(file).href);
  return isGenuine;
}

function headersOf({ headers }: Received): Headers {
  return new Headers(Object.entries(headers).map(([name, value]) => [name, String(value)]));
}

function judge(isGenuine: IsGenuine, reported: Received, secret: string, timed: boolean): void {
  const headers = headersOf(reported);
  assert.equal(isGenuine(headers, reported.body, secret), true, "the received delivery is genuine");
  assert.equal(isGenuine(headers, `${reported.body} `, secret), false, "another body");
  assert.equal(isGenuine(headers, reported.body, "another secret"), false, "another secret");
  assert.equal(isGenuine(new Headers(), reported.body, secret), false, "no signature");
  if (!timed) return;
  mock.timers.setTime(startedAt.getTime() + 3_600_000);
  assert.equal(isGenuine(headers, reported.body, secret), false, "an hour later");
  mock.timers.setTime(startedAt.getTime());
}

interface Call {
  readonly method: string;
  readonly path: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body?: string;
}

async function request(origin: string, { path, ...options }: Call): Promise<Record<string, unknown>> {
  const answer = await fetch(origin + path, options);
  assert.ok(answer.ok, `${options.method} ${path}: ${answer.status} ${await answer.clone().text()}`);
  return (await answer.json()) as Record<string, unknown>;
}

test("the snippet for Standard Webhooks verifies what the courier's service sends", async () => {
  const isGenuine = await shownFunction("examples/parcel-desk.md");
  const receiver = await receive();
  const twin = await serveTwin("../parcel-desk", [
    'Shop with name = "Ada & Co" as shop',
    'ApiKey with shop = shop, key = "sk_ada", scopes = ["read", "write"]',
  ]);
  try {
    const headers = {
      Authorization: "Bearer sk_ada",
      "Content-Type": "application/json",
      "Parcel-Version": "2026-11-01",
    };
    const post = (path: string, body: object) =>
      request(twin.origin, { method: "POST", path, headers, body: JSON.stringify(body) });
    const hook = await post("/v1/hooks", { url: receiver.url, events: ["parcel.registered"] });
    await post("/v1/parcels", {
      recipient: "Grace",
      address: { line: "1", city: "Oslo", country: "NO" },
      weight_grams: 5,
    });
    await twin.pass(0);
    judge(isGenuine, receiver.received[0] as Received, hook["secret"] as string, true);
  } finally {
    await twin.close();
    await receiver.close();
  }
});

test("the snippet for a header with a time verifies what the Stripe twin sends", async () => {
  const isGenuine = await shownFunction("examples/twins/stripe.md");
  const receiver = await receive();
  const twin = await serveTwin("stripe", ['Account with name = "Shop", key = "sk_test_shop"']);
  try {
    const headers = {
      Authorization: "Bearer sk_test_shop",
      "Content-Type": "application/x-www-form-urlencoded",
    };
    const post = (path: string, body: string) =>
      request(twin.origin, { method: "POST", path, headers, body });
    const endpoint = await post(
      "/v1/webhook_endpoints",
      `url=${encodeURIComponent(receiver.url)}&enabled_events[]=customer.updated`,
    );
    const customer = await post("/v1/customers", "name=Ada");
    await post(`/v1/customers/${customer["id"]}`, "name=Grace");
    await twin.pass(0);
    judge(isGenuine, receiver.received[0] as Received, endpoint["secret"] as string, true);
  } finally {
    await twin.close();
    await receiver.close();
  }
});

test("the snippet for a plain header verifies what the GitHub twin sends", async () => {
  const isGenuine = await shownFunction("examples/twins/github.md");
  const receiver = await receive();
  const twin = await serveTwin("github", ['User with login = "octocat", token = "ghp_octocat"']);
  try {
    const headers = { Authorization: "token ghp_octocat", "Content-Type": "application/json" };
    const post = (path: string, body: object) =>
      request(twin.origin, { method: "POST", path, headers, body: JSON.stringify(body) });
    await post("/user/repos", { name: "hooked" });
    const secret = "a secret of the receiver's";
    await post("/repos/octocat/hooked/hooks", {
      config: { url: receiver.url, content_type: "json", secret },
      events: ["issues"],
    });
    await post("/repos/octocat/hooked/issues", { title: "First" });
    await twin.pass(0);
    judge(isGenuine, receiver.received[0] as Received, secret, false);
  } finally {
    await twin.close();
    await receiver.close();
  }
});

test("a header that can't be checked in a few lines has no snippet, and its expression is shown", async () => {
  const path = "examples/twins/twilio.md";
  assert.equal(verificationCode(modelOf(textOf(path), path).events), undefined);
  assert.match(
    (await siteOfExample(path)).get("events.html") as string,
    /X-Twilio-Signature<\/code>: <code>base64\(hmac\(/,
  );
});
