/**
 * Fair delivery slots, on random histories of receivers that succeed and fail in any order. A
 * receiver whose last attempt failed has one slot at a time, any other as many as the limit allows.
 * No receiver with due deliveries goes without a slot. So a bad receiver occupies at most four
 * slots until its first failure is stored, and one slot from then on.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { senderLimits } from "../../src/engine/deliveries/limits.ts";
import { OutboundFailed } from "../../src/engine/outbound/outbound.ts";
import { eventually } from "../eventually.ts";
import { fc, times } from "../fixed-seed.ts";
import { openShop, played } from "./serve-shop.ts";

const hosts = ["one.test", "two.test", "three.test"] as const;
const given = `- Given: Shop with id = "a", name = "Ada"
${hosts.map((host) => `- Given: Hook with shop = "a", url = "https://${host}/in"`).join("\n")}
`;

const act = fc.oneof(
  {
    weight: 3,
    arbitrary: fc.record({ act: fc.constant("order" as const), count: fc.integer({ min: 1, max: 3 }) }),
  },
  {
    weight: 6,
    arbitrary: fc.record({
      act: fc.constant("end" as const),
      host: fc.constantFrom(...hosts),
      which: fc.nat(3),
      isWell: fc.boolean(),
    }),
  },
  {
    weight: 1,
    arbitrary: fc.record({ act: fc.constant("wait" as const), ms: fc.constantFrom(5_000, 3_600_000) }),
  },
);

interface Attempt {
  readonly host: string;
  end(isWell: boolean): void;
}

/** Waits until the store in memory has finished its work. */
async function settled(): Promise<void> {
  for (let turn = 0; turn < 30; turn += 1) await new Promise<void>((resolve) => setImmediate(resolve));
}

test("a receiver whose last attempt failed has one attempt at a time, any other has four, and none waits forever", async () => {
  const run = fc.asyncProperty(fc.array(act, { minLength: 8, maxLength: 30, size: "max" }), async (acts) => {
    let underWay: Attempt[] = [];
    const failing = new Set<string>();
    const wrong: string[] = [];
    const over = played((_request, host) => {
      const alongside = underWay.filter((attempt) => attempt.host === host).length;
      const most = failing.has(host) ? 1 : senderLimits.perReceiverMax;
      if (alongside >= most) wrong.push(`${host} has ${alongside} of ${most} places, and is given one more`);
      return new Promise((resolve, reject) => {
        const end = (isWell: boolean) =>
          isWell ? resolve({ status: 200 }) : reject(new OutboundFailed("the connection was reset", false));
        underWay.push({ host, end });
      });
    });
    const shop = await openShop({ over });
    const receivers = async () =>
      (await shop.service.deliveries.receivers({}, 10)).map((receiver) => ({
        ...receiver,
        host: hosts[receiver.row - 1] as string,
      }));
    const noneWaits = async () => {
      for (const { host, resource, row, channel } of await receivers()) {
        const { deliveries } = shop.store.session.system;
        const due = await deliveries.due({ channel, resource, row }, shop.clock.now(), 100);
        const places = underWay.filter((attempt) => attempt.host === host).length;
        const most = failing.has(host) ? 1 : senderLimits.perReceiverMax;
        assert.ok(
          places >= Math.min(most, due.length),
          `${host}: ${due.length} due, ${places} of ${most} places`,
        );
      }
    };
    try {
      await shop.given(given);
      shop.service.deliveries.start();
      for (const step of acts) {
        if (step.act === "order")
          for (let at = 0; at < step.count; at += 1)
            await shop.send("POST", "/v1/orders", { shop: "a", amount: 1 });
        else if (step.act === "wait") shop.clock.moveBy(step.ms);
        else {
          const mine = underWay.filter(({ host }) => host === step.host);
          const ended = mine[step.which % Math.max(1, mine.length)];
          if (!ended) continue;
          underWay = underWay.filter((other) => other !== ended);
          // The failure counts once it is stored. Attempts that started earlier use the receiver's
          // earlier record.
          if (step.isWell) failing.delete(step.host);
          ended.end(step.isWell);
          await eventually(async () => {
            const stored = (await receivers()).find(({ host }) => host === step.host);
            assert.equal(stored?.isFailing, !step.isWell);
          });
          if (!step.isWell) failing.add(step.host);
        }
        await settled();
        await eventually(noneWaits);
        assert.deepEqual(wrong, []);
      }
    } finally {
      let isClosed = false;
      const ending = shop.close().finally(() => {
        isClosed = true;
      });
      while (!isClosed) {
        for (const { end } of underWay.splice(0)) end(true);
        await settled();
      }
      await ending;
    }
  });
  await fc.assert(run, { numRuns: times(5) });
});
