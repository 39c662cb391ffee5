/** Values from a story: the records and texts that inputs of its requests can name. */
import type { RecordValue } from "../expressions/value.ts";
import type { Resource } from "../model/model.ts";
import type { Draw } from "./draw.ts";
import type { StoryContext } from "./story-context.ts";
import type { ValueSource } from "./values.ts";

/** How often a reference is drawn from the records of one kind, in percent. */
const kindPercent = 50;

export function valueSource(context: StoryContext): ValueSource {
  const { model, draw, literals } = context;
  return {
    model,
    draw,
    literals,
    shownText: (key) => draw.oneOf(context.shownTexts.get(key) ?? []),
    reference(name) {
      const resource = model.resources.find((candidate) => candidate.name === name);
      if (!resource) return undefined;
      const { identifier } = resource;
      if ("field" in identifier) {
        const all = context.nameable(name, identifier.field);
        const drawn = draw.oneOf(draw.happens(kindPercent) ? ofOneKind(resource, all, draw) : all);
        return context.templateOf(drawn?.[identifier.field]);
      }
      if (identifier.kind !== "joint") return undefined;
      const record = draw.oneOf(context.records.get(name) ?? []);
      const parts = identifier.fields.map((field) => [field, context.templateOf(record?.[field])] as const);
      return parts.some(([, part]) => part === undefined)
        ? undefined
        : Object.fromEntries(parts.map(([field, part]) => [field, part ?? null]));
    },
  };
}

/** The records in one randomly chosen state with equal choices and flags, because few are rare. */
export function ofOneKind(
  { fields }: Resource,
  records: readonly RecordValue[],
  draw: Draw,
): readonly RecordValue[] {
  const choices = fields.filter(({ type: { kind } }) => ["state", "enum", "boolean"].includes(kind));
  const kindOf = (record: RecordValue) => choices.map(({ name }) => String(record[name])).join(" ");
  return draw.oneOf([...Map.groupBy(records, kindOf).values()]) ?? records;
}
