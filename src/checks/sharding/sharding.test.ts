import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { compile } from "../../compile.ts";
import type { Model } from "../../model/model.ts";
import { type Sharding, shardingOf } from "./sharding.ts";

function modelOf(text: string, file = "test.md"): Model {
  const { model, diagnostics } = compile(text, { file });
  assert.deepEqual(
    diagnostics.filter(({ severity }) => severity === "error").map(({ message }) => message),
    [],
  );
  assert.ok(model);
  return model;
}

const example = (name: string) =>
  modelOf(readFileSync(join(import.meta.dirname, "../../../examples", name), "utf8"), name);

const crossing = ({ endpoints }: Sharding) =>
  endpoints.filter(({ crossings }) => crossings.length > 0).map(({ method, path }) => `${method} ${path}`);

test("a shop is the tenant of the parcel desk, and only couriers go past it", () => {
  const sharding = shardingOf(example("parcel-desk.md"));
  assert.equal(sharding.tenant, "Shop");
  assert.deepEqual(sharding.resources, [
    { name: "Shop", way: [] },
    // A courier's key has no shop.
    { name: "ApiKey", way: null },
    { name: "Parcel", way: ["shop"] },
    { name: "Hook", way: ["shop"] },
  ]);
  const parcels = sharding.endpoints.filter(({ crossings }) => crossings.length > 0);
  for (const { path, crossings } of parcels) {
    assert.match(path, /^\/parcels/);
    assert.deepEqual(
      crossings.map(({ text }) => text),
      ['this.shop == caller.shop || "courier" in caller.scopes'],
    );
  }
  assert.deepEqual(
    sharding.endpoints
      .filter((endpoint) => !parcels.includes(endpoint))
      .map(({ method, path }) => `${method} ${path}`),
    ["POST /parcels", "POST /hooks", "DELETE /hooks/{id}", "GET /events"],
  );
  assert.deepEqual(sharding.overAll, []);
});

test("without the couriers everything of the parcel desk stays, and what is unique or counted past shops is told", () => {
  const text = readFileSync(join(import.meta.dirname, "../../../examples/parcel-desk.md"), "utf8")
    .replace(
      '- Visible: `this.shop == caller.shop || "courier" in caller.scopes`',
      "- Visible: `this.shop == caller.shop`",
    )
    .replace(
      "- Unique: shop, reference\n",
      "- Unique: reference\n- Always: `Parcel.count(p, p.reference == this.reference) <= 1`\n",
    );
  const sharding = shardingOf(modelOf(text));
  assert.deepEqual(crossing(sharding), []);
  assert.deepEqual(
    sharding.overAll.map(({ what }) => what),
    ["Parcel: reference is unique among all tenants", "scans every Parcel of all tenants"],
  );
});

test("an account is the tenant of the payments twin: what it may hold without an account crosses", () => {
  const sharding = shardingOf(example("twins/stripe.md"));
  assert.equal(sharding.tenant, "Account");
  const found = crossing(sharding);
  assert.equal(found.length < sharding.endpoints.length / 3, true, found.join(", "));
  assert.equal(found.includes("GET /payment_methods/{payment_method}"), true);
  for (const stays of ["POST /customers", "GET /charges", "POST /refunds", "GET /events"])
    assert.equal(found.includes(stays), false, stays);
});

test("a document in which everybody sees everything has no tenant that helps, and says where", () => {
  const sharding = shardingOf(example("conduit.md"));
  const found = crossing(sharding);
  for (const crosses of ["GET /articles", "GET /articles/feed", "GET /tags"])
    assert.equal(found.includes(crosses), true, crosses);
  assert.equal(shardingOf(example("conduit.md"), "User").tenant, "User");
});

test("a document without references has no tenant", () => {
  assert.equal(
    shardingOf(example("unidentified-service.md")).endpoints.every(({ crossings }) => crossings.length > 0),
    true,
  );
});
