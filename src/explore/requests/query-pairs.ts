/** Query parameters of an input: lists are repeated or joined, and objects have brackets. */
import type { Input } from "../../model/model.ts";
import { nameOnWire } from "../../model/versions/versioned-inputs.ts";
import { Slot, type Template } from "../stories/story.ts";

type Pair = readonly [name: string, value: Template];

export function queryPairs(input: Input, value: Template): readonly Pair[] {
  const name = nameOnWire(input).join(".");
  return input.asJson ? [[name, value]] : pairsOf(name, separated(input, value));
}

/** A list with a separator as one text. */
export function separated({ separator }: Input, value: Template): Template {
  if (separator === undefined || !isListTemplate(value)) return value;
  const parts = value.flatMap((part, at) => (at === 0 ? [part] : [separator, part]));
  return new Slot({ kind: "joined", parts });
}

function pairsOf(name: string, value: Template): readonly Pair[] {
  if (typeof value !== "object" || value === null || value instanceof Slot) return [[name, value]];
  if (isListTemplate(value))
    return value.flatMap((part) => pairsOf(name.endsWith("]") ? name : `${name}[]`, part));
  return Object.entries(value).flatMap(([key, part]) => pairsOf(`${name}[${key}]`, part));
}

function isListTemplate(template: Template): template is readonly Template[] {
  return Array.isArray(template);
}
