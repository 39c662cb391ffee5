/**
 * The headings of part 2: `### Parcel` (a resource), `### Parcel.price` (a long computed field),
 * `### Records of Parcel`. Checks the names of resources; the content is read elsewhere.
 */
import type { Reporter } from "../../../diagnostics/diagnostic.ts";
import type { FixedName } from "../../../expressions/node.ts";
import { type Phrase, positionIn, slice, trim, unquote } from "../../../source/phrase.ts";
import type { DocumentNode, Section } from "../../../syntax/nodes.ts";
import { afterWord } from "../../../syntax/read.ts";
import { deliveryResource, storesDeliveries } from "../events/delivery-resource.ts";
import { isSoundName } from "../any-part/valid-name.ts";
import { namesOfRequests } from "../../stored/vocabulary.ts";

export interface ResourceSection {
  readonly name: Phrase;
  readonly section: Section;
}

export interface ResourceSections {
  /** Resources with valid names, without duplicates. */
  readonly resources: readonly ResourceSection[];
  readonly recordsOf: readonly ResourceSection[];
  readonly computed: readonly {
    readonly resource: Phrase;
    readonly field: Phrase;
    readonly section: Section;
  }[];
}

/** Names with a meaning of their own in expressions (notation, "Names"), which a record's small name may not be. */
const fixedNames: ReadonlySet<string> = new Set<FixedName>(["this", "old", "now", ...namesOfRequests]);

/** The name of a record in expressions: `Parcel` → `parcel`, `ApiKey` → `apiKey`. */
export function variableNameOf(name: string): string {
  return name.slice(0, 1).toLowerCase() + name.slice(1);
}

/** `ApiKey` → `api_key`: the value of `error.resource` without `Called`. */
export function defaultErrorName(name: string): string {
  return name
    .replace(/([a-z0-9])([A-Z])/g, "$1_$2")
    .replace(/([A-Z])([A-Z][a-z])/g, "$1_$2")
    .toLowerCase();
}

export function resourceSections(document: DocumentNode, reporter: Reporter): ResourceSections {
  const { parts } = document;
  // Part 6: `Delivery` is then a resource, and its records are called `delivery`, except while one is created.
  const allowed = storesDeliveries(document) ? deliveryResource : undefined;
  const resources: ResourceSection[] = [];
  const recordsOf: ResourceSection[] = [];
  const computed: { resource: Phrase; field: Phrase; section: Section }[] = [];
  // Databases ignore the case of names, so two names that only differ in case would be one table.
  const headings = new Map<string, Phrase>();
  for (const section of parts.resources?.sections ?? []) {
    const heading = unquote(section.heading);
    const records = afterWord(heading, "records of");
    const dot = heading.text.indexOf(".");
    if (records) recordsOf.push({ name: unquote(records), section });
    else if (dot !== -1) {
      computed.push({
        resource: trim(slice(heading, 0, dot)),
        field: trim(slice(heading, dot + 1)),
        section,
      });
    } else if (isResourceName(heading, headings, allowed, reporter)) {
      headings.set(heading.text.toLowerCase(), heading);
      resources.push({ name: heading, section });
    }
  }
  return { resources, recordsOf, computed };
}

function isResourceName(
  name: Phrase,
  headings: ReadonlyMap<string, Phrase>,
  allowed: string | undefined,
  reporter: Reporter,
): boolean {
  if (!isSoundName(name, "resource", reporter)) return false;
  const first = headings.get(name.text.toLowerCase());
  if (first) {
    const related = [{ position: positionIn(first), message: "First defined here." }];
    reporter.report(
      "resources/duplicate-resource",
      positionIn(name),
      { name: name.text, first: first.text },
      related,
    );
    return false;
  }
  const small = variableNameOf(name.text);
  if (small === name.text) {
    reporter.report("resources/small-resource-name", positionIn(name), { name: name.text });
    return false;
  }
  if (!fixedNames.has(small) || name.text === allowed) return true;
  reporter.report("resources/name-clash", positionIn(name), { name: name.text, small });
  // If this was false, every use of the name would be reported and hide the actual mistake.
  return true;
}
