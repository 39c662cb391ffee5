/** Cases of filters: values that records have, each choice, and the bounds of ranges. */
import type { Endpoint, Input, Model } from "../../model/model.ts";
import { nameOnWire } from "../../model/versions/versioned-inputs.ts";
import type { Caller } from "../stories/callers.ts";
import type { Add, Case } from "./case.ts";
import { withInput } from "./draw-request.ts";
import { resourceNamed, seenBy, templateOfField } from "./record-keys.ts";
import type { StoryContext } from "../stories/story-context.ts";
import type { Template } from "../stories/story.ts";
import { dayMs, timeSlot, timestampForm } from "./values.ts";

/** The values of an input with few of them: each is a filter of its own. */
export function choicesOf({ type }: Input): ReadonlySet<string> {
  if (type.kind === "boolean") return new Set(["true", "false"]);
  if (type.kind === "enum") return new Set(type.values);
  return new Set(type.kind === "state" ? type.states : []);
}

/**
 * Cases of an input with a value that a record has: a filter that matches, a duplicate unique
 * value.
 */
export function fieldCases(endpoint: Endpoint, input: Input, add: Add): readonly Case[] {
  const { resource } = endpoint;
  const field =
    input.sets ?? (input.filter && "field" in input.filter ? input.filter.field : input.name.at(-1));
  if (resource === undefined || field === undefined) return [];
  return [
    add(
      input.filter ? "filters and orders" : "inputs",
      `${input.name.join(".")} as a record has it`,
      (base, context) => {
        const template = storedValue(resource, field, input, base.caller, context);
        return template === undefined ? undefined : [withInput(base, input, template)];
      },
    ),
  ];
}

/** The bounds of a range filter. */
const rangeBounds = ["gt", "gte", "lt", "lte"];

/**
 * A range filter with each bound: at a value that a record has, or in the past and the future. The
 * times of two services differ, so a bound at one of them may lie between two records of either.
 */
export function rangeCases(endpoint: Endpoint, input: Input, model: Model, add: Add): readonly Case[] {
  const { resource } = endpoint;
  const { filter, type } = input;
  if (filter?.kind !== "range" || resource === undefined) return [];
  const name = nameOnWire(input).join(".");
  const withBound = (
    bound: string,
    label: string,
    value: (context: StoryContext, caller: Caller) => Template | undefined,
  ) =>
    add("filters and orders", `${name}[${bound}] ${label}`, (base, context) => {
      const template = value(context, base.caller);
      if (template === undefined) return undefined;
      const without = withInput(base, input, undefined);
      return [{ ...without, query: [...without.query, [`${name}[${bound}]`, template]] }];
    });
  const isTime = type.kind === "timestamp" || type.kind === "date";
  const form = type.kind === "date" ? "date" : timestampForm(model);
  return rangeBounds.flatMap((bound) =>
    isTime
      ? [
          withBound(bound, "in the past", () => timeSlot(-400 * dayMs, form)),
          withBound(bound, "in the future", () => timeSlot(400 * dayMs, form)),
        ]
      : [
          withBound(bound, "as a record has it", (context, caller) =>
            storedValue(resource, filter.field, input, caller, context),
          ),
        ],
  );
}

/** A value of a record, which a request can name. */
function storedValue(
  resource: string,
  field: string,
  input: Input,
  caller: Caller,
  context: StoryContext,
): Template | undefined {
  const found = resourceNamed(context.model, resource);
  if (!found) return undefined;
  const all = context.records.get(resource) ?? [];
  const seen = seenBy(context, caller, found, all);
  const record = context.draw.oneOf(seen.length > 0 ? seen : all);
  if (!record) return undefined;
  const value = record[field];
  if (typeof value === "boolean" || typeof value === "number") return value;
  return templateOfField(context, found, field, record) ?? stateText(value, input);
}

/**
 * The text of a state or an enum value. A request can contain it although no response showed it.
 */
function stateText(value: unknown, { type }: Input): string | undefined {
  const isChoice = type.kind === "enum" || type.kind === "state";
  return isChoice && typeof value === "string" ? value : undefined;
}
