/**
 * Test suite process for `parallel.test.ts`. It uses one data space of a sandbox that others use at
 * the same time, and never sees records other than its own.
 *
 *   node suite.ts SERVICE OPERATIONS SPACE
 */
import assert from "node:assert/strict";
import { once } from "node:events";
import { inSpace, parcel } from "./start-sandbox.ts";

const rounds = 25;
const [service = "", operations = "", space = ""] = process.argv.slice(2);
const { request, operate } = inSpace({ service, operations, output: () => "", stop: async () => 0 }, space);

const references = async (): Promise<readonly string[]> => {
  const { status, json } = await request("GET", "/v1/parcels?limit=100");
  assert.equal(status, 200);
  return (json.data as { reference: string }[]).map((listed) => listed.reference).sort();
};

/** Waits until all suites of the test are ready, so that they start together. */
async function whenAllAreReady(): Promise<void> {
  process.stdout.write("ready\n");
  await once(process.stdin, "data");
}

const begins = await references();
await whenAllAreReady();
const made: string[] = [];
for (let round = 0; round < rounds; round += 1) {
  const reference = `${space}-${round}`;
  const answer = await request("POST", "/v1/parcels", parcel(reference));
  assert.equal(answer.status, 201, JSON.stringify(answer.json));
  made.push(reference);
  assert.deepEqual(await references(), [...begins, ...made].sort());
}
const { json } = await operate("GET", "/api/events?type=parcel.registered");
const reported = (json.events as { subject: string; payload: unknown }[]).length;
assert.equal(reported, rounds);
// The clock of one data space moves, the other clock stands still.
if (space === "moved")
  assert.equal((await operate("POST", "/api/clock", { advance: "14 days" })).status, 200);
await whenAllAreReady();
const { json: parcels } = await request("GET", "/v1/parcels?limit=100");
const returned = parcels.data.filter((listed: { status: string }) => listed.status === "returned").length;
// One parcel of the seed was returned already. Another one waits at the desk.
assert.equal(returned, space === "moved" ? rounds + 2 : 1);
assert.equal((await operate("POST", "/api/reset")).status, 200);
assert.deepEqual(await references(), begins);
process.stdin.destroy();
