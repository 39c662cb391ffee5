/**
 * Verification: `verify` reports nothing for correct implementations, and finds wrong ones. `npm
 * run verify-study` has the whole study.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { createReference } from "../../src/explore/comparison/implementation.ts";
import { mutationsOf } from "../../src/explore/mutations/mutations.ts";
import { verify } from "../../src/explore/verify.ts";
import { study } from "./study.ts";
import { type Subject, subjectOf } from "./subjects.ts";

const bounds = { requestsMax: 150, timeMsMax: 120_000, faultsMax: 5 };

async function faultsOf({ model, given, handlers }: Subject): Promise<readonly string[]> {
  const service = await createReference(model, { given, handlers });
  try {
    const { faults } = await verify({ model, service, given, handlers, seed: 1, ...bounds });
    return faults.map(({ endpoint, caseName, differences }) =>
      JSON.stringify([endpoint.path.text, caseName, differences]),
    );
  } finally {
    await service.close();
  }
}

for (const file of ["examples/parcel-desk.md", "examples/helpdesk.md", "examples/seat-booking.md"])
  test(`${file}: its own service holds`, async () => {
    assert.deepEqual(await faultsOf(await subjectOf(file)), []);
  });

/** Mutations of different kinds. */
const wrong = [
  "POST /parcels: recipient: maximum of its length is 121",
  "POST /parcels: status is 200",
  "GET /parcels/{id}: Preconditions removed",
  "Parcel: Visible removed",
  "error no_key: another code",
];

test("wrong implementations are found", async () => {
  const subject = await subjectOf("examples/parcel-desk.md");
  const mutations = mutationsOf(subject.model).filter(({ name }) => wrong.includes(name));
  assert.equal(mutations.length, wrong.length);
  for (const mutation of mutations) {
    const wrong = { needs: "responses" as const, served: () => mutation.apply() };
    assert.ok(await study(subject, wrong, { requests: 1_000, seed: 1 }), mutation.name);
  }
});

test("the same seed sends the same requests", async () => {
  const { model, given, handlers } = await subjectOf("examples/helpdesk.md");
  const sent: string[][] = [];
  for (const run of [0, 1]) {
    sent[run] = [];
    const service = await createReference(model, { given, handlers });
    const recording = {
      ...service,
      send: (request: Parameters<typeof service.send>[0]) => {
        sent[run]?.push(`${request.method} ${request.target.split("?")[0]?.split("/")[1]}`);
        return service.send(request);
      },
    };
    await verify({ model, service: recording, given, handlers, seed: 7, ...bounds, requestsMax: 60 });
    await service.close();
  }
  assert.deepEqual(sent[0], sent[1]);
});
