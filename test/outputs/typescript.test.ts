/**
 * `export typescript` of every example and twin, checked by the compiler and against the types that
 * openapi-typescript generates from the exported OpenAPI.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { basename, join } from "node:path";
import { test } from "node:test";
import { compile } from "../../src/compile.ts";
import type { Model } from "../../src/model/model.ts";
import { openapiOutput } from "../../src/outputs/openapi/openapi.ts";
import { declaration, typeOf } from "../../src/outputs/typescript/schema-type.ts";
import { typescriptOutput } from "../../src/outputs/typescript/typescript.ts";
import { typesOfOpenapi } from "../consumers/openapi-types.ts";
import { filesUnder, pathOf } from "../repository/repository.ts";

const documents = filesUnder("examples", ".md").filter((path) => !path.endsWith(".seed.md"));

async function typesOf(path: string): Promise<string> {
  const { model } = compile(readFileSync(pathOf(path), "utf8"), { file: path });
  return (await typescriptOutput.generate(model as Model, {})).files[0]?.text as string;
}

/** The compiler's errors, in a folder with these files. */
function complaints(files: Readonly<Record<string, string>>): string {
  const folder = mkdtempSync(join(tmpdir(), "ninefold-types-"));
  try {
    for (const [name, text] of Object.entries(files)) writeFileSync(join(folder, name), text);
    const tsc = pathOf("node_modules/typescript/bin/tsc");
    const options = [
      "--noEmit",
      "--ignoreConfig",
      "--strict",
      "--target",
      "es2022",
      "--module",
      "nodenext",
      "--allowImportingTsExtensions",
    ];
    const done = spawnSync(process.execPath, [tsc, ...options, ...Object.keys(files)], { cwd: folder });
    return done.stdout.toString();
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

test("the types of every example and twin are strict TypeScript, and the same each time", async () => {
  const files: Record<string, string> = {};
  for (const path of documents) {
    const text = await typesOf(path);
    assert.equal(await typesOf(path), text);
    files[`${basename(path, ".md")}.ts`] = text;
  }
  assert.equal(complaints(files), "");
});

test("the types accept exactly the requests and responses of the service", async () => {
  const types = await typesOf("examples/parcel-desk.md");
  const head = `import type { Events, Operations } from "./types.ts";
type Body = Operations["createParcel"]["body"];
export const body: Body = { recipient: "Ada", address: { line: "1 Harbour St", city: "Oslo", country: "NO" }, weight_grams: 1 };
`;
  const right = `export const price = (event: Events["parcel.delivered"]): number => event.data.price;
export const status = (parcel: Operations["createParcel"]["answers"][201]): "registered" | "in_transit" | "delivered" | "returned" => parcel.status;
`;
  assert.equal(complaints({ "types.ts": types, "use.ts": head + right }), "");
  const wrong = {
    "another type": "export const wrong: Body = { ...body, recipient: 1 };",
    "worked out, and never sent": "export const wrong: Body = { ...body, price: 1 };",
    "a required member is missing": 'export const wrong: Body = { recipient: "Ada", weight_grams: 1 };',
    "no such state": 'export const wrong: Operations["createParcel"]["answers"][201]["status"] = "lost";',
    "no such event": 'export type Wrong = Events["parcel.lost"];',
  };
  const names = Object.keys(wrong).map((_, at) => `wrong${at}.ts`);
  const files = Object.values(wrong).map((text, at) => [names[at], `${head}${text}\n`]);
  const reported = complaints({ "types.ts": types, ...Object.fromEntries(files) });
  for (const name of names) assert.match(reported, new RegExp(`^${name}\\(4,`, "m"));
});

test("the types equal those of openapi-typescript for the exported OpenAPI", async () => {
  const files: Record<string, string> = {};
  for (const path of documents) {
    const { model } = compile(readFileSync(pathOf(path), "utf8"), { file: path });
    const openapi = await openapiOutput.generate(model as Model, { format: "json", openapi: "3.1" });
    const name = basename(path, ".md");
    files[`${name}.ts`] = await typesOf(path);
    files[`${name}-theirs.ts`] = await typesOfOpenapi(openapi.files[0]?.text as string);
    const { components } = JSON.parse(openapi.files[0]?.text as string);
    const schemas = Object.keys(components.schemas).filter((schema) =>
      files[`${name}.ts`]?.includes(` ${schema} `),
    );
    files[`${name}-same.ts`] = [
      `import type * as ours from "./${name}.ts";`,
      `import type { components } from "./${name}-theirs.ts";`,
      "type Same<A, B> = [A] extends [B] ? ([B] extends [A] ? true : never) : never;",
      ...schemas.map(
        (schema) =>
          `export const a${schema}: Same<ours.${schema}, components["schemas"]["${schema}"]> = true;`,
      ),
    ].join("\n");
  }
  assert.equal(complaints(files), "");
});

test("a document of gaps has empty types, and lists its gaps", async () => {
  const text = await typesOf("examples/unidentified-service.md");
  assert.match(text, /Not shown in the document: /);
  assert.match(text, /export interface Operations \{\n\}/);
});

test("each form of a schema has the equivalent type", () => {
  const types: readonly (readonly [object, string])[] = [
    [{}, "unknown"],
    [{ const: "a" }, '"a"'],
    [{ type: "string", enum: ["a", "b"] }, '"a" | "b"'],
    [{ type: ["integer", "null"] }, "number | null"],
    [{ anyOf: [{ type: "string" }, { type: "null" }] }, "string | null"],
    [{ type: "array", items: { type: ["string", "null"] } }, "(string | null)[]"],
    [
      { type: "array", items: { type: "object", additionalProperties: { type: ["string", "null"] } } },
      "Record<string, string | null>[]",
    ],
    [{ type: "array", items: { const: "a | b" } }, '"a | b"[]'],
    [{ type: "array", prefixItems: [{ type: "string" }, { type: "number" }] }, "[string, number]"],
    [{ type: "array" }, "unknown[]"],
    [{ type: "object" }, "Record<string, unknown>"],
    [
      { type: "object", properties: { "a-b": { type: "string" }, c: {} }, required: ["c"] },
      '{\n  "a-b"?: string;\n  c: unknown;\n}',
    ],
    [
      { type: "object", properties: { a: { type: "string" } }, additionalProperties: true },
      "{\n  a?: string;\n} & Record<string, unknown>",
    ],
    [{ $ref: "#/components/schemas/Parcel" }, "Parcel"],
    [{ allOf: [{ $ref: "#/components/schemas/A" }, { type: ["string", "null"] }] }, "A & (string | null)"],
  ];
  for (const [schema, text] of types) assert.equal(typeOf(schema as never), text);
});

test("a text of the document can't end the comment around it", () => {
  const text = declaration("X", { type: "string", description: "*/ export const stolen = 1; /*" });
  assert.equal(complaints({ "x.ts": `${text}\nexport const stolen: X = "mine";\n` }), "");
});
