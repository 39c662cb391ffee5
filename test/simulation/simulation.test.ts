/**
 * A bounded number of whole services at random (`npm run simulate` runs as many as there is time for), the stories of bugs that were found
 * so, and that a story is the same each time.
 */
import { beginPlatform } from "./platform.ts";
import assert from "node:assert/strict";
import { after, describe, test } from "node:test";
import { seed as fixedSeed, times } from "../fixed-seed.ts";
import { documents } from "./documents.ts";
import { play } from "./play.ts";
import { drawStory } from "./story.ts";
import { sqliteAlone } from "../sqlite-alone.ts";

after(() => beginPlatform(1));

/** Shorter than those of `npm run simulate`, so that each document has one. */
const steps = 14;

const snapshots = sqliteAlone("a death and what was before it are snapshots, and PostgreSQL gives none");

describe("whole services at random", snapshots, () => {
  for (let round = 0; round < times(1); round += 1)
    for (const [at, file] of documents.entries())
      test(`${file}, round ${round + 1}`, async () => {
        await play(drawStory(file, fixedSeed + round * 1000 + at, steps));
      });
});

/** Seeds by which bugs were found, each with what was wrong. */
const found = [
  [
    6,
    "test/deliveries/states.md",
    "an attempt under way brought back what a 410 had given up, and its receiver",
  ],
  [1013, "test/simulation/workshop.md", "killed behind a 410, before what was to come was given up"],
  [
    40207,
    "examples/twins/stripe.md",
    "a key was another request's that was refused in the end, and left none",
  ],
] as const;

describe("stories that have been bugs", snapshots, () => {
  for (const [seed, file, what] of found)
    test(`${what} (seed ${seed})`, async () => {
      await play(drawStory(file, seed, 40));
    });
});

test("the same seed tells the same story", snapshots, async () => {
  for (const file of ["test/simulation/workshop.md", "examples/conduit.md"]) {
    const story = drawStory(file, 5, 25);
    const [one, other] = [await play(story), await play(story)];
    assert.deepEqual(one, other);
  }
});
