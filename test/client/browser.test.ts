/**
 * The client in a real browser. A scenario of every example and twin is called by a page that has
 * the package's modules unchanged, from the service's own origin. A stream is included, which
 * browsers read differently from Node.
 */
import assert from "node:assert/strict";
import { after, test } from "node:test";
import type { Browser, Page } from "playwright-core";
import type { ServiceHandler } from "../../src/engine/http/message.ts";
import type { Model } from "../../src/model/model.ts";
import { planClient } from "../../src/outputs/client/client-plan.ts";
import type { Generated } from "../../src/outputs/output.ts";
import { wireOf } from "../../src/outputs/wire/build-wire.ts";
import { runScenario } from "../../src/verify/run-scenario.ts";
import { openBrowser } from "../browser/browser.ts";
import { shownDocuments } from "../exports/documents.ts";
import { pathOf } from "../repository/repository.ts";
import { clientOf } from "./package.ts";
import { sendByHand } from "./by-hand.ts";
import { isOfAnotherKind, requestAsCall } from "./request-as-call.ts";
import { type Served, serveModel } from "./serve.ts";
import type { SentRequest } from "../../src/verify/scenario-failure.ts";

const browser: Promise<Browser> = openBrowser();
after(async () => (await browser).close());

const place = "/client-under-test/";

/** Serves the package's files and an empty page next to the service. */
function withPackage({ files }: Generated): (serve: ServiceHandler) => ServiceHandler {
  const texts = new Map(files.map(({ path, text }) => [place + path, text]));
  return (serve) => (request) => {
    if (!request.target.startsWith(place)) return serve(request);
    const text = texts.get(request.target);
    const type = request.target.endsWith(".js") ? "text/javascript" : "text/html";
    return {
      status: 200,
      headers: [["Content-Type", type]],
      body: text ?? "<!doctype html><title>page</title>",
    };
  };
}

async function inBrowser(
  model: Model,
  path: string,
  work: (served: Served, page: Page) => Promise<void>,
): Promise<void> {
  const generated = await clientOf(model);
  const served = await serveModel(model, { path: pathOf(path), before: withPackage(generated) });
  const page = await (await browser).newPage();
  try {
    await page.goto(`${served.url}${place}`);
    await work(served, page);
  } finally {
    await page.close();
    await served.close();
  }
}

for (const { model, path } of shownDocuments.filter(
  (shownDocument) => shownDocument.model.scenarios.length > 0,
)) {
  test(`${path}: its client runs a scenario in a browser`, { timeout: 300_000 }, async () => {
    const plan = planClient(wireOf(model));
    const [scenario] = model.scenarios;
    assert.ok(scenario);
    await inBrowser(model, path, async (served, page) => {
      let called = 0;
      const send = async (request: SentRequest) => {
        const call = requestAsCall(plan, request);
        if (!call && isOfAnotherKind(request)) return sendByHand(served.url, request);
        assert.ok(call, `${request.method} ${request.target}`);
        called += 1;
        // What runs in the page is a text: its names are the browser's.
        return page.evaluate(`(async ({ place, name, credentials, values, options }) => {
          const client = await import(place + "index.js");
          let answered;
          const fetch = async (url, init) => {
            const answer = await globalThis.fetch(url, init);
            const copy = answer.clone();
            answered = { status: copy.status, headers: [...copy.headers], body: await copy.text() };
            return answer;
          };
          const connected = client.connect({ url: location.origin, credentials, fetch, retries: 0 });
          try { await client[name](connected, ...values, options); }
          catch (error) { if (!(error instanceof client.ApiError)) throw error; }
          return answered;
        })(${JSON.stringify({ place, ...call })})`) as ReturnType<
          NonNullable<Parameters<typeof runScenario>[2]["send"]>
        >;
      };
      const { outcome, failures, reason } = await runScenario(model, scenario, { ...served, send }, "r1");
      const reported = failures.map(
        (failure) => `${failure.what}: expected ${failure.expected}, was ${failure.actual}`,
      );
      assert.equal(outcome, "passed", reason ?? reported.join("\n"));
      assert.ok(called > 0);
    });
  });
}

test("a browser reads a stream, and ends it by leaving the loop", { timeout: 300_000 }, async () => {
  const desk = shownDocuments.find((shownDocument) => shownDocument.name === "parcel-desk");
  assert.ok(desk);
  await inBrowser(desk.model, desk.path, async (served, page) => {
    await served.make(
      `- Given: \`Shop with name = "Ada" as ada\`\n- Given: \`ApiKey with shop = ada, key = "sk_ada", scopes = ["read", "write", "courier"]\``,
    );
    const reported = await page.evaluate(`(async () => {
      const { connect, createParcel, giveBackParcel, streamEvents } = await import("${place}index.js");
      let opened;
      const open = new Promise((resolve) => (opened = resolve));
      const fetch = async (url, init) => {
        const answer = await globalThis.fetch(url, init);
        if (url.endsWith("/events")) opened();
        return answer;
      };
      const client = connect({ url: location.origin, credentials: { secretKey: "sk_ada" }, fetch });
      const events = [];
      const reading = (async () => {
        for await (const { event } of streamEvents(client)) if (events.push(event) === 2) break;
      })();
      await open;
      const address = { line: "1 Harbour St", city: "Oslo", country: "NO" };
      const { id } = await createParcel(client, { recipient: "G", address, weight_grams: 1 });
      await giveBackParcel(client, id);
      await reading;
      return events;
    })()`);
    assert.deepEqual(reported, ["parcel.registered", "parcel.returned"]);
  });
});
