/**
 * Watched data spaces: they are emptied, restored or removed while a console is open. The console
 * continues with the new content.
 */
import assert from "node:assert/strict";
import { after, before, test } from "node:test";
import { type OpenStream, openStream } from "../operations/open-stream.ts";
import { inSpace, parcel, parcelDesk, type Sandbox, send, startSandbox } from "./start-sandbox.ts";

interface Counts {
  readonly states: Readonly<Record<string, number>>;
}

let sandbox: Sandbox;
before(async () => {
  sandbox = await startSandbox(...parcelDesk);
});
after(() => sandbox?.stop());

const every = "changes,states,events,deliveries,overview,trouble";

function door() {
  const { origin, hash } = new URL(sandbox.operations);
  return { url: origin, token: hash.slice("#t=".length) };
}

const watch = (space: string, lastId?: string): Promise<OpenStream> =>
  openStream({ door: door() }, `${every}&space=${space}`, lastId);

for (const way of ["reset", "snapshots/start/restore"]) {
  test(`after a ${way}, open consoles reload and receive later changes`, async () => {
    const space = way === "reset" ? "emptied" : "restored";
    const { request, operate } = inSpace(sandbox, space);
    await operate("POST", "/api/snapshots", { name: "start" });
    const before = await watch(space);
    await request("POST", "/v1/parcels", parcel("before"));
    await before.until(({ event }) => event === "changes");
    assert.equal((await operate("POST", `/api/${way}`)).status, 200);
    await before.ended;
    const last = before.frames.findLast(({ id }) => id !== undefined)?.id;
    const again = await watch(space, last);
    const begin = await again.until(({ event }) => event === "begin");
    assert.equal(begin.data.resumed, false);
    assert.equal((await request("POST", "/v1/parcels", parcel("after"))).status, 201);
    const changes = await again.until(({ event }) => event === "changes");
    assert.equal(changes.data.rows[0].changed.Parcel.length, 1);
    again.close();
    // The watched states are those of the new service.
    const states = await watch(space);
    const sum = (counts: Counts) => Object.values(counts.states).reduce((all, count) => all + count, 0);
    const { json } = await operate("GET", "/api/states?resource=Parcel");
    const counted = sum(json.shown.counts);
    assert.equal((await request("POST", "/v1/parcels", parcel("counted"))).status, 201);
    await states.until(
      ({ event, data }) => event === "states" && data.value.Parcel && sum(data.value.Parcel.counts) > counted,
    );
    states.close();
  });
}

test("removing a watched data space ends the stream, and no page restores it", async () => {
  const { request, operate } = inSpace(sandbox, "gone");
  await request("GET", "/v1/parcels");
  const stream = await watch("gone");
  await stream.until(({ event }) => event === "trouble");
  assert.equal((await operate("DELETE", "/api/spaces/gone")).status, 200);
  await stream.ended;
  const { url, token } = door();
  const headers = { Authorization: `Bearer ${token}` };
  const refused = await send("GET", `${url}/api/stream?topics=trouble&space=gone`, { headers });
  assert.equal(refused.status, 410);
  assert.match(refused.json.detail, /"gone" was removed\. The next request to the service/);
  assert.equal((await operate("GET", "/api/overview")).status, 410);
  const { json } = await operate("GET", "/api/spaces");
  assert.ok(!json.spaces.some(({ name }: { name: string }) => name === "gone"));
  // A new request creates the data space again, with its stream.
  assert.equal((await request("GET", "/v1/parcels")).status, 200);
  const again = await watch("gone");
  await again.until(({ event }) => event === "trouble");
  again.close();
});

test("the count of commits continues when the default data space is emptied", async () => {
  const { request, operate } = inSpace(sandbox, "default");
  const counted = async () => {
    const { url, token } = door();
    const answer = await fetch(`${url}/metrics`, { headers: { Authorization: `Bearer ${token}` } });
    return Number(/^ninefold_commit_duration_seconds_count\S* (\d+)$/m.exec(await answer.text())?.[1]);
  };
  await counted();
  assert.equal((await operate("POST", "/api/reset")).status, 200);
  const before = await counted();
  assert.equal((await request("POST", "/v1/parcels", parcel("counted"))).status, 201);
  assert.ok((await counted()) > before);
});
