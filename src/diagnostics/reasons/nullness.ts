/** Why the diagnostics about nulls that decide silently are reported. */
import type { nullnessCodes } from "../codes/nullness.ts";
import type { ReasonsOf } from "./shared.ts";

export const nullnessReasons: ReasonsOf<typeof nullnessCodes> = {
  "expressions/unknown-operand":
    "A value of unknown type can be anything that a client sends. If its type is wrong, the result is null without an error, and a condition decides by it.",
  "expressions/null-passes":
    "A comparison with null is false, so what the rule should reject is accepted and stored without an error.",
  "expressions/null-permits":
    "Two values are unequal if one of them is null, so callers see or change records that the condition should exclude.",
  "expressions/null-breaks-always":
    "A comparison with null is false, so clients that leave the value out receive status 500.",
  "expressions/null-overwrites":
    "Arithmetic with null is null, so the stored value is lost without an error.",
  "expressions/null-required":
    "A required field can't be stored as null, so the request fails with status 500, or the timer fails at each attempt.",
};
