/** Values of path parameters that name no record by an identifier or by a `Where`. */
import type { Endpoint } from "../../model/model.ts";
import { boundValue, comparedParameters } from "./path-bindings.ts";
import type { StoryContext } from "../stories/story-context.ts";
import type { Template } from "../stories/story.ts";

/** How often a value with which a rule compares the parameter is preferred, in percent. */
const comparedPercent = 60;

/** A value of a record that the parameter may name. Undefined if no record has one. */
export function parameterValue(
  endpoint: Endpoint,
  parameter: string,
  context: StoryContext,
): Template | undefined {
  return comparedValue(endpoint, parameter, context) ?? anyFieldNamed(context, parameter);
}

/** Mostly a value with which a rule of the endpoint compares the parameter, if a record has one. */
function comparedValue(endpoint: Endpoint, parameter: string, context: StoryContext): Template | undefined {
  const { model, draw, records } = context;
  const compared = comparedParameters(endpoint).get(parameter);
  if (!compared || !draw.happens(comparedPercent)) return undefined;
  const binding = draw.oneOf(compared);
  const record = binding && draw.oneOf(records.get(binding.resource) ?? []);
  return record && context.templateOf(boundValue(model, records, binding, record));
}

/**
 * A value from a field with this name, of any resource. A `Where` may compare a parameter with a
 * field of its name.
 */
function anyFieldNamed(context: StoryContext, name: string): Template | undefined {
  for (const { name: resource } of context.model.resources) {
    const value = context.templateOf(context.draw.oneOf(context.nameable(resource, name))?.[name]);
    if (value !== undefined) return value;
  }
  return undefined;
}
