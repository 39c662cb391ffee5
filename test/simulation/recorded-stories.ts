/** Recorded stories: each one once found a bug, with a description of the bug. */
import { drawStory, type Story } from "./story.ts";

export interface KeptStory {
  readonly what: string;
  readonly story: Story;
  /** The planted fault that reproduces the bug, if there is one. */
  readonly fault?: string;
}

export const keptStories: readonly KeptStory[] = [
  {
    what: "an attempt under way brought back what a 410 had given up, and its receiver",
    story: drawStory("test/deliveries/states.md", 6, 40),
    fault: "an attempt under way brings back what was given up",
  },
  {
    what: "killed behind a 410, before what was to come was given up",
    story: {
      file: "test/deliveries/states.md",
      seed: 6,
      isKeptInFile: true,
      steps: [{ kind: "die", seed: 600, count: 4, ticks: 52 }],
    },
    fault: "what a killed process had still to give up is left",
  },
  {
    what: "a key was another request's that was refused in the end, and left none",
    story: drawStory("examples/twins/stripe.md", 40207, 40),
  },
];
