import assert from "node:assert/strict";
import { argon2Sync, randomBytes } from "node:crypto";
import { availableParallelism } from "node:os";
import { test } from "node:test";
import type { ExpressionPorts } from "../expressions/value.ts";
import { Problem } from "./problem.ts";
import { createSecrets, isWeaklyHashed } from "./secrets.ts";
import { withSlowSecrets } from "./slow-secrets.ts";

const secrets = createSecrets(randomBytes(32));

test("a password is compared with what was stored, at once and aside", async () => {
  const stored = secrets.hashPassword("correct horse");
  assert.match(stored, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  assert.notEqual(secrets.hashPassword("correct horse"), stored);
  for (const [text, good] of [
    ["correct horse", true],
    ["correct hors", false],
    ["", false],
  ] as const) {
    assert.equal(secrets.verifyPassword(stored, text), good);
    assert.equal(await secrets.verifyPasswordAside(stored, text), good);
  }
  assert.equal(await secrets.verifyPasswordAside(await secrets.hashPasswordAside("x"), "x"), true);
  assert.equal(await secrets.verifyPasswordAside("no hash", ""), false);
});

test("a password hashed with less work than now is weak", () => {
  const nonce = randomBytes(16);
  const hash = argon2Sync("argon2id", {
    message: "x",
    nonce,
    memory: 8192,
    passes: 1,
    parallelism: 1,
    tagLength: 32,
  });
  const text = (bytes: Uint8Array) => Buffer.from(bytes).toString("base64").replace(/=+$/, "");
  const weak = `$argon2id$v=19$m=8192,t=1,p=1$${text(nonce)}$${text(hash)}`;
  assert.equal(secrets.verifyPassword(weak, "x"), true);
  assert.deepEqual(
    [isWeaklyHashed(weak), isWeaklyHashed(secrets.hashPassword("x")), isWeaklyHashed("")],
    [true, false, false],
  );
});

test("more slow works at once than the cores can bear are refused as unavailable", async () => {
  const most = 2 * availableParallelism();
  const works = Array.from({ length: most + 3 }, () => secrets.hashPasswordAside("x"));
  const ends = await Promise.allSettled(works);
  const refused = ends.filter((end) => end.status === "rejected").map((end) => end.reason as unknown);
  assert.equal(refused.length, 3);
  for (const reason of refused)
    assert.equal(reason instanceof Problem && reason.blames[0].condition, "unavailable");
  await secrets.hashPasswordAside("x");
});

test("work that needs a hash is given up, and done again when the hash is there", async () => {
  const ports = {
    hashPassword: (text: string) => `at once ${text}`,
    verifyPassword: () => assert.fail("on the main thread"),
  } as unknown as ExpressionPorts;
  const stored = secrets.hashPassword("old");
  let runs = 0;
  const result = await withSlowSecrets(
    secrets,
    ports,
    (text) => text === "new",
    async (knowing) => {
      runs += 1;
      const made = knowing.hashPassword("made by the service");
      return [knowing.verifyPassword(stored, "old"), knowing.hashPassword("new"), made] as const;
    },
  );
  assert.equal(runs, 3);
  assert.deepEqual([result[0], result[2]], [true, "at once made by the service"]);
  assert.equal(secrets.verifyPassword(result[1], "new"), true);
});
