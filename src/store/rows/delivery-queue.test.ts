/**
 * Delivery queue as a property: what is due, to which receiver, when and in which order.
 *
 * After each step of a random history, the store must agree with a model of plain lists. At most
 * one delivery of each queue may be in progress.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fc, times } from "../../../test/fixed-seed.ts";
import type { AttemptNote, DeliveryState, NewDelivery, Deliveries } from "../deliveries.ts";
import { openTestStore } from "../test-files.ts";
import { field, model, resource } from "../test-model.ts";

const hooks = model([resource("Hook", [field("url", "string")])]);
const result = { startedAt: 0, durationMs: 1, answer: null };
const most = 1000;

interface Delivery {
  readonly number: number;
  readonly row: number;
  readonly queue: string | null;
  state: DeliveryState;
  dueAt: number | null;
  attempts: number;
}

interface Receiver {
  isFailing: boolean;
  isPaused: boolean;
  notBefore: number;
  disabled: number | null;
}

/** The model: deliveries and receivers as plain lists. */
class Lists {
  readonly deliveries: Delivery[] = [];
  readonly receivers = new Map<number, Receiver>();

  receiver(row: number): Receiver {
    const known = this.receivers.get(row) ?? {
      isFailing: false,
      isPaused: false,
      notBefore: 0,
      disabled: null,
    };
    this.receivers.set(row, known);
    return known;
  }

  open(row: number, queue?: string | null): readonly Delivery[] {
    return this.deliveries.filter(
      (delivery) =>
        delivery.state === "open" &&
        delivery.row === row &&
        (queue === undefined || delivery.queue === queue),
    );
  }

  /** The due time of a new delivery; null if it waits for another one of its queue. */
  dueOf(row: number, queue: string | null, now: number): number | null {
    return queue !== null && this.open(row, queue).length > 0 ? null : now;
  }

  add(row: number, queue: string | null, now: number): void {
    const dueAt = this.dueOf(row, queue, now);
    this.deliveries.push({
      number: this.deliveries.length + 1,
      row,
      queue,
      state: "open",
      dueAt,
      attempts: 0,
    });
    if (dueAt !== null) this.receiver(row).disabled = null;
  }

  note({ number, state, at, dueAt, throttledUntil, disabledRevision }: AttemptNote): void {
    const delivery = this.deliveries[number - 1] as Delivery;
    // A delivery that was given up during an attempt stays dead.
    delivery.state = delivery.state === "dead" && state === "open" ? "dead" : state;
    delivery.dueAt = delivery.state === "open" ? dueAt : null;
    delivery.attempts += 1;
    const [next] =
      delivery.queue === null || delivery.state === "open" ? [] : this.open(delivery.row, delivery.queue);
    if (next) next.dueAt ??= at;
    const receiver = this.receiver(delivery.row);
    receiver.isFailing = state !== "done";
    receiver.notBefore = Math.max(receiver.notBefore, throttledUntil ?? 0);
    receiver.disabled = disabledRevision ?? receiver.disabled;
  }

  giveUp(row: number): void {
    for (const delivery of this.open(row)) Object.assign(delivery, { state: "dead", dueAt: null });
  }

  reopen(row: number, now: number): void {
    const over = this.deliveries.filter(
      (delivery) =>
        delivery.row === row &&
        (delivery.state !== "open" || (delivery.dueAt !== null && delivery.dueAt > now)),
    );
    for (const delivery of over) {
      const dueAt = delivery.state === "open" ? now : this.dueOf(row, delivery.queue, now);
      Object.assign(delivery, {
        dueAt,
        ...(delivery.state === "open" ? {} : { state: "open", attempts: 0 }),
      });
    }
    if (over.length > 0) Object.assign(this.receiver(row), { notBefore: 0, disabled: null });
  }

  /** When the next request to a receiver is due; null if it has no open delivery. */
  dueAt(row: number): number | null {
    const times = this.open(row).flatMap((delivery) => delivery.dueAt ?? []);
    return times.length === 0 ? null : Math.max(this.receiver(row).notBefore, Math.min(...times));
  }
}

