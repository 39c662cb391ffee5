/**
 * `learn` on recordings of documents' own scenarios: items of each document are set to `not shown`,
 * and the learned items are compared with the originals. No `likely` proposal may be wrong.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { loadHandlers } from "../../src/cli/load-handlers.ts";
import { compile } from "../../src/compile.ts";
import { withoutPadding, unitsOf } from "../../src/inputs/reimport/document-units.ts";
import { recordedEntries } from "../../src/inputs/recordings/har-exchanges.ts";
import { createLocalTarget } from "../../src/scenarios/local-target.ts";
import { type ScenarioTarget, runScenario } from "../../src/verify/run-scenario.ts";
import { accept } from "../../src/worklist/accept.ts";
import { learnedWorkList } from "../../src/worklist/learn/learn.ts";
import { pathOf } from "../repository/repository.ts";
import { documentAt } from "./documents.ts";
import { silentTerminal as quiet } from "../terminal.ts";

/** Time between two requests in milliseconds, as with a real client. */
const pauseMs = 3_000;
const startMs = Date.parse("2026-11-20T12:00:00.000Z");

const rounds = 5;

/**
 * Records the traffic of all scenarios of a document as a HAR file. Each scenario has a new
 * service.
 */
async function recording(path: string, client: Client): Promise<string> {
  const { model } = documentAt(path);
  const handlers = await loadHandlers(pathOf(path), model, quiet);
  const entries: object[] = [];
  let served = 0;
  const withService = async (use: (target: ScenarioTarget) => Promise<unknown>): Promise<void> => {
    const target = await createLocalTarget(model, quiet, handlers);
    served += 1;
    try {
      await use(recordingTarget(target, `http://server${served}.localhost`, entries));
    } finally {
      await target.close();
    }
  };
  for (let round = 0; round < rounds; round++)
    for (const scenario of model.scenarios)
      await withService((target) => runScenario(model, scenario, target, `${served}`).catch(() => undefined));
  await withService(async (target) => {
    for (const scenario of model.scenarios.slice(0, 1))
      for (const step of scenario.steps) if (step.kind === "given") await target.given?.(step);
    await client.afternoon(senderOf(target, client));
  });
  return JSON.stringify({ log: { version: "1.2", entries } });
}

type Send = (
  method: string,
  path: string,
  body?: object,
  key?: string,
  // biome-ignore lint/suspicious/noExplicitAny: responses of all kinds
) => Promise<Readonly<Record<string, any>>>;

/** A client: its requests in addition to the scenarios, and the header with its key. */
interface Client {
  readonly afternoon: (send: Send) => Promise<void>;
  readonly key: string;
  readonly header: (key: string) => readonly [name: string, value: string];
}

function senderOf(target: ScenarioTarget, { key: own, header }: Client): Send {
  return async (method, path, body, key = own) => {
    const { body: text } = await target.send({
      method,
      target: path,
      headers: [
        ...(key === "" ? [] : [header(key)]),
        ["Parcel-Version", "2026-11-01"],
        ...(body ? [["Content-Type", "application/json"] as const] : []),
      ],
      ...(body ? { body: JSON.stringify(body) } : {}),
    });
    return text === "" ? {} : JSON.parse(text);
  };
}

/** Records each request and its response, and advances the time between them. */
function recordingTarget(target: ScenarioTarget, origin: string, entries: object[]): ScenarioTarget {
  let now = startMs;
  const wait = async (milliseconds: number) => {
    now += milliseconds;
    await target.wait?.(milliseconds);
  };
  const pairs = (headers: readonly (readonly [string, string])[]) =>
    headers.map(([name, value]) => ({ name, value }));
  return {
    ...target,
    wait,
    async send(request, isEnough) {
      await wait(pauseMs);
      const response = await target.send(request, isEnough);
      const type = response.headers.find(([name]) => /^content-type$/i.test(name))?.[1];
      const text = request.body === undefined ? undefined : String(request.body);
      entries.push({
        startedDateTime: new Date(now).toISOString(),
        time: 1,
        request: {
          method: request.method,
          url: `${origin}${request.target}`,
          headers: pairs(request.headers ?? []),
          ...(text === undefined ? {} : { postData: { mimeType: "application/json", text } }),
        },
        response: {
          status: response.status,
          headers: pairs(response.headers),
          content: { mimeType: type ?? "", size: response.body.length, text: response.body },
        },
      });
      return response;
    },
  };
}

