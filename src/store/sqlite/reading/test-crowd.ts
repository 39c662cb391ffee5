/** A store with many users, for tests of slow statements. */
import assert from "node:assert/strict";
import type { TestContext } from "node:test";
import { compile } from "../../../compile.ts";
import type { Value } from "../../../expressions/value.ts";
import type { Query, Store, Transaction } from "../../store.ts";
import { frameOfChange } from "../../migrations/run/ports.ts";
import { openTestStore } from "../../test-files.ts";

/**
 * With 120 users, `Triples` reads 1.7 million rows, far more than run at once, and `Fives` 25
 * billion.
 */
export const crowdText = `# Interface Specification: Crowd

## Resources and their fields

### User

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules | Meaning |
|---|---|---|---|
| name | string | required | |

### Leaf

- Identifier: id, made by \`sequence()\`

| Field | Type | Rules | Meaning |
|---|---|---|---|
| text | string | required | |

## Endpoints

### Shape: Others

\`\`\`cel
User.count(a, User.exists(b, User.exists(c, User.exists(d, size(a.name + b.name + c.name + d.name) > 2000))))
\`\`\`

### Shape: Named

\`\`\`cel
User.count(a, size(a.name) > 3)
\`\`\`

### Shape: Triples

\`\`\`cel
User.count(a, !User.exists(b, User.exists(c, size(a.name + b.name + c.name) > 1000)))
\`\`\`

### Shape: Fives

\`\`\`cel
User.count(a, User.exists(b, User.exists(c, User.exists(d, size(a.name + b.name + c.name + d.name) > 1000))))
\`\`\`

### Shape: Pairs

\`\`\`cel
User.count(a, User.exists(b, size(a.name + b.name) > 1000))
\`\`\`
`;
const { model } = compile(crowdText, { file: "crowd.md" });
assert.ok(model);
export const userCount = 120;
/** More time than any machine needs, in milliseconds. */
export const longTimeMs = 120_000;
export const frame = frameOfChange("2026-11-20T10:00:00.000Z");

export interface Crowd {
  readonly store: Store;
  readonly others: Query<Value>;
  readonly named: Query<Value>;
  readonly triples: Query<Value>;
  readonly fives: Query<Value>;
  readonly pairs: Query<Value>;
  readonly all: Query<number>;
}

export async function openCrowd(
  t: TestContext,
  path: string,
  statementMs = longTimeMs,
  options: { readonly logBytesMax?: number } = {},
): Promise<Crowd> {
  assert.ok(model);
  const store = await openTestStore(t, model, path, { statementMs, ...options });
  await store.write(async (transaction) => {
    for (let number = 1; number <= userCount; number += 1) await addUser(transaction, number);
  });
  const { shapes } = model;
  const statement = (name: string): Query<Value> => {
    const shape = shapes.find((candidate) => candidate.name === name);
    assert.ok(shape);
    return store.prepareValue(shape.body.node);
  };
  return {
    store,
    others: statement("Others"),
    named: statement("Named"),
    triples: statement("Triples"),
    fives: statement("Fives"),
    pairs: statement("Pairs"),
    all: store.prepareCount({ resource: "User", where: [] }),
  };
}

export function addUser(transaction: Transaction, number: number) {
  return transaction.insert("User", { id: number, name: `User ${number}` });
}