type Act =
  | { readonly kind: "add"; readonly row: number; readonly queue: string | null }
  | {
      readonly kind: "attempt";
      readonly which: number;
      readonly comes: "done" | "fails" | "dead" | "busy" | "gone";
    }
  | { readonly kind: "give up" | "reopen" | "enable" | "disable"; readonly row: number }
  | { readonly kind: "pause"; readonly row: number; readonly isPaused: boolean }
  | { readonly kind: "wait"; readonly ms: number };

const row = fc.integer({ min: 1, max: 3 });
const acts: fc.Arbitrary<readonly Act[]> = fc.array(
  fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        kind: fc.constant("add" as const),
        row,
        queue: fc.constantFrom(null, "a", "b"),
      }),
    },
    {
      weight: 6,
      arbitrary: fc.record({
        kind: fc.constant("attempt" as const),
        which: fc.nat(50),
        comes: fc.constantFrom(
          "done" as const,
          "fails" as const,
          "dead" as const,
          "busy" as const,
          "gone" as const,
        ),
      }),
    },
    {
      weight: 2,
      arbitrary: fc.record({
        kind: fc.constantFrom("give up" as const, "reopen" as const, "enable" as const, "disable" as const),
        row,
      }),
    },
    { weight: 1, arbitrary: fc.record({ kind: fc.constant("pause" as const), row, isPaused: fc.boolean() }) },
    {
      weight: 3,
      arbitrary: fc.record({ kind: fc.constant("wait" as const), ms: fc.integer({ min: 1, max: 200 }) }),
    },
  ),
  { minLength: 10, maxLength: 60, size: "max" },
);

/** The result of an attempt that started now. */
function noteOf(number: number, comes: (Act & { kind: "attempt" })["comes"], now: number): AttemptNote {
  const over = { number, at: now, dueAt: null, status: null, error: null };
  if (comes === "done") return { ...over, state: "done" };
  if (comes === "dead") return { ...over, state: "dead" };
  if (comes === "gone") return { ...over, state: "dead", disabledRevision: 7 };
  const again = { ...over, state: "open" as const, dueAt: now + 100 };
  return comes === "busy" ? { ...again, throttledUntil: now + 150 } : again;
}

test("due deliveries and their receivers equal those of plain lists after any history", async (t) => {
  const store = await openTestStore(t, hooks);
  await fc.assert(
    fc.asyncProperty(acts, async (history) => {
      const lists = new Lists();
      let now = 1000;
      await store
        .write(async ({ system }) => {
          const { deliveries } = system;
          const made = {
            id: "evt",
            type: "made",
            time: new Date(0).toISOString(),
            resource: "Hook",
            row: 1,
            subject: "",
            payload: "{}",
          };
          const event = await system.nextSequence();
          system.appendEvents([made]);
          let first: number | undefined;
          for (const act of history) {
            now = await play(act, lists, deliveries, event, now, first ?? 1);
            first ??= (await deliveries.list({}, most)).at(-1)?.number;
            await compare(lists, deliveries, now, first ?? 1);
          }
          throw new Done();
        })
        .catch((error: unknown) => {
          // The error rolls back the write, so that each history starts with an empty store.
          if (!(error instanceof Done)) throw error;
        });
    }),
    { numRuns: times(60) },
  );
});

class Done extends Error {}

/**
 * Runs an act on the store and on the model. Returns the time afterwards.
 * @param first the store's number of the model's first delivery
 */
