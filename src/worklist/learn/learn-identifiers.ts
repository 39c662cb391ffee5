/** Identifier generation, inferred from the recorded identifiers. */
import { identifierAnswer } from "../proposals/identifiers.ts";
import type { Proposal } from "../document/answers.ts";
import type { SourceDocument } from "../document/source-document.ts";
import { evidenceLines, kindFor } from "./evidence-text.ts";
import type { RecordedRecords, Sighting } from "./recorded-records.ts";

/** This many random identifiers make their characters and prefix certain. */
const certainMin = 10;
const seenMin = 3;

/** One proposal for each resource whose identifiers have one form. */
export function learnIdentifiers(document: SourceDocument, seen: RecordedRecords): readonly Proposal[] {
  return document.resources.flatMap((resource) => {
    if (!resource.identifier.isOpen) return [];
    const first = new Map<string, Sighting>();
    for (const sighting of seen.sightings)
      if (sighting.resource.name === resource.name && !first.has(sighting.key))
        first.set(sighting.key, sighting);
    const all = [...first.values()];
    if (all.length < seenMin) return [];
    const values = all.map(({ values: record }) => record[resource.identifier.field]);
    const form = formOf(values, seen.made(resource.name));
    if (!form) return [];
    const numbers = all.map(({ exchange }) => exchange.number);
    return [
      {
        ...identifierAnswer(resource, form.made),
        kind: kindFor("identifiers", form.isCertain && all.length >= certainMin),
        evidence: evidenceLines(numbers, form.refuted),
      },
    ];
  });
}

interface Form {
  readonly made: string;
  readonly isCertain: boolean;
  readonly refuted: string;
}

function formOf(values: readonly unknown[], made: readonly Sighting[]): Form | undefined {
  if (values.every((value) => typeof value === "number")) return sequenceOf(made);
  if (!values.every((value) => typeof value === "string")) return undefined;
  return uuidOf(values) ?? randomOf(values);
}

/** Whole numbers, each one more than that of the previously created record. */
function sequenceOf(made: readonly Sighting[]): Form | undefined {
  const servers = [...Map.groupBy(made, ({ exchange }) => exchange.origin).values()];
  const steps = servers.flatMap((of) =>
    of.slice(1).map(({ id }, index) => Number(id) - Number(of[index]?.id)),
  );
  if (steps.length < seenMin || !steps.every((step) => step >= 1 && Number.isSafeInteger(step)))
    return undefined;
  return {
    made: "sequence()",
    isCertain: steps.every((step) => step === 1),
    refuted: "random numbers",
  };
}

function uuidOf(values: readonly string[]): Form | undefined {
  for (const [version, made] of [
    ["4", "uuid()"],
    ["7", "uuidv7()"],
  ] as const) {
    const form = new RegExp(`^[0-9a-f]{8}-[0-9a-f]{4}-${version}[0-9a-f]{3}-[89ab][0-9a-f]{3}-[0-9a-f]{12}$`);
    if (values.every((value) => form.test(value)))
      return { made, isCertain: true, refuted: "other versions of UUIDs" };
  }
  return undefined;
}

/** A shared prefix, and random characters of one length after it. */
function randomOf(values: readonly string[]): Form | undefined {
  const [first = ""] = values;
  if (!values.every((value) => value.length === first.length)) return undefined;
  let shared = first;
  for (const value of values) while (!value.startsWith(shared)) shared = shared.slice(0, -1);
  const prefix = /^.*[_:.-]/.exec(shared)?.[0] ?? "";
  const rests = values.map((value) => value.slice(prefix.length));
  const length = first.length - prefix.length;
  const all = rests.join("");
  // Without a separator the shared beginning may be a prefix or chance.
  if (length < 6 || shared.length > prefix.length + 2) return undefined;
  const start = prefix === "" ? "" : `${JSON.stringify(prefix)} + `;
  if (/^[0-9a-f]+$/.test(all))
    return length % 2 === 0 && /[a-f]/.test(all)
      ? {
          made: `${start}hex(randomBytes(${length / 2}))`,
          isCertain: shared === prefix,
          refuted: "other lengths, and characters beyond f",
        }
      : undefined;
  const isMixed = /[a-z]/.test(all) && /[A-Z]/.test(all) && /\d/.test(all);
  if (!/^[A-Za-z0-9]+$/.test(all) || !isMixed) return undefined;
  return {
    made: `${start}random(${length})`,
    isCertain: shared === prefix,
    refuted: "other lengths and prefixes",
  };
}