/** Sends requests of parcel desk clients: every transition from every state, lists and mistakes. */
async function parcels(send: Send): Promise<void> {
  const address = { line: "1 Harbour St", city: "Oslo", country: "NO" };
  const moves = ["collect", "deliver", "give-back"];
  const ways = [[], ["collect"], ["collect", "deliver"], ["give-back"]];
  for (const [index, way] of [...ways, ...ways, ...ways].entries())
    for (const last of moves) {
      const reference = index % 2 === 0 ? {} : { reference: `R${index}-${last}` };
      const { id } = await send("POST", "/v1/parcels", {
        recipient: "Grace",
        address,
        weight_grams: 400,
        ...reference,
      });
      for (const move of [...way, last])
        await send(
          "POST",
          `/v1/parcels/${id}/${move}`,
          move === "deliver" ? { signed_by: "G" } : undefined,
          "sk_courier",
        );
      await send("PATCH", `/v1/parcels/${id}`, { recipient: "Ada" });
      await send("GET", `/v1/parcels/${id}`);
    }
  for (const query of [
    "",
    "?status=returned",
    "?status=delivered",
    "?limit=5",
    "?limit=100",
    "?limit=101",
    "?reference=R1-collect",
  ])
    await send("GET", `/v1/parcels${query}`);
  await send("GET", "/v1/parcels");
  for (let index = 0; index < 12; index++) {
    const { id } = await send("POST", "/v1/hooks", { url: `https://example.com/${index}` });
    await send("DELETE", `/v1/hooks/${id}`);
    await send("DELETE", `/v1/hooks/${id}`);
  }
  await send("POST", "/v1/parcels", { recipient: "Grace" });
  await send("POST", "/v1/parcels", { address, weight_grams: 4 });
  await send("POST", "/v1/parcels", { recipient: "Grace", address, weight_grams: 0 });
  await send("POST", "/v1/parcels", { recipient: "Grace", address, weight_grams: 40_000 });
  await send("POST", "/v1/parcels", { recipient: "Grace", address, weight_grams: 4, color: "red" });
  await send("POST", "/v1/parcels", { recipient: "Grace", address, weight_grams: 4, colour: "red" });
  for (const key of ["sk_wrong", "sk_other"]) await send("GET", "/v1/parcels", undefined, key);
}

/** Answers and closes tickets from every state, with mistakes. */
async function tickets(send: Send): Promise<void> {
  for (const way of [[], ["answer"], ["close"], ["answer", "answer"], ["answer", "close"]])
    for (const last of ["answer", "close"]) {
      const { number } = await send("POST", "/tickets", { subject: "Ink", text: "It is dry" });
      for (const move of [...way, last])
        await send(
          "POST",
          `/tickets/${number}/${move}`,
          move === "answer" ? { answer: "Shake it" } : undefined,
          move === "answer" ? "hd_grace" : undefined,
        );
      await send("GET", `/tickets/${number}`);
      await send("GET", "/tickets");
    }
  for (let index = 0; index < 15; index++)
    await send("POST", "/tickets", { subject: `No. ${index}`, text: "?" });
  for (const query of ["", "?limit=100", "?limit=101", "?limit=2", ""]) await send("GET", `/tickets${query}`);
  for (const number of [901, 902, 903]) await send("GET", `/tickets/${number}`);
  await send("POST", "/tickets", { subject: "Ink" });
  for (const key of ["hd_none", "hd_other"]) await send("GET", "/tickets", undefined, key);
}

/** Cancels and ships orders from every state. */
async function orders(send: Send): Promise<void> {
  for (let round = 0; round < 4; round++)
    for (const way of [[], ["cancel"], ["ship-all"]])
      for (const last of ["cancel", "ship-all"]) {
        await send("POST", "/items/bolt/restock", { count: 1 });
        const { number } = await send("POST", "/orders", { lines: [{ sku: "bolt", count: 1 }] });
        for (const move of [...way, last]) await send("POST", `/orders/${number}/${move}`);
        await send("GET", `/orders/${number}`);
      }
  for (const who of ["Eve", "Ada", "Bob", "Kim", "Cyd", "Dan"])
    await send("POST", "/waits", { who, sku: "bolt" });
  for (const path of ["/waits", "/orders", "/shipments", "/items"]) await send("GET", path);
  for (const number of [901, 902]) await send("GET", `/orders/${number}`);
}

