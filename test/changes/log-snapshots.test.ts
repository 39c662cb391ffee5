/** Events of the log after a stored change: streams read their records as the change converts them. */
import assert from "node:assert/strict";
import { openService } from "../../src/cli/open-service.ts";
import { createRequest } from "../../src/engine/http/message.ts";
import { createMovableClock, silentLog } from "../../src/engine/ports.ts";
import { documentOf, modelOf, open, resource, value } from "./desk.ts";
import { change, newPath, rowsOf, testOnEach } from "./support.ts";

type Request = readonly [method: string, target: string, body?: object];

/** Serves the store with a document; returns what the requests receive. */
async function served(
  document: string,
  path: string,
  requests: readonly Request[],
): Promise<readonly string[]> {
  const store = await open(document, path);
  const ports = { clock: createMovableClock(Date.parse("2026-11-20T12:00:00Z")), log: silentLog };
  const service = await openService(modelOf(document), store, ports, { origin: () => "http://x" });
  const received: string[] = [];
  try {
    for (const [method, target, body] of requests) {
      const headers = { "Content-Type": "application/json" };
      const sent = body ? { body: JSON.stringify(body) } : {};
      const response = await service.fetch(createRequest({ method, target, headers, ...sent }));
      assert.ok(response.status < 300, `${method} ${target}: ${response.status} ${String(response.body)}`);
      let text = "";
      if (response.body && typeof response.body === "object" && Symbol.asyncIterator in response.body)
        for await (const chunk of response.body) text += String(chunk);
      if (target.startsWith("/events"))
        received.push([...text.matchAll(/^data: (.*)$/gm)].map(([, data]) => data).join(" "));
    }
  } finally {
    await service.close();
    await store.close();
  }
  return received;
}

/** @param sends of the streams, by what follows `/events` in their paths */
function parcels(
  resources: string,
  inputs: string,
  sends: Readonly<Record<string, string>>,
  changes = "",
): string {
  const streams = Object.entries(sends).map(
    ([path, sent]) => `### GET /events${path}

- Does: stream
- Sends: parcel.made ${sent}
- Starts: beginning
- Ends: when \`true\`

`,
  );
  const endpoints = `### POST /parcels

- Does: create Parcel
- Body: ${inputs}
- Returns: 201 nothing

### PATCH /parcels/{id}

- Does: update Parcel
- Body: ${inputs
    .split(", ")
    .slice(1)
    .map((name) => `${name}?`)
    .join(", ")}
- Returns: 204 nothing

### DELETE /parcels/{id}

- Does: delete Parcel
- Returns: 204 nothing

${streams.join("")}`;
  const events = `- Webhooks: none
- Log: kept 30 days
- Notifications: none

| Event | When | Payload |
|---|---|---|
| parcel.made | Parcel created | Parcel |
`;
  return documentOf(resources, changes)
    .replace("## Endpoints\n", `## Endpoints\n\n${endpoints}`)
    .replace("## Events\n", `## Events\n\n${events}`);
}

testOnEach("a stream reads renamed fields, parts and values of former events", async () => {
  const resources = (name: string, town: string, kind: string) =>
    value("Address", `${town} | string |`) +
    resource("Parcel", `${name} | string |`, "address | Address |", `kind | one of ${kind}, c |`);
  const sends = (name: string, town: string) => ({
    "": `as \`{"n": this.${name}, "t": this.address.${town}, "k": this.kind}\``,
  });
  const path = await newPath();
  const made = { id: "p", name: "x", address: { town: "Ulm" }, kind: "a" };
  await served(
    parcels(resources("name", "town", "a"), "id, name, address, kind", sends("name", "town")),
    path,
    [
      ["POST", "/parcels", made],
      ["PATCH", "/parcels/p", { name: "later" }],
    ],
  );
  const then = parcels(
    resources("title", "city", "z"),
    "id, title, address, kind",
    sends("title", "city"),
    change(
      "names",
      "Renamed: Address.town to Address.city",
      "Renamed: Parcel.name to Parcel.title",
      'Renamed: Parcel.kind "a" to "z"',
    ),
  );
  assert.deepEqual(await served(then, path, [["GET", "/events"]]), ['{"n":"x","t":"Ulm","k":"z"}']);
});

const pair = resource("Parcel", "buyer | string |", "seller | string |");
const inputs = "id, buyer, seller";
const sold: Request = ["POST", "/parcels", { id: "p", buyer: "bob", seller: "sue" }];
const ofSeller = { "/{who}": 'when `this.seller == path.who` as `{"s": this.seller, "b": this.buyer}`' };

for (const way of ["renames", "sets"])
  testOnEach(`a stream's condition reads two fields that a step swaps (${way})`, async () => {
    const path = await newPath();
    const before = parcels(pair, inputs, ofSeller);
    const both: readonly Request[] = [
      ["GET", "/events/sue"],
      ["GET", "/events/bob"],
    ];
    const data = '{"s":"sue","b":"bob"}';
    assert.deepEqual(await served(before, path, [sold, ...both]), [data, ""]);
    const items =
      way === "renames"
        ? ["Renamed: Parcel.buyer to Parcel.seller", "Renamed: Parcel.seller to Parcel.buyer"]
        : ["For each Parcel: `buyer = old.seller; seller = old.buyer`"];
    const then = parcels(pair, inputs, ofSeller, change("swap", ...items));
    assert.deepEqual(await served(then, path, both), ["", '{"s":"bob","b":"sue"}']);
  });

