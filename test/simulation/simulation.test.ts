/**
 * Simulation: a fixed number of random stories (`npm run simulate` plays more), the recorded
 * stories of found bugs, and a check that a seed always gives the same story.
 */
import { beginPlatform } from "./platform.ts";
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { seed as fixedSeed, times } from "../fixed-seed.ts";
import { documents } from "./documents.ts";
import { keptStories } from "./recorded-stories.ts";
import { noticedBy } from "./fault-detection.ts";
import { plantedFaults } from "./planted-faults.ts";
import { play } from "./play.ts";
import { drawStory } from "./story.ts";
import { sqliteAlone } from "../sqlite-alone.ts";

after(() => beginPlatform(1));

/** Shorter than the stories of `npm run simulate`, so that each document has one. */
const steps = 14;

const snapshots = sqliteAlone("a death and what was before it are snapshots, and PostgreSQL gives none");

describe("random services", snapshots, () => {
  for (let round = 0; round < times(1); round += 1)
    for (const [at, file] of documents.entries())
      test(`${file}, round ${round + 1}`, async () => {
        await play(drawStory(file, fixedSeed + round * 1000 + at, steps));
      });
});

describe("recorded stories of bugs pass", snapshots, () => {
  for (const { what, story } of keptStories)
    test(`${what} (seed ${story.seed})`, async () => {
      await play(story);
    });
});

describe("a recorded story still detects its fault", snapshots, () => {
  for (const { fault: name, story } of keptStories)
    if (name !== undefined)
      test(name, () => {
        const fault = plantedFaults.find((fault) => fault.name === name);
        assert.ok(fault);
        assert.match(noticedBy(fault, ["--story", JSON.stringify(story)]) ?? "", /^seed /);
      });
});

test("the same seed gives the same story", snapshots, async () => {
  for (const file of ["test/simulation/workshop.md", "examples/conduit.md"]) {
    const story = drawStory(file, 5, 25);
    const [receivedRequest, other] = [await play(story), await play(story)];
    assert.deepEqual(receivedRequest, other);
  }
});
