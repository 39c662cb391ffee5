/** Triggers the evaluation of a place in `post-filter.ts`. */
import { setTimeout } from "node:timers/promises";
import { createGivenRecords } from "../../src/engine/given.ts";
import type { Running } from "./send-request.ts";
import { key, type Place } from "./places.ts";

const hour = 3_600_000;
const sent = { title: "second", extra: "e" };
const who = { "X-Key": key };

export async function driveConcurrently(running: Running, place: Place): Promise<void> {
  const { send, watch } = running;
  await send("POST", "/keys", { label: "card", secret: key, user: 1 }, { V: "2" });
  if (place.by === "time" || place.by === "delivery") watch();
  const made = await send("POST", "/shops/a/things?q=q", { ...sent, title: "first" }, { ...who, V: "2" });
  const { id = "none" } = JSON.parse(String(made.body) || "{}") as { id?: number };
  watch();
  await drives[place.by as keyof typeof drives](running, `/shops/a/things/${id}`);
}

const drives = {
  async time({ clock, send }: Running, thing: string) {
    for (let passed = 0; passed < 4; passed += 1) {
      clock.moveBy(hour);
      await send("GET", thing, undefined, who);
    }
  },
  async poke({ send }: Running, thing: string) {
    await send("POST", `${thing}/poke?q=q`, sent, who);
  },
  async page({ send }: Running) {
    await send("GET", "/shops/a/things?q=q", undefined, who);
  },
  async stream({ send }: Running, thing: string) {
    await send("PATCH", thing, { title: "third" }, { ...who, V: "2" });
    const leaving = new AbortController();
    const opened = await send("GET", "/shops/a/stream?q=q", undefined, who, leaving.signal);
    const pieces = (opened.body as AsyncIterable<string>)[Symbol.asyncIterator]();
    for (let piece = 0; piece < 2; piece += 1) {
      const next = await Promise.race([pieces.next(), soon()]);
      if (next === undefined || next.done) break;
    }
    leaving.abort();
  },
  async delivery({ clock, send, service }: Running, thing: string) {
    await send("PATCH", thing, { title: "third" }, { ...who, V: "2" });
    service.deliveries.start();
    for (let passed = 0; passed < 3; passed += 1) {
      clock.moveBy(1000);
      await service.deliveries.idle();
    }
  },
  async claims({ send }: Running) {
    const { body } = await send("POST", "/tokens", {}, who);
    const { token } = JSON.parse(String(body)) as { token: string };
    await send("POST", "/shops/a/claims?q=q", sent, { Authorization: `Bearer ${token}` });
  },
  async sealed({ send }: Running) {
    await send("POST", "/shops/a/sealed?q=q", sent, { "X-Sealed": key, "X-Seal": "x" });
  },
  async older({ send }: Running, thing: string) {
    await send("PATCH", `${thing}?q=q`, { title: "third", removed: "r", extra: "e" }, { ...who, V: "1" });
    await send("POST", "/shops/a/things?q=q", { title: "fourth", extra: "e" }, { ...who, V: "1" });
    await send("GET", thing, undefined, { ...who, V: "1" });
  },
  async given({ model, service }: Running) {
    const [scenario] = model.scenarios;
    await createGivenRecords(
      service,
      (scenario?.steps ?? []).filter((step) => step.kind === "given"),
    );
  },
  async pinned({ send }: Running) {
    await send("GET", "/shops/a/things?q=q", undefined, who);
  },
};

/**
 * Resolves after a short time. A stream that has sent everything stays open, so a time-out is no
 * result and decides nothing.
 */
async function soon(): Promise<undefined> {
  await setTimeout(200);
  return undefined;
}
