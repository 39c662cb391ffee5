/**
 * Passwords of a seed: hashing them is slow, and every data space starts with them, so each is
 * hashed once.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { compile } from "../../src/compile.ts";
import { silentLog, systemClock } from "../../src/engine/ports.ts";
import { Spaces } from "../../src/engine/sandbox/spaces.ts";
import type { Space } from "../../src/engine/sandbox/space.ts";
import { createRandomPool } from "../../src/support/random-pool.ts";
import { pathOf } from "../repository/repository.ts";

test("a password that one data space has hashed isn't hashed again for the next, and is valid in both", async (t) => {
  const file = "examples/conduit.md";
  const { model } = compile(readFileSync(pathOf(file), "utf8"), { file });
  assert.ok(model);
  const spaces = await Spaces.open({
    model,
    seed: [],
    spaceHeader: "Ninefold-Space",
    spacesMax: 3,
    storePath: () => null,
    service: { origin: () => "http://127.0.0.1", secret: () => "a secret of this test alone, long enough" },
    ports: { clock: systemClock, log: silentLog, randomBytes: createRandomPool() },
  });
  t.after(() => spaces.close());
  const give = async (space: Space, name: string, password: string) => {
    const line = `- Given: \`User with username = "${name}", email = "${name}@test.example", password = "${password}"\``;
    const [made] = await space.createGiven(space.readGiven("seed", line).steps);
    return String(made?.record["password"]);
  };
  const [first, second] = [await spaces.named("one"), await spaces.named("other")];
  const ada = await give(first, "ada", "a password of hers");
  const grace = await give(first, "grace", "another password");
  assert.match(ada, /^\$argon2id\$/);
  assert.notEqual(ada, grace);
  assert.equal(await give(second, "ada", "a password of hers"), ada);
  for (const { service } of [first, second]) {
    const { secrets } = service.internals;
    assert.deepEqual(
      [secrets.verifyPassword(ada, "a password of hers"), secrets.verifyPassword(ada, "another password")],
      [true, false],
    );
  }
});
