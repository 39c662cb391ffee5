/**
 * Round trip of a real description: what remains after an import and an export. The file comes from
 * a published package: Rebilly's API, 238 paths, with which Redocly benchmarks its own programs.
 */
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { test } from "node:test";
import { pathOf } from "../repository/repository.ts";
import { roundTrip } from "./round-trip.ts";

const rebilly = "node_modules/@redocly/openapi-core/src/benchmark/benches/rebilly.yaml";

const testData = process.env["NINEFOLD_TEST_DATA"] ?? join(import.meta.dirname, "../../../shared/test-data");
const slack = join(testData, "openapi/slack-web.swagger2.json");

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

const skip = existsSync(slack) ? false : `${slack} isn't there`;
test("an import and an export keep the statements of a description in Swagger 2.0", { skip }, () => {
  const { kinds, original } = roundTrip("slack-web.swagger2.json", readFileSync(slack, "utf8"));
  assert.ok(original.sayable.size > 3_500, `${original.sayable.size} statements`);
  for (const kind of ["query and header: types", "body: types", "answer: types"])
    assert.ok((kinds.get(kind)?.all ?? 0) > 100, `${kind}: ${kinds.get(kind)?.all}`);
  const lost = [...kinds.values()].flatMap((kind) => kind.lost);
  assert.deepEqual(
    lost.map((statement) => statement.split(":")[0]),
    [
      "GET /api/users.profile.get answer 200.profile.fields type",
      "POST /api/users.profile.set answer 200.profile.fields type",
    ],
  );
});
