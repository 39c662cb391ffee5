/**
 * Scopes of idempotency keys: a key that belongs to a record is stored under `row User 1`
 * (`engine/steps/replay.ts`). The scopes follow the names of resources, and so do the rates that
 * instances share.
 */
import { compile } from "../../../compile.ts";
import { callerTypeAt, hasSeveralCallers } from "../../../model/authentication/caller-type.ts";
import { signsIn } from "../../../model/endpoints/does.ts";
import type { Model } from "../../../model/model.ts";
import { textMeta } from "../../document-text.ts";
import type { Steps } from "../../rows/steps.ts";
import type { MigrationDialect } from "./migration-dialect.ts";
import { firstOf, run } from "./steps.ts";

/** The scopes of a resource's records, as a range: a space, a number, and no other character. */
const rangeOf = (resource: string): readonly string[] => [`row ${resource} `, `row ${resource}!`];
const isInRange = "scope >= ? AND scope < ?";

/** Deletes the scopes that have the name already. */
export function* renameScopes(from: string, to: string, words: MigrationDialect): Steps<void> {
  yield* forgetScopes(to, words);
  const [prefix = ""] = rangeOf(from);
  yield* run(
    `UPDATE ninefold_idempotency SET scope = ? || substr(scope, ${prefix.length + 1}) WHERE ${isInRange}`,
    [`row ${to} `, ...rangeOf(from)],
  );
  for (const text of words.renameRates(from, to)) yield* run(text);
}

export function* forgetScopes(resource: string, words: MigrationDialect): Steps<void> {
  yield* run(`DELETE FROM ninefold_idempotency WHERE ${isInRange}`, rangeOf(resource));
  for (const text of words.forgetRates(resource)) yield* run(text);
}

// ── Scopes of earlier releases ──────────────────────────────────────────────────────────────────────────

/** The name of the metadata that says that the store's scopes have names. */
const namedMeta = "named scopes";

/** The scopes of earlier releases, which omitted the resource where it was the only one: `row 1`. */
const unnamed = "ninefold_idempotency WHERE scope >= 'row 0' AND scope < 'row :'";
const otherColumns = "key, method, path, body_hash, status, headers, body, until";

/**
 * Copies the responses under scopes without a resource to scopes with one. It must run once, before
 * the document is stored: later, such a scope may belong to a caller of another resource. Instances
 * of an earlier release still find the originals, which no other instance reads.
 */
export function* nameScopes(model: Model): Steps<void> {
  if ((yield* metaOf(namedMeta)) !== undefined) return;
  const text = yield* metaOf(textMeta);
  const hasUnnamed = (yield* firstOf(`SELECT 1 FROM ${unnamed} LIMIT 1`)) !== undefined;
  if (text !== undefined && hasUnnamed) yield* copyUnnamed(text, model);
  yield* run("INSERT INTO ninefold_meta (name, value) VALUES (?, 'yes')", [namedMeta]);
}

function* metaOf(name: string): Steps<string | undefined> {
  const select = "SELECT value FROM ninefold_meta WHERE name = ?";
  return (yield* firstOf<readonly [value: string]>(select, [name]))?.[0];
}

function* copyUnnamed(text: string, model: Model): Steps<void> {
  const served = text === model.text ? model : compile(text, { file: "stored.md" }).model;
  const owner = served && onlyOwner(served);
  if (owner === undefined) return;
  yield* run(
    `INSERT INTO ninefold_idempotency (scope, ${otherColumns})
      SELECT ? || substr(scope, 5), ${otherColumns} FROM ${unnamed} ON CONFLICT DO NOTHING`,
    [`row ${owner} `],
  );
}

/** The resource of all scopes that omit it; undefined if there may be several. */
function onlyOwner(model: Model): string | undefined {
  const hasSeveral = hasSeveralCallers(model);
  const owners = model.endpoints.flatMap((endpoint) => {
    const { idempotency, resource, does } = endpoint;
    // Callers of several resources were always named.
    if (!idempotency || (hasSeveral && !idempotency.per)) return [];
    const type = idempotency.per?.node.type ?? callerTypeAt(model, endpoint);
    const signedIn = does.some(signsIn) ? [resource] : [];
    if (type.kind === "any") return [undefined, ...signedIn];
    return type.kind === "record" ? [type.resource, ...signedIn] : signedIn;
  });
  return new Set(owners).size === 1 ? owners[0] : undefined;
}