/** Confirms, captures and cancels payments from every state. */
async function payments(send: Send): Promise<void> {
  const moves = ["confirm", "capture", "cancel"];
  for (const method of [undefined, "pm_card_visa", "pm_card_declined"])
    for (const way of [[], ["confirm"], ["cancel"], ["confirm", "capture"]])
      for (const last of moves) {
        const { id } = await send("POST", "/v1/payment_intents", {
          amount: 2000,
          currency: "eur",
          capture_method: way.length > 0 ? "manual" : "automatic",
          ...(method === undefined ? {} : { payment_method: method }),
        });
        for (const move of [...way, last]) await send("POST", `/v1/payment_intents/${id}/${move}`);
        await send("GET", `/v1/payment_intents/${id}`);
      }
  for (const name of ["Ada", "Bob", "Cyd", "Dan", "Eve", "Flo", "Gus", "Hal", "Ida", "Jim"]) {
    const { id } = await send("POST", "/v1/customers", { name, email: `${name}@example.com` });
    await send("POST", `/v1/customers/${id}`, { name: `${name} B.` });
    await send("GET", `/v1/customers/${id}`);
  }
  for (const path of ["payment_intents", "customers", "payment_intents?limit=3"])
    await send("GET", `/v1/${path}`);
  for (const id of ["pi_none", "pi_neither"]) await send("GET", `/v1/payment_intents/${id}`);
  await send("POST", "/v1/payment_intents", { amount: 2000 });
}

/** Writes, changes, lists and deletes articles and comments. */
async function articles(send: Send): Promise<void> {
  const { user } = await send(
    "POST",
    "/api/users",
    { user: { username: "ada", email: "ada@example.com", password: "secret-1" } },
    "",
  );
  const key: string = user.token;
  for (let index = 0; index < 14; index++) {
    const tagList = index % 3 === 0 ? { tagList: ["ink"] } : {};
    const article = { title: `Title ${(index * 7) % 14}`, description: "d", body: "b", ...tagList };
    const { article: made } = await send("POST", "/api/articles", { article }, key);
    const comment = { comment: { body: `Comment ${(index * 5) % 14}` } };
    const { comment: said } = await send("POST", `/api/articles/${made.slug}/comments`, comment, key);
    await send("PUT", `/api/articles/${made.slug}`, { article: { description: "e" } }, key);
    await send("GET", `/api/articles/${made.slug}`, undefined, key);
    if (index % 2 === 0)
      await send("DELETE", `/api/articles/${made.slug}/comments/${said.id}`, undefined, key);
    await send("GET", "/api/articles", undefined, key);
  }
  for (const query of ["", "?limit=2", "?limit=5&offset=3"])
    await send("GET", `/api/articles${query}`, undefined, key);
}

interface Blank {
  /** The kind of item. */
  readonly kind: string;
  readonly line: number;
  readonly text: string;
}

