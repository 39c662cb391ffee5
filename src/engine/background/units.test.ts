/**
 * Units of timed transitions: records that read each other fire in the order of their times,
 * whichever resource a request reads. A record that reads only itself is processed alone.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { libraryModel } from "../../../test/documents/library.ts";
import { request, doneBy, minuteMs, type Opened, openAsleep } from "../../../test/durability/due/walk.ts";

/**
 * At its own time, a `look` record counts the records that are up by then and those that have
 * looked by then, itself included.
 */
const kinds = {
  Watch: '`ups = Bird.count(b, b.status == "up"); looks = Watch.count(w, w.status == "up")`',
  Bird: "",
  Egg: "`looks = this.ups`",
};

const modelOf = (order: readonly (keyof typeof kinds)[]) =>
  libraryModel({
    authentication: "- Scheme: none",
    resources: order
      .map(
        (name) => `### ${name}

- Identifier: name, given

| Field | Type | Rules |
|---|---|---|
| name | string | required |
| ups | integer | |
| looks | integer | |
| rises_at | timestamp | |
| status | state | |`,
      )
      .join("\n\n"),
    states: order
      .map(
        (name) => `### ${name}

- State field: status
- Initial state: down

| Transition | From | To | Trigger | Effect |
|---|---|---|---|---|
| rise | down | up | at rises_at | ${kinds[name]} |`,
      )
      .join("\n\n"),
    endpoints: order
      .map(
        (name) => `### POST /${name}

- Does: create ${name}
- Body: name, rises_at
- Returns: 201 nothing

### GET /${name}/{name}

- Does: read ${name}
- Returns: 200 ${name}

### GET /${name}

- Does: list ${name}
- Order: name
- Returns: 200 list of ${name}`,
      )
      .join("\n\n"),
    events: "- Webhooks: none\n- Notifications: none",
  });

async function make({ service }: Opened, kind: string, name: string, riseMs: number): Promise<void> {
  const body = { name, rises_at: new Date(riseMs).toISOString() };
  assert.equal((await request(service, { method: "POST", target: `/${kind}`, body })).status, 201);
}

for (const order of [
  ["Watch", "Bird"],
  ["Bird", "Watch"],
] as const)
  for (const first of ["Watch", "Bird"] as const)
    test(`the order of due times holds with ${order.join(" and ")} in the document and ${first} read first`, async () => {
      const opened = await openAsleep(modelOf(order));
      const { service, clock, close } = opened;
      const startMs = clock.now();
      for (const [kind, name, minutes] of [
        ["Watch", "b", 30],
        ["Watch", "a", 10],
        ["Bird", "c", 20],
        ["Bird", "d", 40],
      ] as const)
        await make(opened, kind, name, startMs + minutes * minuteMs);
      clock.moveBy(60 * minuteMs);
      await request(service, { method: "GET", target: `/${first}` });
      const { reported: response } = await request(service, { method: "GET", target: "/Watch" });
      assert.deepEqual(
        (response as { ups: number; looks: number }[]).map(({ ups, looks }) => [ups, looks]),
        [
          [0, 1],
          [1, 2],
        ],
      );
      await close();
    });

test("each record runs alone if its timed transitions read only itself", async () => {
  const opened = await openAsleep(modelOf(["Egg"]));
  for (const name of ["a", "b"]) await make(opened, "Egg", name, opened.clock.now() + minuteMs);
  opened.clock.moveBy(60 * minuteMs);
  const { done } = await doneBy(opened, { method: "GET", target: "/Egg/b" });
  assert.deepEqual(done, ["Egg 2"]);
  await opened.close();
});