testOnEach("a stream sends no event by a value that the log lacks", async () => {
  const path = await newPath();
  const fields = resource("Parcel", "seller | string |", "owner | string |", "note | string |");
  const own = (field: string) => ({
    "/{who}": `when \`this.${field} == path.who\` as \`{"s": this.seller}\``,
    "/all/{who}": `when \`this.seller == path.who\` as \`{"s": this.seller, "o": this.${field}}\``,
  });
  await served(parcels(fields, "id, seller, owner, note", own("owner")), path, [
    ["POST", "/parcels", { id: "p", seller: "sue", owner: "ann", note: "n" }],
    ["POST", "/parcels", { id: "q", seller: "sue", owner: "ann", note: "n" }],
    ["PATCH", "/parcels/p", { note: "bob" }],
    ["DELETE", "/parcels/q"],
  ]);
  // No stream read the note, so its value at the event is unknown.
  const then = parcels(
    fields,
    "id, seller, owner, note",
    own("owner"),
    change("owners", "For each Parcel: `owner = old.note`"),
  );
  assert.deepEqual(
    await served(then, path, [
      ["GET", "/events/all/sue"],
      ["GET", "/events/all/bob"],
    ]),
    ['{"s":"sue","o":"bob"} {"s":"sue","o":null}', ""],
  );
  for (const who of ["ann", "bob", "n"])
    assert.deepEqual(await served(then, path, [["GET", `/events/${who}`]]), [""]);
  // A later step keeps what is unknown.
  const later = then
    .replaceAll("owner", "holder")
    .replace(
      /(### Stored change: )holders[^#]*$/,
      `$1owners\n\n- For each Parcel: \`owner = old.note\`\n\n${change("holders", "Renamed: Parcel.owner to Parcel.holder")}`,
    );
  assert.deepEqual(
    await served(later, path, [
      ["GET", "/events/bob"],
      ["GET", "/events/all/sue"],
    ]),
    ["", '{"s":"sue","o":"bob"} {"s":"sue","o":null}'],
  );
});

testOnEach("references in former events follow new keys", async () => {
  const path = await newPath();
  const resources = resource("Shop") + resource("Parcel", "shop | Shop | nullable, on delete clear");
  const sends = { "/{shop}": 'when `this.shop == path.shop` as `{"id": this.id, "shop": this.shop}`' };
  const shops =
    "### POST /shops\n\n- Does: create Shop\n- Body: id\n- Returns: 201 nothing\n\n### DELETE /shops/{id}\n\n- Does: delete Shop\n- Returns: 204 nothing\n\n";
  const document = (changes = "") =>
    parcels(resources, "id, shop", sends, changes).replace("### POST /parcels", `${shops}$&`);
  await served(document(), path, [
    ["POST", "/shops", { id: "a" }],
    ["POST", "/shops", { id: "b" }],
    ["POST", "/parcels", { id: "p", shop: "a" }],
    ["POST", "/parcels", { id: "q", shop: "b" }],
    ["DELETE", "/shops/b"],
  ]);
  const then = document(change("keys", 'For each Shop: `id = "b"`', 'For each Parcel: `id = "x" + old.id`'));
  // The shop that was called b no longer exists, and another has its name.
  assert.deepEqual(
    await served(then, path, [
      ["GET", "/events/b"],
      ["GET", "/events/a"],
    ]),
    ['{"id":"xp","shop":"b"}', ""],
  );
  const [[record]] = (await rowsOf(path, "SELECT record FROM ninefold_events ORDER BY sequence LIMIT 1")) as [
    [string],
  ];
  assert.match(record, /"shop":"b"/);
});

testOnEach("a stream sends no event of a deleted record by a field that the log lacks", async () => {
  const path = await newPath();
  const fields = resource("Parcel", "name | string |");
  const sends = { "": 'as `{"id": this.id}`' };
  await served(parcels(fields, "id, name", sends), path, [
    ["POST", "/parcels", { id: "p", name: "shown" }],
    ["POST", "/parcels", { id: "q", name: "hidden" }],
    ["DELETE", "/parcels/q"],
  ]);
  const reading = 'when `this.name != "hidden"` as `{"id": this.id}`';
  const visible = fields.replace("\n\n| Field", '\n- Visible: `this.name != "hidden"`\n\n| Field');
  const added = resource("Parcel", "name | string |", "secret | boolean | default false");
  for (const then of [
    parcels(fields, "id, name", { "": reading }),
    parcels(visible, "id, name", { "": 'when `true` as `{"id": this.id}`' }),
    parcels(added, "id, name", { "": 'when `this.secret != true` as `{"id": this.id}`' }),
  ])
    assert.deepEqual(await served(then, path, [["GET", "/events"]]), ['{"id":"p"}']);
});
