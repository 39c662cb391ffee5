/** `internal`: neither sent nor returned; only expressions read it. */
import type { Mark, RuleWords } from "./field-rule-notation.ts";

export const internal: RuleWords<Mark<"internal">> = {
  rule: "internal",
  forStored: "nothing",
  otherWords: { private: "`internal`", hidden: "`internal`" },
  places: ["field", "value", "part"],
  isAbout: "record",
  isServiceSet: true,
  isHidden: true,
  sentence: () => "Internal: never sent or returned.",
};