/** Replacements that set items to `not shown`, by line. */
const blanks: readonly (readonly [kind: string, line: RegExp, text: string])[] = [
  ["identifiers", /^(- Identifier: \w+, made by )`.*`$/, "$1not shown"],
  ["times", /^(\|.*\| timestamp +\|.*)on create `now`(?!, on update)(.*)$/, "$1on create not shown$2"],
  ["defaults", /^(\|.*)\bdefault (?:`[^`]*`|\w+)(.*)$/, "$1default not shown$2"],
  ["order", /^- Order: .*$/, "- Order: not shown"],
  ["pages", /^(\| page +\| )default \d+, maximum \d+(.*)$/, "$1default not shown, maximum not shown$2"],
  ["statuses", /^(\| [\w.-]+ +\| )\d{3}( +\|.*)$/, "$1not shown$2"],
  ["initial-states", /^- Initial state: \w+$/, "- Initial state: not shown"],
  ["transitions", /^(\| [a-z_]+ +\| )[\w, ]+( \| \w+ +\| call +\|.*)$/, "$1not shown$2"],
  ["responses", /^- Returns: 2\d\d (?:nothing|(?:list of )?\w+)$/, "- Returns: not shown"],
];

/** Returns all items of a document that can be set to `not shown` without an error. */
function blanksOf(text: string): readonly Blank[] {
  const lines = text.split("\n");
  return lines.flatMap((line, index) => {
    const [kind, form, open] = blanks.find(([, pattern]) => pattern.test(line)) ?? [];
    if (kind === undefined || !form || open === undefined) return [];
    const blank = { kind, line: index + 1, text: line.replace(form, open) };
    return compiles(blanked(text, [blank])) ? [blank] : [];
  });
}

function blanked(text: string, all: readonly Blank[]): string {
  const lines = text.split("\n");
  for (const { line, text: open } of all) lines[line - 1] = open;
  return lines.join("\n");
}

function compiles(text: string): boolean {
  return compile(text, { file: "a.md" }).diagnostics.every(({ severity }) => severity !== "error");
}

/** Returns ten of the items, of as many different kinds as possible. */
function ten(all: readonly Blank[]): readonly Blank[] {
  const groups = [...Map.groupBy(all, ({ kind }) => kind).values()];
  const rounds = Array.from({ length: 10 }, (_, round) => groups.flatMap((group) => group[round] ?? []));
  return rounds.flat().slice(0, 10);
}

interface Result {
  readonly right: string[];
  readonly wrong: string[];
  readonly open: string[];
}

/** Compares the original items with those that `learn` wrote. */
function compared(truth: string, open: string, learned: string): Result {
  const result: Result = { right: [], wrong: [], open: [] };
  const now = new Map(unitsOf(learned).map((unit) => [unit.key, unit]));
  const before = new Map(unitsOf(open).map((unit) => [unit.key, unit]));
  const text = (lines: readonly string[] | undefined) => (lines ?? []).map(withoutPadding).join(" ");
  for (const unit of unitsOf(truth))
    for (const { key, lines } of unit.pieces) {
      const [blank, found] = [before, now].map((units) =>
        text(units.get(unit.key)?.pieces.find((piece) => piece.key === key)?.lines),
      );
      const [was, is] = [text(lines), found ?? ""];
      if (blank === was) continue;
      const list = is.replaceAll("`", "") === was.replaceAll("`", "") ? result.right : result.wrong;
      if (/\bnot shown\b/.test(is)) result.open.push(`${unit.key}: ${is}`);
      else list.push(`${unit.key}: ${is} (${was})`);
    }
  return result;
}

const bearer = (key: string) => ["Authorization", `Bearer ${key}`] as const;

const documents: readonly (readonly [path: string, rightMin: number, client: Client])[] = [
  ["examples/parcel-desk.md", 6, { afternoon: parcels, key: "sk_ada", header: bearer }],
  ["examples/helpdesk.md", 6, { afternoon: tickets, key: "hd_ada", header: (key) => ["X-Key", key] }],
  ["test/documents/warehouse.md", 6, { afternoon: orders, key: "", header: bearer }],
  [
    "examples/conduit.md",
    4,
    { afternoon: articles, key: "", header: (key) => ["Authorization", `Token ${key}`] },
  ],
  ["test/documents/payments.md", 4, { afternoon: payments, key: "sk_1", header: bearer }],
];

for (const [path, rightMin, client] of documents)
  test(`${path}: \`learn\` writes no wrong item from a recording of its scenarios`, async (t) => {
    const truth = readFileSync(pathOf(path), "utf8");
    const har = await recording(path, client);
    const entries = recordedEntries("traffic.har", har);
    const all = blanksOf(truth);
    for (const chosen of [ten(all), all]) {
      const open = blanked(truth, chosen);
      if (!compiles(open)) continue;
      const learned = accept("a.md", open, ["likely"], (file, text) => learnedWorkList(file, text, entries));
      const { right, wrong, open: left } = compared(truth, open, learned.text);
      t.diagnostic(
        `${entries.length} requests; of ${chosen.length}: ${right.length} right, ${left.length} open`,
      );
      assert.deepEqual(wrong, []);
      if (chosen !== all) assert.ok(right.length >= rightMin, `${right.length} are right`);
    }
  });
