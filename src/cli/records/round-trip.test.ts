/** Round trip of records: export and import of every example, in both forms. */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { compile } from "../../compile.ts";
import type { GivenStep } from "../../engine/given.ts";
import { RequestJournal } from "../../engine/observability/request-journal.ts";
import { storedResources } from "../../engine/admin/operator-record.ts";
import { silentLog, systemClock } from "../../engine/ports.ts";
import { meaningOf } from "../../model/meaning.ts";
import type { Model } from "../../model/model.ts";
import { createApi } from "../../admin/api/api.ts";
import { openStore } from "../../store/index.ts";
import { tablesOf } from "../../store/tables.ts";
import { openService } from "../open-service.ts";
import { runVerb as run } from "../testing/run-verb.ts";
import { type RecordsClient, clientOfApi } from "./records-client.ts";
import { ownFolder } from "../../../test/own-folder.ts";
import { adminOfService } from "../../admin/create-context.ts";

const folder = ownFolder("round-trip");

const root = join(import.meta.dirname, "../../..");

const documents = [
  "examples/parcel-desk.md",
  "examples/seat-booking.md",
  ...["types", "references", "resources", "rules"].map((text) => `test/coverage/${text}.md`),
];

let files = 0;

for (const document of documents)
  test(`records of the scenarios of ${document} are the same after export and import in both formats`, async () => {
    const { model } = compile(readFileSync(join(root, document), "utf8"), { file: document });
    assert.ok(model);
    const from = await openHere(model);
    for (const { steps } of model.scenarios) {
      const given = steps.filter((step): step is GivenStep => step.kind === "given");
      // A scenario's records may conflict with another scenario's: those are left out.
      await from.give(given).catch(() => undefined);
    }
    const resources = inOrderOfReference(model);
    const before = await all(from.client, resources);
    assert.notEqual(before, "");
    for (const ending of ["jsonl", "csv"]) {
      const to = await openHere(model);
      for (const resource of resources) {
        const file = join(folder, `${++files}.${ending}`);
        const nothing = ending === "csv" ? { null: "NULL" } : {};
        await run(from.client, "export", [resource], { out: file, ...nothing });
        await run(to.client, "import", [resource, file], { mode: "upsert", "no-events": true, ...nothing });
      }
      assert.equal(await all(to.client, resources), before);
      await to.close();
    }
    await from.close();
  });

/** Everything that an export has, for each resource. */
async function all(client: RecordsClient, resources: readonly string[]): Promise<string> {
  let text = "";
  for (const resource of resources) text += (await run(client, "export", [resource])).out;
  return text;
}

function inOrderOfReference(model: Model): readonly string[] {
  const { references } = tablesOf(model);
  const ordered = new Set<string>();
  const visit = (name: string, from: readonly string[]): void => {
    for (const { resource, to } of references)
      if (resource === name && to !== name && !from.includes(to)) visit(to, [...from, name]);
    ordered.add(name);
  };
  const names = storedResources(model.resources).map(({ name }) => name);
  for (const name of names) visit(name, []);
  return [...ordered].filter((name) => names.includes(name));
}

async function openHere(model: Model) {
  const store = await openStore(model, meaningOf(model), { path: ":memory:" });
  const origin = () => "http://localhost";
  const service = await openService(model, store, { clock: systemClock, log: silentLog }, { origin });
  const operated = adminOfService(service, new RequestJournal(model), {
    document: { file: "", text: "", diagnostics: [] },
    seed: [],
    origin,
    log: silentLog,
    ninefold: "",
  });
  const close = async () => {
    await service.close();
    await store.close();
  };
  const client = clientOfApi(createApi(operated), ":memory:", close);
  return {
    client,
    close,
    give: async (steps: readonly GivenStep[]) => (await operated.space()).createGiven(steps),
  };
}
