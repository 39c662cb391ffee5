/** Values from a story: the records and texts that inputs of its requests can name. */
import type { RecordValue } from "../../expressions/value.ts";
import type { Resource } from "../../model/model.ts";
import type { Draw } from "../stories/draw.ts";
import type { Caller } from "../stories/callers.ts";
import { identityOf, seenBy } from "./record-keys.ts";
import type { StoryContext } from "../stories/story-context.ts";
import type { ValueSource } from "./values.ts";

/** How often a reference names a record that the caller can see, in percent. */
const seenPercent = 85;
/** How often a reference is drawn from the records of one kind, in percent. */
const kindPercent = 50;

/** @param caller prefers the records that it can see; any record if omitted */
export function valueSource(context: StoryContext, caller?: Caller): ValueSource {
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
      const all =
        "field" in identifier
          ? context.nameable(name, identifier.field)
          : (context.records.get(name) ?? []).filter((record) => identityOf(context, resource, record));
      const seen = caller && draw.happens(seenPercent) ? seenBy(context, caller, resource, all) : [];
      const candidates = seen.length > 0 ? seen : all;
      const drawn = draw.oneOf(
        draw.happens(kindPercent) ? ofOneKind(resource, candidates, draw) : candidates,
      );
      return identityOf(context, resource, drawn);
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