async function play(
  act: Act,
  lists: Lists,
  deliveries: Deliveries,
  event: number,
  now: number,
  first: number,
): Promise<number> {
  const hook = (row: number) => ({ channel: "webhook" as const, resource: "Hook", row });
  switch (act.kind) {
    case "wait":
      return now + act.ms;
    case "add": {
      const made: NewDelivery = {
        ...hook(act.row),
        id: `dlv_${lists.deliveries.length}`,
        event,
        content: null,
        queue: act.queue,
        createdAt: now,
        record: null,
      };
      lists.add(act.row, act.queue, now);
      await deliveries.add([made]);
      return now;
    }
    case "attempt": {
      // A delivery that is due, or was given up before its first attempt.
      const some = lists.deliveries.filter(
        (delivery) =>
          (delivery.dueAt !== null && delivery.dueAt <= now) ||
          (delivery.state === "dead" && delivery.attempts === 0),
      );
      const delivery = some[act.which % Math.max(1, some.length)];
      if (!delivery) return now;
      const note = noteOf(delivery.number, act.comes, now);
      lists.note(note);
      await deliveries.noteAttempt({ ...note, number: note.number + first - 1 }, result);
      return now;
    }
    case "give up":
      lists.giveUp(act.row);
      await deliveries.giveUpPending(hook(act.row), now, "it wants nothing", most);
      return now;
    case "reopen":
      lists.reopen(act.row, now);
      await deliveries.reopen({ receiver: hook(act.row) }, 0, now, most);
      return now;
    case "disable":
      lists.receiver(act.row).disabled = 7;
      await deliveries.disable(hook(act.row), 7);
      return now;
    case "enable":
      Object.assign(lists.receiver(act.row), { disabled: null, notBefore: 0 });
      await deliveries.enable(hook(act.row));
      return now;
    case "pause":
      lists.receiver(act.row).isPaused = act.isPaused;
      await deliveries.setPaused(hook(act.row), act.isPaused);
      return now;
  }
}

async function compare(lists: Lists, deliveries: Deliveries, now: number, first: number): Promise<void> {
  const there = (await deliveries.list({}, most)).toReversed();
  assert.deepEqual(
    there.map(({ number, row, queue, state, dueAt, attempts }) => ({
      number: number - first + 1,
      row,
      queue,
      state,
      dueAt,
      attempts,
    })),
    lists.deliveries,
  );
  const due: number[] = [];
  for (const row of [1, 2, 3]) {
    const { isPaused, disabled } = lists.receiver(row);
    const dueAt = lists.dueAt(row);
    if (dueAt !== null && !isPaused && disabled === null) due.push(dueAt);
    const some = await deliveries.due({ channel: "webhook", resource: "Hook", row }, now, most);
    const expected = lists
      .open(row)
      .filter((delivery) => delivery.dueAt !== null && delivery.dueAt <= now)
      .sort((a, b) => (a.dueAt as number) - (b.dueAt as number) || a.number - b.number);
    assert.deepEqual(
      some.map(({ number }) => number - first + 1),
      expected.map(({ number }) => number),
    );
    for (const queue of ["a", "b"]) {
      const open = lists.open(row, queue);
      assert.equal(
        open.filter((delivery) => delivery.dueAt !== null).length,
        Math.min(1, open.length),
        "one of a queue",
      );
    }
  }
  const openOnes = await deliveries.list({ state: "open" }, 1000);
  assert.equal(await deliveries.countOpen(1000), openOnes.length);
  const statement = [false, true].map((isFailing) => deliveries.dueReceivers(now, isFailing, most));
  const rows = (await Promise.all(statement)).flat().map(({ row: of, isFailing }) => [of, isFailing]);
  const expected = [1, 2, 3].flatMap((of) => {
    const { isFailing, isPaused, disabled } = lists.receiver(of);
    const dueAt = lists.dueAt(of);
    return dueAt !== null && dueAt <= now && !isPaused && disabled === null ? [[of, isFailing]] : [];
  });
  assert.deepEqual(rows.sort(), expected.sort());
  const isInTrouble = (of: number) => {
    const { isFailing, isPaused, disabled } = lists.receiver(of);
    return isFailing || isPaused || disabled !== null;
  };
  const inTrouble = await deliveries.receivers({ isFailing: true }, most);
  assert.deepEqual(
    inTrouble.map(({ row: of }) => of),
    [1, 2, 3].filter(isInTrouble),
  );
  const later = due.filter((candidate) => candidate > now);
  assert.equal(await deliveries.nextDue(now), later.length === 0 ? null : Math.min(...later));
}
