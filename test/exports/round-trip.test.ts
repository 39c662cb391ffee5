/**
 * Round trip of a real description: what remains after an import and an export. The file comes from
 * a published package: Rebilly's API, 238 paths, with which Redocly benchmarks its own programs.
 */
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";
import { pathOf } from "../repository/repository.ts";
import { roundTrip } from "./round-trip.ts";

const rebilly = "node_modules/@redocly/openapi-core/src/benchmark/benches/rebilly.yaml";

/** Kinds with less than 98 % remaining, each with the reason. */
const lesser: Readonly<Record<string, { readonly least: number; readonly because: string }>> = {
  "body: default": {
    least: 0.7,
    because: "defaults of objects, and of inputs that set a field whose rules aren't shown, are gaps",
  },
};

test("an import and an export keep at least 98 % of the statements of a real description", () => {
  const { kinds, original } = roundTrip("rebilly.yaml", readFileSync(pathOf(rebilly), "utf8"));
  assert.ok(original.sayable.size > 20_000, `${original.sayable.size} statements`);
  for (const [kind, { all, lost }] of kinds) {
    const least = lesser[kind]?.least ?? 0.98;
    assert.ok(
      1 - lost.length / all >= least,
      `${kind}: lost ${lost.length} of ${all}: ${lost.slice(0, 5).join("; ")}`,
    );
  }
});
