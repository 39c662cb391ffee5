/**
 * Identifiers as text, as operators type them and addresses contain them. Slashes separate several
 * identifying fields.
 */
import { nonNull } from "../../support/non-null.ts";
import { jointlyIdentified, keyFormsIn } from "../../expressions/evaluate.ts";
import { keyText } from "../../expressions/key.ts";
import type { Value } from "../../expressions/value.ts";
import { readRfc3339 } from "../../fields/types/timestamp.ts";
import type { Field } from "../../model/model.ts";
import type { Json } from "../../support/json.ts";
import type { PlanContext } from "../records/plan-context.ts";
import { createTextReader } from "../evaluation/text-reader.ts";
import type { ResourcePlan } from "../records/resource-plan.ts";

/**
 * Returns the key of the record that a text identifies; undefined if the text can't identify a
 * record.
 */
export function readIdentifier(context: PlanContext, plan: ResourcePlan, text: string): Value | undefined {
  const isJoint = jointlyIdentified(plan.name, context.meaning.vocabulary) !== undefined;
  const texts = isJoint ? text.split("/") : [text];
  const key = keyOfTexts(context, plan, texts);
  return key === null || texts.length > 0 ? undefined : key;
}

/** Builds the key from the texts, one for each single value. Removes the texts that it has read. */
function keyOfTexts(context: PlanContext, plan: ResourcePlan, texts: string[]): Value {
  const parts = plan.identifier.map((name): Value => {
    const field = nonNull(plan.fields.get(name));
    if (field.type.kind === "reference")
      return keyOfTexts(context, context.resource(field.type.resource), texts);
    const text = texts.shift();
    return text === undefined ? null : (readSingle(context, field, text) ?? null);
  });
  if (parts.length === 1) return nonNull(parts[0]);
  return keyText(parts, keyFormsIn(plan.name, context.meaning.vocabulary));
}

/**
 * Operators see times in full precision, whatever the document's format is. This function accepts
 * that form, too.
 */
function readSingle(context: PlanContext, field: Field, text: string): Value | undefined {
  const moment = field.type.kind === "timestamp" ? readRfc3339(text) : undefined;
  return moment ?? createTextReader(context, field)(text);
}

/** Converts an identifier from its JSON form to one text; null if there is none. */
export function identifierText(shown: Json): string | null {
  if (shown === null) return null;
  return leavesOf(shown).map(String).join("/");
}

function leavesOf(shown: Json): readonly Json[] {
  return typeof shown === "object" && shown !== null ? Object.values(shown).flatMap(leavesOf) : [shown];
}
