/**
 * Rebilly's own library with a document that was imported from Rebilly's description: products,
 * invoices and webhooks. The document has the import, accepted proposals, two answers, and edits for
 * a state and an event.
 */
import assert from "node:assert/strict";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { after, before, describe, test } from "node:test";
import { eventually } from "../eventually.ts";
import { pathOf } from "../repository/repository.ts";
import { type Edit, importedDocument } from "./imported-document.ts";
import { receive } from "./receive.ts";
import { serveText, type Twin } from "./serve-twin.ts";

const edits: readonly Edit[] = [
  [
    "## States and transitions",
    "- States: not shown\n- Transitions: not shown",
    `### InvoicesInvoice

- State field: status
- Initial state: draft

| Transition | From  | To     | Trigger | Effect                       |
| ---------- | ----- | ------ | ------- | ---------------------------- |
| issue      | draft | unpaid | call    | \`issuedTime = body.issuedTime\` |`,
  ],
  ["### InvoicesInvoice", /^\| status +\|[^|]+\|[^|]+\|/m, "| status | state | |"],
  ["### POST /invoices/{id}/issue", "- Does: not shown", "- Does: issue InvoicesInvoice"],
  ["### POST /invoices/{id}/issue", /^(\| issuedTime .*\|) not shown \|$/m, "$1 |"],
  ["### POST /invoices/{id}/issue", /^\| id .*\n/m, ""],
  [
    "## Events",
    "- Events: not shown\n- Webhooks: not shown\n- Notifications: not shown",
    `- Webhooks: to GlobalWebhook.url when \`event.type in globalWebhook.eventsFilter\`
- Notifications: none

| Event          | When                           | Payload |
| -------------- | ------------------------------ | ------- |
| invoice-issued | InvoicesInvoice becomes unpaid | Issued  |

### Shape: Issued of InvoicesInvoice

\`\`\`cel
{"eventType": event.type, "invoiceId": this.id}
\`\`\`
`,
  ],
];

const document = {
  file: pathOf("node_modules/@redocly/openapi-core/src/benchmark/benches/rebilly.yaml"),
  only: [
    "/products",
    "/products/{id}",
    "/invoices",
    "/invoices/{id}",
    "/invoices/{id}/issue",
    "/webhooks",
    "/webhooks/{id}",
  ],
  answers: [
    ["identifiers", "random(12)"],
    ["fields", "nullable"],
  ] as const,
  edits,
};

/** The part of the library that is used. Its own types need the browser's. */
interface Rebilly {
  readonly products: Resource;
  readonly webhooks: Resource;
  readonly invoices: Resource & { issue(request: object): Promise<Member> };
}

interface Resource {
  create(request: { readonly id?: string; readonly data: object }): Promise<Member>;
  get(request: { readonly id: string }): Promise<Member>;
  getAll(request?: {
    readonly limit?: number;
    readonly offset?: number;
  }): Promise<{ readonly items: readonly Member[] }>;
  update(request: { readonly id: string; readonly data: object }): Promise<Member>;
  delete(request: { readonly id: string }): Promise<Member>;
}

interface Member {
  readonly fields: Readonly<Record<string, string>>;
}

interface Library {
  readonly RebillyAPI: (options: object) => Rebilly;
}

const library = "node_modules/rebilly-js-sdk/package.json";
const skip = existsSync(pathOf(library)) ? false : `${library} isn't there: npm install`;

describe("Rebilly's own library works with an imported document:", { skip }, () => {
  let twin: Twin;
  let api: Rebilly;

  before(async () => {
    twin = await serveText("imported", import.meta.filename, importedDocument(document), []);
    const { RebillyAPI } = createRequire(import.meta.url)("rebilly-js-sdk") as Library;
    const url = `${twin.origin}/v2.1`;
    api = RebillyAPI({ apiKey: "sk_test", urls: { live: url, sandbox: url } });
  });
  after(() => twin.close());

  test("a product is created, read, listed by pages, changed and deleted", async () => {
    const made = await api.products.create({ data: { name: "Premium" } });
    const { id = "" } = made.fields;
    assert.equal(made.fields["unitLabel"], "unit");
    assert.equal((await api.products.get({ id })).fields["name"], "Premium");
    const chosen = await api.products.create({ id: "basic", data: { name: "Basic" } });
    assert.equal(chosen.fields["id"], "basic");
    const pages = [
      await api.products.getAll({ limit: 1 }),
      await api.products.getAll({ limit: 1, offset: 1 }),
    ];
    const names = pages.map(({ items }) => items.map(({ fields }) => fields["name"]));
    assert.deepEqual(names, [["Premium"], ["Basic"]]);
    const changed = await api.products.update({ id, data: { name: "Premium plus" } });
    assert.equal(changed.fields["name"], "Premium plus");
    await api.products.delete({ id });
    await assert.rejects(api.products.get({ id }), { name: "RebillyNotFoundError" });
  });

  test("an invoice is issued, and its webhook is called", async () => {
    const receiver = await receive();
    try {
      const hook = {
        url: receiver.url,
        method: "POST",
        eventsFilter: ["invoice-issued"],
        credentialHash: "a",
      };
      await api.webhooks.create({ data: hook });
      const draft = await api.invoices.create({ data: { customerId: "ada", currency: "USD" } });
      assert.equal(draft.fields["status"], "draft");
      const { id } = draft.fields;
      const issued = await api.invoices.issue({ id, data: { issuedTime: "2026-01-02T03:04:05Z" } });
      assert.equal(issued.fields["status"], "unpaid");
      await assert.rejects(api.invoices.issue({ id, data: {} }), { name: "RebillyConflictError" });
      await twin.pass(0);
      await eventually(() => assert.equal(receiver.received.length, 1));
      assert.deepEqual(JSON.parse(receiver.received[0]?.body ?? ""), {
        eventType: "invoice-issued",
        invoiceId: id,
      });
    } finally {
      await receiver.close();
    }
  });
});
