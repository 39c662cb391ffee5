/** What time does to records of different resources: in the order of its times where one sees the other, whichever is asked for. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { libraryModel } from "../../../test/documents/library.ts";
import { ask, minuteMs, openAsleep } from "../../../test/durability/due/walk.ts";

/** Who looks counts, at its own time, those that are up by then, and those that have looked by then, itself too. */
const kinds = {
  Watch: '`ups = Bird.count(b, b.status == "up"); looks = Watch.count(w, w.status == "up")`',
  Bird: "",
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

### GET /${name}

- Does: list ${name}
- Order: name
- Returns: 200 list of ${name}`,
      )
      .join("\n\n"),
    events: "- Webhooks: none\n- Notifications: none",
  });

for (const order of [
  ["Watch", "Bird"],
  ["Bird", "Watch"],
] as const)
  for (const first of ["Watch", "Bird"] as const)
    test(`in the order of times, where ${order.join(" and ")} are in the document and ${first} is asked for first`, async () => {
      const { service, clock, close } = await openAsleep(modelOf(order));
      const startMs = clock.now();
      for (const [kind, name, minutes] of [
        ["Watch", "b", 30],
        ["Watch", "a", 10],
        ["Bird", "c", 20],
        ["Bird", "d", 40],
      ] as const) {
        const body = { name, rises_at: new Date(startMs + minutes * minuteMs).toISOString() };
        assert.equal((await ask(service, { method: "POST", target: `/${kind}`, body })).status, 201);
      }
      clock.moveBy(60 * minuteMs);
      await ask(service, { method: "GET", target: `/${first}` });
      const { told } = await ask(service, { method: "GET", target: "/Watch" });
      assert.deepEqual(
        (told as { ups: number; looks: number }[]).map(({ ups, looks }) => [ups, looks]),
        [
          [0, 1],
          [1, 2],
        ],
      );
      await close();
    });
