/**
 * Faults that no test can notice, or that none should, and why: they are counted by themselves. Each is found by the line on which it stands
 * and by what it makes of it, wherever that line goes.
 */

export interface Explained {
  readonly file: string;
  /** The source's line on which the fault begins, without what is around it. */
  readonly line: string;
  /** As the tool tells it. */
  readonly fault: string;
  readonly reason: string;
}

export const explained: readonly Explained[] = [
  {
    file: "src/engine/limits/rates.ts",
    line: "if (buckets.has(key)) buckets.set(key, { atMs: nowMs, aheadMs: before });",
    fault: "buckets.has(key)  →  true",
    reason:
      "A bucket that is not kept is full, and so is one that is kept with nothing taken: the same is told of both.",
  },
  {
    file: "src/engine/limits/rates.ts",
    line: "if (buckets.has(key)) buckets.set(key, { atMs: nowMs, aheadMs: left });",
    fault: "buckets.has(key)  →  true",
    reason:
      "A bucket that is not kept is full, and so is one that is kept with nothing taken: the same is told of both.",
  },
  {
    file: "src/engine/limits/rates.ts",
    line: "if (over > 1e-6) {",
    fault: "over > 1e-6  →  (over >= 1e-6)",
    reason:
      "The bound is for what numbers lose; nothing that is counted is beyond a bucket by exactly that much.",
  },
  {
    file: "src/engine/limits/shared-rates.ts",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a line of the source, as it stands there.
    line: 'const name = `${rate} ${count}/${periodMs}/${burst ?? "window"}`;',
    fault: 'burst ?? "window"  →  burst',
    reason: "Any word will do that is no number of a burst.",
  },
  {
    file: "src/engine/limits/shared-rates.ts",
    line: "return stateOf(bound, await rates.giveBack(asked(key, nowMs, cost), taken.since ?? 0), nowMs, 0);",
    fault: "taken.since ?? 0  →  taken.since",
    reason: "What a shared counter has taken always says since when; the zero is for the type alone.",
  },
  {
    file: "src/engine/versions/upgrade.ts",
    line: "if (steps.length === 0) return undefined;",
    fault: "steps.length === 0  →  false",
    reason: "To do nothing and to have nothing to do is the same.",
  },
  {
    file: "src/engine/versions/upgrade.ts",
    line: 'else if (touched.has(valueWithin(input.type) ?? ""))',
    fault: 'touched.has(valueWithin(input.type) ?? "")  →  true',
    reason: "Going through a value in which nothing has changed changes nothing.",
  },
  {
    file: "src/engine/versions/upgrade.ts",
    line: "if (known) return known;",
    fault: "known  →  false",
    reason: "What is remembered is the same each time that it is made.",
  },
  {
    file: "src/engine/versions/upgrade.ts",
    line: "plans.set(name, steps);",
    fault: "plans.set(name, steps);  →  {}",
    reason: "What is remembered is the same each time that it is made.",
  },
  {
    file: "src/engine/versions/upgrade.ts",
    line: "if (made.has(change.from)) {",
    fault: "made.has(change.from)  →  true",
    reason: "An input that was read is read a second time, to the same.",
  },
  {
    file: "src/engine/versions/undescribed.ts",
    line: "if (gone.length === 0) return undefined;",
    fault: "gone.length === 0  →  false",
    reason: "Among no endpoints none is found.",
  },
  {
    file: "src/engine/versions/in-version.ts",
    line: "const joint = model.resources.filter((resource) => identifierFields(resource).length > 1);",
    fault: "identifierFields(resource).length > 1  →  (identifierFields(resource).length >= 1)",
    reason: "What is identified by one field is shown by its value alone, whatever its name.",
  },
  {
    file: "src/engine/versions/in-version.ts",
    line: "let isOtherwise = false;",
    fault: "false  →  true",
    reason: "Names that are the same as those of now are shown as they are without them.",
  },
  {
    file: "src/engine/streams/log-reader.ts",
    line: "if (gone > 0) recent = recent.slice(gone);",
    fault: "gone > 0  →  true",
    reason: "A list of which nothing is cut off is the same.",
  },
  {
    file: "src/engine/streams/log-reader.ts",
    line: "if (gone > 0) recent = recent.slice(gone);",
    fault: "gone > 0  →  (gone >= 0)",
    reason: "A list of which nothing is cut off is the same.",
  },
  {
    file: "src/engine/streams/log-reader.ts",
    line: "if (position === null || sequence >= position) return [];",
    fault: "position === null || sequence >= position  →  false",
    reason: "Where nothing is kept behind it nothing is found: it is only found sooner.",
  },
  {
    file: "src/engine/streams/plan-stream.ts",
    line: "if (fitting.length === 0 || !rows.has(event.type)) return null;",
    fault: "fitting.length === 0 || !rows.has(event.type)  →  false",
    reason: "What no row fits is told nobody in the end, too: it is only known sooner.",
  },
  {
    file: "src/engine/streams/event-stream.ts",
    line: "let isBeat = false;",
    fault: "false  →  true",
    reason: "A stream that begins with a beat asks its checks once more, which have just been asked.",
  },
  {
    file: "src/engine/streams/event-stream.ts",
    line: "if (isLast || text.length >= streamLimits.chunkBytesMax) return text;",
    fault: "text.length >= streamLimits.chunkBytesMax  →  (text.length > streamLimits.chunkBytesMax)",
    reason:
      "A piece may be longer than its bound by an event; whether it ends at the very byte shows nowhere.",
  },
  {
    file: "src/engine/streams/changes.ts",
    line: "byResource.clear();",
    fault: "byResource.clear();  →  {}",
    reason: "Nobody is told of a commit any more by then.",
  },
  {
    file: "src/engine/streams/changes.ts",
    line: "byRow.clear();",
    fault: "byRow.clear();  →  {}",
    reason: "Nobody is told of a commit any more by then.",
  },
  {
    file: "src/engine/deliveries/form-body.ts",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a line of the source, as it stands there.
    line: "if (Array.isArray(value)) for (const [at, one] of value.entries()) put(`${name}[${at}]`, one);",
    fault: "Array.isArray(value)  →  false",
    reason: "The entries of a list as an object have the same names.",
  },
  {
    file: "src/engine/deliveries/sender.ts",
    line: "if (free <= 0) return 0;",
    fault: "free <= 0  →  false",
    reason: "Where no place is free none is taken: the store is asked for nothing sooner.",
  },
  {
    file: "src/engine/deliveries/sender.ts",
    line: "if (free <= 0) return 0;",
    fault: "free <= 0  →  (free < 0)",
    reason: "Where no place is free none is taken: the store is asked for nothing sooner.",
  },
  {
    file: "src/engine/deliveries/trim.ts",
    line: "const set = records.length > 0 ? await forgotten?.(records, transaction) : null;",
    fault: "records.length > 0  →  (records.length >= 0)",
    reason: "Of no records nothing is forgotten.",
  },
  {
    file: "src/engine/deliveries/sender.ts",
    line: "{ ...fields, again: new Date(dueAt ?? 0).toISOString() },",
    fault: "dueAt ?? 0  →  dueAt",
    reason: "What is tried again has a time for it; the zero is for the type alone.",
  },
  {
    file: "src/engine/deliveries/sender.ts",
    line: "if (left <= 0) return;",
    fault: "left <= 0  →  false",
    reason: "Where no place is left none is taken: the store is asked for nothing sooner.",
  },
  {
    file: "src/engine/deliveries/sender.ts",
    line: "if (left <= 0) return;",
    fault: "left <= 0  →  (left < 0)",
    reason: "Where no place is left none is taken: the store is asked for nothing sooner.",
  },
  {
    file: "src/engine/deliveries/delivery-records.ts",
    line: "took: told?.durationMs ?? null,",
    fault: "told?.durationMs ?? null  →  told?.durationMs",
    reason: "What is missing and what is null are the same to expressions and to the store.",
  },
  {
    file: "src/engine/deliveries/delivery-records.ts",
    line: "if (due !== null) soonest = Math.min(due, soonest ?? due);",
    fault: "soonest ?? due  →  soonest",
    reason: "A wake-up that comes too soon finds nothing, and asks the store for the time of the next.",
  },
  {
    file: "src/engine/deliveries/own-receiver.ts",
    line: 'const own = URL.parse(at() ?? "");',
    fault: 'at() ?? ""  →  at()',
    reason: "What is missing is read as a word that is no address either.",
  },
  {
    file: "src/engine/deliveries/webhook-request.ts",
    line: "return model.resources.find((one) => one.name === resource)?.smallName ?? resource;",
    fault:
      "model.resources.find((one) => one.name === resource)?.smallName ?? resource  →  model.resources.find((one) => one.name === resource)?.smallName",
    reason: "A resource to which something is sent is in the document; the other word is for the type alone.",
  },
  {
    file: "src/engine/background/due.ts",
    line: "plans.set(endpoint, plan);",
    fault: "plans.set(endpoint, plan);  →  {}",
    reason: "What is remembered is the same each time that it is made.",
  },
  {
    file: "src/engine/background/influence.ts",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: a line of the source, as it stands there.
    line: "if (!one || !this.#isNew(`make ${resource}`, at)) return;",
    // biome-ignore lint/suspicious/noTemplateCurlyInString: the same.
    fault: "!one || !this.#isNew(`make ${resource}`, at)  →  (!one && !this.#isNew(`make ${resource}`, at))",
    reason: "What is said once more of records that are made is the same.",
  },
  {
    file: "src/engine/background/influence.ts",
    line: "candidates.set(at, inner);",
    fault: "candidates.set(at, inner);  →  {}",
    reason: "What is remembered is the same each time that it is made.",
  },
  {
    file: "src/engine/background/needs.ts",
    line: "for (const input of endpoint.inputs) if (input.sets !== undefined) seen.sets(resource, input.sets);",
    fault: "input.sets !== undefined  →  true",
    reason: "No field has the name of what sets none.",
  },
  {
    file: "src/engine/background/slices.ts",
    line: "if (a.transition !== b.transition) return a.transition < b.transition ? -1 : 1;",
    fault: "a.transition < b.transition  →  (a.transition <= b.transition)",
    reason: "It is asked of two that are different.",
  },
  {
    file: "src/engine/background/slices.ts",
    line: "if (scope.row === undefined) commitMs += (stopwatch() - workedUntil - commitMs) / 4;",
    fault: "(stopwatch() - workedUntil - commitMs) / 4  →  ((stopwatch() - workedUntil - commitMs) * 4)",
    reason: "It says how long the next slice may be, and nothing of what is taken.",
  },
  {
    file: "src/engine/background/slices.ts",
    line: "if (scope.row === undefined) commitMs += (stopwatch() - workedUntil - commitMs) / 4;",
    fault: "stopwatch() - workedUntil  →  (stopwatch() + workedUntil)",
    reason: "It says how long the next slice may be, and nothing of what is taken.",
  },
  {
    file: "src/engine/background/slices.ts",
    line: "if (scope.row === undefined) commitMs += (stopwatch() - workedUntil - commitMs) / 4;",
    fault: "scope.row === undefined  →  true",
    reason: "It says how long the next slice may be, and nothing of what is taken.",
  },
  {
    file: "src/engine/background/slices.ts",
    line: "for (let taken = 0; taken < slice.most && stopwatch() < endsAt; ) {",
    fault: "stopwatch() < endsAt  →  (stopwatch() <= endsAt)",
    reason: "Whether a slice ends at the very millisecond shows nowhere.",
  },
  {
    file: "src/engine/background/slices.ts",
    line: "if (soonestDue !== null) soonestArmed = Math.min(soonestDue, soonestArmed ?? soonestDue);",
    fault: "soonestArmed ?? soonestDue  →  soonestArmed",
    reason: "A wake-up that comes too soon finds nothing, and asks the store for the time of the next.",
  },
];
