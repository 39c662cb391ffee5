/**
 * Places that the store alone answers: what picks or sorts stored records. A function of the module can't tell there what is seen, so each
 * name has a record of its own, and the record is picked (or stands behind the others) if and only if its name is there.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { compile, createRequest, openService } from "../../src/index.ts";
import { calls, names, picking } from "./places.ts";

interface Picking {
  readonly name: string;
  readonly mark: string;
  /** What stands there while another place is looked at. */
  readonly idle: string;
  readonly method: string;
  readonly target: string;
}

const pickings: readonly Picking[] = [
  { name: "Where of a list", mark: "WHERE", idle: "true", method: "GET", target: "/picked/a?q=q" },
  { name: "Visible", mark: "VISIBLE", idle: "true", method: "GET", target: "/picked/a?q=q" },
  { name: "Where of an input", mark: "FILTER", idle: "true", method: "GET", target: "/picked/a?q=q" },
  { name: "Order", mark: "ORDER", idle: "1", method: "GET", target: "/ordered/a?q=q" },
  { name: "Where of every", mark: "EVERY", idle: "false", method: "POST", target: "/every/a?q=q" },
  { name: "where of an effect", mark: "EFFECT", idle: "false", method: "POST", target: "/effect/a?q=q" },
  { name: "where of a do", mark: "DO", idle: "false", method: "POST", target: "/effect/a?q=q" },
];

for (const place of pickings) {
  test(`${place.name}: what check knows is there`, async () => {
    const all = [...names, ...calls, ...picking].filter((name) => !name.includes("random("));
    const known = knownAt(place, all);
    const { model, diagnostics } = compile(documentWith(place, known), { file: "picked.md" });
    assert.deepEqual(
      diagnostics.filter((one) => one.severity === "error").map((one) => one.message),
      [],
    );
    assert.ok(model && known.includes("now") && known.includes("this.shop.town"));
    const functions = { own: (text: unknown) => text as string };
    const service = await openService(model, { store: ":memory:", handlers: { functions } });
    try {
      const send = async (method: string, target: string) => {
        const headers = Object.entries({
          "Content-Type": "application/json",
          "X-Note": "note",
          "X-Key": "key-of-ada-0001",
        });
        const body = method === "POST" ? JSON.stringify({ title: "second", extra: "e" }) : "";
        return service.fetch(createRequest({ method, target, headers, body }));
      };
      const key = JSON.stringify({ label: "card", secret: "key-of-ada-0001", user: 1 });
      const headers = [["Content-Type", "application/json"]] as const;
      await service.fetch(createRequest({ method: "POST", target: "/keys", headers, body: key }));
      const answer = await send(place.method, place.target);
      assert.ok(answer.status < 300, `${answer.status} ${String(answer.body)}`);
      const told = place.method === "POST" ? await send("GET", "/seen/a") : answer;
      const codes = JSON.parse(String(told.body)) as readonly string[];
      const seen = place.mark === "ORDER" ? codes.slice(codes.indexOf("middle") + 1) : codes;
      assert.deepEqual(
        known.filter((_, at) => !seen.includes(`p${at}`)),
        [],
      );
      assert.ok(!seen.includes("middle"));
    } finally {
      await service.close();
    }
  });
}

/** Without those in which a mistake stands; where one is told of the whole, by halves. */
function knownAt(place: Picking, asked: readonly string[]): readonly string[] {
  const text = documentWith(place, asked);
  const wrong = compile(text, { file: "picked.md" }).diagnostics.filter((one) => one.severity === "error");
  if (wrong.length === 0 || asked.length === 0) return asked;
  const known = asked.filter((name, at) => {
    const start = text.indexOf(`"p${at}" && (`) + `"p${at}" && (`.length;
    return !wrong.some(
      ({ position }) => position.start.offset >= start && position.start.offset <= start + name.length,
    );
  });
  if (known.length < asked.length) return knownAt(place, known);
  if (asked.length === 1) return [];
  const middle = Math.ceil(asked.length / 2);
  return [asked.slice(0, middle), asked.slice(middle)].flatMap((half) => knownAt(place, half));
}

