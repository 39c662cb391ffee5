/** Keys and hashes: unit tests. */
import assert from "node:assert/strict";
import { argon2Sync, randomBytes } from "node:crypto";
import { test } from "node:test";
import type { ExpressionPorts } from "../../expressions/value.ts";
import { SharedPasswordQueue } from "./password-queue.ts";
import { systemClock } from "../ports.ts";
import { createSecrets, isWeaklyHashed, lowestCost } from "./secrets.ts";
import { withHashedSecrets } from "./hashed-secrets.ts";

const secrets = createSecrets(randomBytes(32), new SharedPasswordQueue(systemClock), { randomBytes });
const client = { address: "192.0.2.1", account: "ada" };

test("a password is compared with the stored hash, synchronously and in a worker", async () => {
  const stored = secrets.hashPassword("correct horse");
  assert.match(stored, /^\$argon2id\$v=19\$m=19456,t=2,p=1\$/);
  assert.notEqual(secrets.hashPassword("correct horse"), stored);
  for (const [text, good] of [
    ["correct horse", true],
    ["correct hors", false],
    ["", false],
  ] as const) {
    assert.equal(secrets.verifyPassword(stored, text), good);
    assert.equal(await secrets.verifyPasswordInWorker(stored, text, client), good);
  }
  const made = await secrets.hashPasswordInWorker("x", client);
  assert.equal(await secrets.verifyPasswordInWorker(made, "x", client), true);
  assert.equal(await secrets.verifyPasswordInWorker("no hash", "", client), false);
});

test("a password hashed at a lower cost than the current one is weak", () => {
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

test("a service of a test hashes at the lowest cost, and doesn't hash again", async () => {
  const ofTest = createSecrets(randomBytes(32), new SharedPasswordQueue(systemClock), {
    randomBytes,
    passwordCost: lowestCost,
  });
  for (const stored of [ofTest.hashPassword("x"), await ofTest.hashPasswordInWorker("x", client)]) {
    assert.match(stored, /^\$argon2id\$v=19\$m=8,t=1,p=1\$/);
    assert.deepEqual([ofTest.verifyPassword(stored, "x"), ofTest.verifyPassword(stored, "y")], [true, false]);
    assert.deepEqual([isWeaklyHashed(stored, lowestCost), isWeaklyHashed(stored)], [false, true]);
  }
});

test("work that needs a hash is aborted, and repeated when the hash is available", async () => {
  const ports = {
    hashPassword: (text: string) => `at once ${text}`,
    verifyPassword: () => assert.fail("on the main thread"),
  } as unknown as ExpressionPorts;
  const stored = secrets.hashPassword("old");
  let runs = 0;
  const result = await withHashedSecrets(secrets, ports, {
    for: {},
    from: () => client,
    isSent: (text) => text === "new",
    isLast: () => false,
    async run(knowing) {
      runs += 1;
      const made = knowing.hashPassword("made by the service");
      return [knowing.verifyPassword(stored, "old"), knowing.hashPassword("new"), made] as const;
    },
  });
  assert.equal(runs, 3);
  assert.deepEqual([result[0], result[2]], [true, "at once made by the service"]);
  assert.equal(secrets.verifyPassword(result[1], "new"), true);
});

test("work that has called the author's code isn't repeated: later hashes are computed synchronously", async () => {
  const ports = {
    hashPassword: (text: string) => `at once ${text}`,
    functions: { clean: () => null },
  } as unknown as ExpressionPorts;
  const did: string[] = [];
  const result = await withHashedSecrets(secrets, ports, {
    for: {},
    from: () => client,
    isSent: () => true,
    isLast: () => did.includes("a handler"),
    async run(knowing) {
      const first = knowing.hashPassword("first");
      did.push("a handler");
      return [first, knowing.hashPassword("second")] as const;
    },
  });
  assert.deepEqual(did, ["a handler"]);
  assert.equal(secrets.verifyPassword(result[0], "first"), true);
  assert.equal(result[1], "at once second");
  let calls = 0;
  const functioned = await withHashedSecrets(secrets, ports, {
    for: {},
    from: () => client,
    isSent: () => true,
    isLast: () => false,
    async run(knowing) {
      calls += 1;
      knowing.functions?.["clean"]?.();
      return knowing.hashPassword("third");
    },
  });
  assert.deepEqual([calls, functioned], [1, "at once third"]);
});
