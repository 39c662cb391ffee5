/** Rules as sent: the rules of a field that apply to a text as it is sent. */
import { type FieldRule, hasRule } from "../../fields/rule.ts";
import { rulesOfForm } from "../../fields/rules/index.ts";

/**
 * A text that is transformed before its rules are checked (`trimmed`, `lower case`) isn't checked
 * as it is sent. A pattern may match only the result, and the input of `trimmed` may be longer.
 */
export function rulesCheckedAsSent(rules: readonly FieldRule[]): readonly FieldRule[] {
  const isTrimmed = hasRule(rules, "trimmed");
  const isChanged = rulesOfForm(rules).length > 0;
  return rules
    .filter((rule) => !(isChanged && rule.rule === "pattern"))
    .map((rule) => {
      if (rule.rule !== "length" || !isTrimmed || rule.max === undefined) return rule;
      const { max: _longer, ...least } = rule;
      return least;
    });
}
