/** Values that the service gives to fields of new records: the time, or a default. */
import type { Resource } from "../../model/model.ts";
import type { Proposal } from "../document/answers.ts";
import { isSecretValue } from "../../inputs/recordings/secrets.ts";
import { cellEdit } from "../document/cell-edit.ts";
import { lineOf, type SourceDocument, type SourceField } from "../document/source-document.ts";
import { evidenceLines, kindFor } from "./evidence-text.ts";
import type { RecordedRecords, Sighting } from "./recorded-records.ts";
import { type Exchange, isObject } from "./traffic.ts";

const seenMin = 5;

/** Answers for fields whose rule isn't shown and whose recorded values determine it. */
export function learnFields(document: SourceDocument, seen: RecordedRecords): readonly Proposal[] {
  return document.resources.flatMap((resource) =>
    resource.fields.flatMap((field) => {
      const made = seen.made(resource.name);
      if (made.length === 0) return [];
      const open = field.rules.find((rule) => rule.endsWith("not shown"));
      if (open === "on create not shown" && field.type === "timestamp")
        return timeOf(document, resource.name, field, seen);
      if (open === "default not shown") return defaultOf(document, resource.name, field, seen);
      return [];
    }),
  );
}

/** Tolerance of the clocks of two machines, in milliseconds; responses with `Date` have seconds. */
const clockMs = 2_000;

/** `now` if each new record has the time of its request, and later changes keep it. */
function timeOf(
  document: SourceDocument,
  resource: string,
  field: SourceField,
  seen: RecordedRecords,
): readonly Proposal[] {
  const made = seen.made(resource).filter(({ values }) => field.name in values);
  if (made.length < seenMin) return [];
  if (!made.every(({ values, exchange }) => isTimeOf(values[field.name], exchange))) return [];
  const changes = changesOf(seen, resource);
  const kept = changes.filter(({ before, after }) => before.values[field.name] === after.values[field.name]);
  const renewed = changes.filter(({ after }) => isTimeOf(after.values[field.name], after.exchange));
  // A change within the same second is no evidence.
  const contrary = changes.filter(
    ({ before, after }) => !isTimeOf(before.values[field.name], after.exchange),
  );
  const isRenewed = contrary.length > 0 && contrary.every((change) => renewed.includes(change));
  const isKept = contrary.length > 0 && contrary.every((change) => kept.includes(change));
  if (contrary.length > 0 && !isRenewed && !isKept) return [];
  const text = isRenewed ? "on create `now`, on update `now`" : "on create `now`";
  const numbers = made.map(({ exchange }) => exchange.number);
  const refuted = isKept ? "a time of the last change" : isRenewed ? "a time that stays" : "";
  return ruleProposal(document, "times", resource, field, text, contrary.length >= 2, numbers, refuted);
}

function isTimeOf(value: unknown, { at, tookMs }: Exchange): boolean {
  const time = typeof value === "string" ? Date.parse(value) : timeOfNumber(value);
  return time >= at - clockMs && time <= at + tookMs + clockMs;
}

/** A number of seconds or of milliseconds since 1970. */
function timeOfNumber(value: unknown): number {
  if (typeof value !== "number") return Number.NaN;
  return value < secondsMax ? value * 1000 : value;
}

/** As seconds this is the year 5138, and as milliseconds 1973. */
const secondsMax = 1e11;

interface Change {
  readonly before: Sighting;
  readonly after: Sighting;
}

/** A record before a request that changed it, and in the response. */
function changesOf({ sightings }: RecordedRecords, resource: string): readonly Change[] {
  const last = new Map<string, Sighting>();
  return sightings.flatMap((after) => {
    if (after.resource.name !== resource) return [];
    const before = last.get(after.key);
    last.set(after.key, after);
    const isChange = after.exchange.method !== "GET" && !after.isNew;
    if (!before || !isChange || JSON.stringify(before.values) === JSON.stringify(after.values)) return [];
    return [{ before, after }];
  });
}

/**
 * The value of all records whose request omitted the field, if other requests set it. If no request
 * sends it, a later value of the same record shows that it isn't constant.
 */
function defaultOf(
  document: SourceDocument,
  resource: string,
  field: SourceField,
  seen: RecordedRecords,
): readonly Proposal[] {
  const made = seen.made(resource);
  const isSent = ({ exchange: { sent } }: Sighting) => isObject(sent) && field.name in sent;
  const without = made.filter((sighting) => !isSent(sighting) && field.name in sighting.values);
  const withField = made.filter(isSent);
  const values = new Set(without.map(({ values: record }) => JSON.stringify(record[field.name])));
  const [value] = values;
  if (without.length < 3 || values.size !== 1 || value === undefined) return [];
  const isScalar = /^(true|false|-?\d+(\.\d+)?|"[\w .-]{0,40}")$/.test(value);
  if (!isScalar || isSecretValue(field.name, JSON.parse(value))) return [];
  const kept = withField.filter(
    ({ exchange: { sent }, values: record }) =>
      isObject(sent) &&
      JSON.stringify(sent[field.name]) === JSON.stringify(record[field.name]) &&
      JSON.stringify(sent[field.name]) !== value,
  );
  const changed = changesOf(seen, resource).filter(
    ({ before, after }) =>
      field.name in after.values &&
      JSON.stringify(before.values[field.name]) !== JSON.stringify(after.values[field.name]),
  );
  const numbers = without.map(({ exchange }) => exchange.number);
  const isRefuted = kept.length > 0 || (withField.length === 0 && changed.length > 0);
  const refuted = isRefuted ? "a value that is always the same" : "";
  const isLikely = without.length >= seenMin && isRefuted;
  return ruleProposal(
    document,
    "defaults",
    resource,
    field,
    `default \`${value}\``,
    isLikely,
    numbers,
    refuted,
  );
}

function ruleProposal(
  document: SourceDocument,
  subject: "times" | "defaults",
  resource: Resource["name"],
  field: SourceField,
  text: string,
  isLikely: boolean,
  numbers: readonly number[],
  refuted: string,
): readonly Proposal[] {
  const rules = field.rules.map((rule) => (rule.endsWith("not shown") ? text : rule)).join(", ");
  const edit = cellEdit(document, field, "rules", rules);
  if (!edit) return [];
  return [
    {
      kind: kindFor(subject, isLikely),
      subject: `${resource}.${field.name}`,
      at: lineOf(field.row),
      edits: [edit],
      evidence: evidenceLines(numbers, refuted),
    },
  ];
}