function documentWith(place: Picking, asked: readonly string[]): string {
  const each = asked.map((name, at) => `this.code == "p${at}" && (${name}) != null`);
  // In a table a bar ends the cell.
  const any = each.length === 0 ? "false" : `!(${each.map((one) => `!(${one})`).join(" && ")})`;
  const written = place.mark === "ORDER" ? `this.code == "middle" ? 1 : (${any}) ? 2 : 0` : any;
  const rows = [...asked.map((_, at) => `p${at}`), "middle"].map((code) => `| ${code} | t | a | false |`);
  return pickings.reduce(
    (text, { mark, idle }) => text.replaceAll(`⟦${mark}⟧`, () => (mark === place.mark ? written : idle)),
    base.replace("⟦ROWS⟧", () => rows.join("\n")),
  );
}

const inputs = `| Input | In | Type |
|---|---|---|
| q | query | string |
| title | body | string |
| extra | body | string |
| x-note | header | string |
`;

const base = `# Interface Specification: Picked

## What the service does

- Purpose: picks records.

## Resources and their fields

### User

- Identifier: id, made by \`sequence()\`

| Field | Type |
|---|---|
| name | string |
| password | password |

### Records of User

| id | name |
|---|---|
| 1 | Ada |

### Key

- Identifier: id, made by \`sequence()\`

| Field | Type |
|---|---|
| label | string |
| secret | credential |
| user | User |

### Seat

- Identifier: none

| Field | Type | Rules |
|---|---|---|
| row | string | |
| own | string | = \`own(this.row)\` |

### Shop

- Identifier: code, given

| Field | Type | Rules |
|---|---|---|
| code | string | |
| town | string | |
| mayor | User | |
| notes | list of string | |
| seat | Seat | |
| own | string | = \`own(this.town)\` |
| marked | string | = \`own(this.mayor.name)\` |

### Records of Shop

| code | town | mayor | notes | seat |
|---|---|---|---|---|
| a | Oslo | 1 | ["x", "y"] | {"row": "r"} |

### Probe

- Identifier: code, given
- Visible: \`⟦VISIBLE⟧\`

| Field | Type | Rules |
|---|---|---|
| code | string | |
| title | string | |
| shop | Shop | |
| seen | boolean | |

### Records of Probe

| code | title | shop | seen |
|---|---|---|---|
⟦ROWS⟧

## States and transitions

### Probe

| Transition | From | To | Trigger | Guard | Effect |
|---|---|---|---|---|---|
| mark | any | same | call | | \`seen = true\` |

## Endpoints

- Functions: own(string): string

### POST /keys

- Does: create Key
- Body: label, secret, user
- Allowed: anyone
- Returns: 201 nothing

### /picked/{shop}

- Is: Shop

### /seen/{shop}

- Is: Shop

### /ordered/{shop}

- Is: Shop

### /every/{shop}

- Is: Shop

### /effect/{shop}

- Is: Shop

### GET /picked/{shop}

- Does: list Probe
- Let: total = \`"t"\`
- Where: \`⟦WHERE⟧\`
- Returns: 200 \`page.items.map(x, x.code)\`

| Input | In | Type | Where |
|---|---|---|---|
| q | query | string | \`⟦FILTER⟧\` |
| x-note | header | string | |

### GET /seen/{shop}

- Does: list Probe
- Where: \`this.seen\`
- Returns: 200 \`page.items.map(x, x.code)\`

### GET /ordered/{shop}

- Does: list Probe
- Let: total = \`"t"\`
- Order: \`⟦ORDER⟧\`
- Returns: 200 \`page.items.map(x, x.code)\`

| Input | In | Type |
|---|---|---|
| q | query | string |
| x-note | header | string |

### POST /every/{shop}

- Does: update every Probe
- Let: total = \`"t"\`
- Where: \`⟦EVERY⟧\`
- Set: \`seen = true\`
- Returns: 204 nothing

${inputs}
### POST /effect/{shop}

- Does: answer
- Let: total = \`"t"\`
- Effect: \`update Probe where ⟦EFFECT⟧ set seen = true\`
- Effect: \`do mark on Probe where ⟦DO⟧\`
- Returns: 204 nothing

${inputs}
### Shape: Seal of Shop

\`\`\`cel
{"own": this.own}
\`\`\`

## Authentication

### Scheme: key

- Placement: header X-Key
- Credentials: Key by secret
- Caller: \`this.user\`

## Events

- Webhooks: none

## Errors

## Limits

| Limit | Bound | Applies to |
|---|---|---|
| rate core | 100000 per minute | caller |

## Versioning

- Scheme: header V
- Default: current

| Version | Status |
|---|---|
| 1 | current |
`;
