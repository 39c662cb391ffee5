/** Immediate transitions: transitions that fire as soon as their guard holds. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { serveDocument, smallDocument } from "../../../test/contracts/serve-document.ts";

const resources = `### Item

- Identifier: name, given

| Field | Type | Rules |
|---|---|---|
| name | string | |
| size | integer | default 0 |
| was | string | |

### Sign

- Identifier: name, given

| Field | Type | Rules |
|---|---|---|
| name | string | |
| isLit | boolean | default false |

### Records of Sign

| name |
|---|
| a |
| b |

### Mark

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules |
|---|---|---|
| on | string | |

### Bell

- Identifier: name, given

| Field | Type | Rules |
|---|---|---|
| name | string | |
| rings_at | timestamp | |
| note | string | |`;

const states = `### Item

- State field: state
- Initial state: low

| Transition | From | To | Trigger | Guard | Effect |
|---|---|---|---|---|---|
| \`raise\` | low | high | immediately | \`this.size > 2\` | \`was = "was " + old.state + " as " + this.state\` |
| \`top\` | high | full | immediately | \`Mark.count(m, m.on == this.name) > 1\` | |

### Sign

- State field: state
- Initial state: up

| Transition | From | To | Trigger | Guard | Effect |
|---|---|---|---|---|---|
| \`light\` | any | same | immediately | \`!this.isLit && Mark.exists(m, m.on == this.name)\` | \`isLit = true\` |
| \`take\` | up | down | call | | |

### Bell

- State field: state
- Initial state: still

| Transition | From | To | Trigger | Guard | Effect |
|---|---|---|---|---|---|
| \`ring\` | still | rung | call | \`Mark.exists(m, m.on == this.name)\` | |
| \`ring\` | still | rung | immediately | \`this.rings_at < now\` | |`;

const endpoints = `### POST /items

- Does: create Item
- Body: name, size?
- Returns: 201 Item

### PATCH /items/{name}

- Does: update Item
- Body: size
- Returns: 200 Item

### GET /items

- Does: list Item
- Returns: 200 list of Item

### GET /signs

- Does: list Sign
- Returns: 200 list of Sign

### POST /marks

- Does: create Mark
- Body: on
- Returns: 201 Mark

### POST /bells

- Does: create Bell
- Body: name, rings_at
- Returns: 201 Bell

### PATCH /bells/{name}

- Does: update Bell
- Body: note
- Returns: 200 Bell

### POST /bells/{name}/ring

- Does: ring Bell
- Returns: 200 Bell

### GET /bells

- Does: list Bell
- Returns: 200 list of Bell`;

test("an immediate transition fires when a change of its record or of others makes its guard hold", async (t) => {
  const served = await serveDocument(smallDocument({ resources, states, endpoints }));
  t.after(() => served.close());
  const request = async (method: string, path: string, body: unknown) => {
    const { status } = await served.send(method, path, { body });
    assert.ok(status < 300, `${method} ${path}: ${status}`);
    const { json } = await served.send("GET", "/items");
    return json.map((item: Record<string, unknown>) => [item["name"], item["state"], item["was"]]);
  };
  assert.deepEqual(await request("POST", "/items", { name: "a" }), [["a", "low", null]]);
  assert.deepEqual(await request("POST", "/items", { name: "b", size: 3 }), [
    ["a", "low", null],
    ["b", "high", "was low as high"],
  ]);
  assert.deepEqual(await request("POST", "/marks", { on: "a" }), [
    ["a", "low", null],
    ["b", "high", "was low as high"],
  ]);
  assert.deepEqual(await request("PATCH", "/items/a", { size: 6 }), [
    ["a", "high", "was low as high"],
    ["b", "high", "was low as high"],
  ]);
  await request("POST", "/marks", { on: "a" });
  await request("POST", "/marks", { on: "b" });
  assert.deepEqual(await request("PATCH", "/items/b", { size: 4 }), [
    ["a", "full", "was low as high"],
    ["b", "high", "was low as high"],
  ]);
  const { json } = await served.send("GET", "/signs");
  assert.deepEqual(
    json.map((item: Record<string, unknown>) => [item["name"], item["isLit"], item["state"]]),
    [
      ["a", true, "up"],
      ["b", true, "up"],
    ],
  );
});

test("an unchanged record does not fire, even if time has made its guard hold", async (t) => {
  const served = await serveDocument(smallDocument({ resources, states, endpoints }));
  t.after(() => served.close());
  const bells = async () => {
    const { json } = await served.send("GET", "/bells");
    return json.map((item: Record<string, unknown>) => `${item["name"]} ${item["state"]}`).join(", ");
  };
  for (const name of ["a", "b"])
    await served.send("POST", "/bells", { body: { name, rings_at: "2026-11-20T13:00:00Z" } });
  await served.target.wait?.(2 * 3_600_000);
  // The guard of the call now holds, but that does not concern the immediate transition.
  await served.send("POST", "/marks", { body: { on: "a" } });
  assert.equal(await bells(), "a still, b still");
  await served.send("PATCH", "/bells/b", { body: { note: "touched" } });
  assert.equal(await bells(), "a still, b rung");
  assert.equal((await served.send("POST", "/bells/a/ring", { body: {} })).status, 200);
  assert.equal(await bells(), "a rung, b rung");
});
