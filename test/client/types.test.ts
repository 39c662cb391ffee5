/**
 * Clients as the compiler sees them: every example's and twin's is strict, and accepts what the service accepts and
 * nothing else.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { globSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import type { Model } from "../../src/model/model.ts";
import { callCode } from "../../src/outputs/client/call-code.ts";
import { planClient } from "../../src/outputs/client/client-plan.ts";
import type { Generated } from "../../src/outputs/output.ts";
import { wireOf } from "../../src/outputs/wire/build-wire.ts";
import { shownDocuments } from "../exports/documents.ts";
import { pathOf } from "../repository/repository.ts";
import { clientOf, writePackage } from "./package.ts";

const refusedBelow = "// @ts-" + "expect-error";

const use = `import { ApiError, connect, createParcel, DeadEnd, getParcel, listParcels, streamEvents, type Types, untilParcel, updateParcel, verifyWebhook, WrongStateError } from "./parcel-desk/index.js";

const client = connect({ url: new URL("https://desk.test"), credentials: { secretKey: async () => "sk" } });
const body = { recipient: "Ada", address: { line: "1 Harbour St", city: "Oslo", country: "NO" }, weight_grams: 1 };
const made = await createParcel(client, body, { idempotencyKey: "k", signal: AbortSignal.timeout(1), timeoutMs: 5 });
const state: "registered" | "in_transit" | "delivered" | "returned" = made.status;
const page: { data: Types.Parcel[] } = await listParcels(client, { status: "delivered", limit: 5 });
for await (const parcel of listParcels(client)) { const price: number = parcel.price; void price; }
for await (const one of listParcels(client).pages()) { const next: string | null = one.next; void next; }
for await (const event of streamEvents(client, { lastEventId: "7" })) {
  if (event.event === "parcel.delivered") { const price: number = event.data.data.price; void price; }
  if (event.event === "reset") { const why: "unknown" | "expired" = event.data.reason; void why; }
}
const delivered: Types.Parcel = await untilParcel(client, made.id, ["delivered", "returned"], { everyMs: 5 });
await updateParcel(client, "pcl", { reference: "r" }, { headers: { "If-Match": '"1"' } });
const event: Types.ParcelEvent = await verifyWebhook(new Headers(), "{}", ["whsec_YQ=="], { toleranceSeconds: 5 });
try { await getParcel(client, "pcl"); } catch (error) {
  if (error instanceof WrongStateError) { const status: 409 = error.status; const words: string = error.body.error.message; void [status, words]; }
  else if (error instanceof DeadEnd) { const last: unknown = error.record; void last; }
  else if (error instanceof ApiError) { const wait: number | undefined = error.retryAfter; void wait; }
}
void [state, page, delivered, event];

${refusedBelow} an address is required
await createParcel(client, { recipient: "Ada", weight_grams: 1 });
${refusedBelow} the price is worked out, and never sent
await createParcel(client, { ...body, price: 1 });
${refusedBelow} a parcel has an identifier
await getParcel(client);
${refusedBelow} there is no such state
await untilParcel(client, "pcl", "lost");
${refusedBelow} a parcel has no such filter
await listParcels(client, { colour: "red" });
${refusedBelow} there is no such scheme
connect({ url: "https://desk.test", credentials: { password: "p" } });
${refusedBelow} a header of its own is a text
await updateParcel(client, "pcl", {}, { headers: { "If-Match": 1 } });
`;

/** The compiler's diagnostics of a folder, without a build, as a browser's program and as Node's. */
function complaints(folder: string, files: readonly string[]): string {
  const tsc = pathOf("node_modules/typescript/bin/tsc");
  const options =
    "--noEmit --ignoreConfig --strict --exactOptionalPropertyTypes --target es2022 --module nodenext --lib es2022,dom,dom.iterable,dom.asynciterable";
  return spawnSync(process.execPath, [tsc, ...options.split(" "), ...files], {
    cwd: folder,
  }).stdout.toString();
}

/** The examples of a client's README as one program, next to the package. */
function readmeCode({ files }: Generated, name: string): string {
  const text = files.find(({ path }) => path === "README.md")?.text ?? "";
  const code = [...text.matchAll(/^```ts\n([\s\S]*?)^```$/gm)].map((block) => block[1]).join("\n");
  return programOf(code, name);
}

function programOf(code: string, name: string): string {
  return `${code.replace(/ from "[^"]+";/, ` from "./${name}/index.js";`)}\nexport {};\n`;
}

/** The calls that the documentation site shows, one for each endpoint. */
function documentedCalls(model: Model): readonly string[] {
  const wire = wireOf(model);
  const functions = planClient(wire).modules.flatMap((module) => module.functions);
  return functions.map((clientFunction) => callCode(wire, clientFunction));
}

test("tsc --strict accepts every client and its valid uses, and rejects invalid ones", async () => {
  const folder = mkdtempSync(join(tmpdir(), "ninefold-clients-"));
  try {
    for (const { name, model } of shownDocuments) {
      const generated = await clientOf(model);
      writePackage(generated, join(folder, name));
      assert.deepEqual(await clientOf(model), generated, "the same document gives the same bytes");
      writeFileSync(join(folder, `${name}.readme.mts`), readmeCode(generated, name));
      for (const [at, code] of documentedCalls(model).entries())
        writeFileSync(join(folder, `${name}.docs${at}.mts`), programOf(code, name));
    }
    writeFileSync(join(folder, "use.mts"), use);
    const all = shownDocuments.map(({ name }) => `${name}/index.d.ts`);
    assert.equal(
      complaints(folder, ["use.mts", ...all, ...globSync("*.{readme,docs*}.mts", { cwd: folder })]),
      "",
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
});
