/**
 * Page filling: creates more records than a page holds, and reads the pages around both bounds. Only
 * for lists with an endpoint that creates their records.
 */
import type { RecordValue } from "../../expressions/value.ts";
import type { Endpoint, Model } from "../../model/model.ts";
import type { Admissions } from "../stories/admissions.ts";
import { mayCall } from "../stories/callers.ts";
import type { Case } from "../requests/case.ts";
import { pathTarget } from "../requests/draw-path.ts";
import { type Draft, drawDraft } from "../requests/draw-request.ts";
import { isCreating, pageBound, sizeParameter } from "../stories/lists.ts";
import { referredRecord, resourceNamed } from "../requests/record-keys.ts";
import type { StoryContext } from "../stories/story-context.ts";
import { endpointName, type WalkedStep } from "./walked-step.ts";

/** The number of records on the page after a full one: enough for an order among them. */
const moreRecords = 2;
/** The number of records that fill a page of two twice. */
const fewRecords = 4;
/** How many cursors of a list are followed. */
const cursorTries = 3;
/** How many callers read a list that no request fills. */
const readersMax = 4;
/** After how many rejected requests no more records are created for a list. */
const failuresMax = 12;
/** How often a page's number of records is created for a list that hides some of them. */
const roundsMax = 4;

export interface FillingOptions {
  readonly model: Model;
  readonly cases: readonly Case[];
  readonly admissions: Admissions;
  readonly context: StoryContext;
  /** Plays a request; undefined if it needs a value that no response has. */
  play(chosen: Case, draft: Draft): Promise<WalkedStep | undefined>;
}

/** Yields each step after it was played. */
export async function* fillPages(options: FillingOptions): AsyncGenerator<WalkedStep> {
  const { model, cases, admissions, context, play } = options;
  const valid = cases.filter(({ name }) => name === "valid");
  const made = new Map<string, number>();
  const filled = new Set<string>();
  for (const listing of valid.filter(isList)) {
    const { endpoint } = listing;
    // One list with a size shows the bounds of all; the others need few records.
    const sized = sizeParameter(endpoint);
    const bound = sized !== undefined && filled.has(sized) ? fewRecords : pageBound(model);
    const creating = creatorOf(valid, endpoint, options);
    const caller = creating && admissions.prefer(creating.endpoint, context);
    const parent = parentOf(endpoint, context, creating === undefined);
    const isWithin = creating && parentOf(creating.endpoint, context)?.resource === parent?.resource;
    const key = `${endpoint.resource} ${caller?.name} ${isWithin ? parent?.resource : ""}`;
    let count = made.get(key) ?? 0;
    const isPartial = endpoint.where.length > 0 && sized === undefined && isPaged(endpoint);
    for (let round = 1; round <= (isPartial ? roundsMax : 1); round += 1) {
      const goal = round * (bound + moreRecords);
      for (let tried = 0; creating && caller && count < goal && tried < 3 * bound; tried += 1) {
        if (count === 0 && tried > failuresMax) break;
        const wanted = isWithin ? parent?.record : undefined;
        const draft = drawDraft(creating.endpoint, caller, context, 0, wanted, true);
        const walked = draft && (await play(creating, draft));
        if (walked && walked.expected.status < 400) count += 1;
        if (walked) yield walked;
      }
      if (!caller || !isPartial || count < goal) break;
      const draft = drawDraft(endpoint, caller, context, 0, parent?.record);
      const walked = draft && (await play(listing, draft));
      if (walked) yield walked;
      // A cursor shows that the records fill more than one page.
      if (!walked || context.cursors.has(`${endpointName(endpoint)} ${caller.name}`)) break;
    }
    made.set(key, count);
    if (sized !== undefined && count >= bound + moreRecords) filled.add(sized);
    let reader = caller && mayCall(endpoint, caller) ? caller : admissions.prefer(endpoint, context);
    if (count === 0) {
      // Who reads most of a list that no request fills sees its pages.
      let most = 0;
      for (const candidate of context.callers
        .filter((other) => mayCall(endpoint, other))
        .slice(0, readersMax)) {
        const draft = drawDraft(endpoint, candidate, context, 0, parent?.record);
        const walked = draft && (await play(listing, draft));
        if (!walked) continue;
        yield walked;
        if (walked.expected.status >= 400 || walked.expected.body.length <= most) continue;
        most = walked.expected.body.length;
        reader = candidate;
      }
    }
    for (const chosen of cases.filter(
      (candidate) => candidate.endpoint === endpoint && isOfPages(candidate),
    )) {
      // A cursor may lead to a page with less than two records.
      for (let tried = 0; tried < (chosen.name.endsWith(" of a page") ? cursorTries : 1); tried += 1) {
        const base = drawDraft(endpoint, reader, context, 0, parent?.record);
        for (const draft of (base && chosen.drafts(base, context)) ?? []) {
          const walked = await play(chosen, draft);
          if (walked) yield walked;
        }
      }
    }
  }
}

/** Whether a caller of the story can create records of some list. */
export function hasCreator(
  valid: readonly Case[],
  admissions: Admissions,
  { callers }: StoryContext,
): boolean {
  const lists = valid.filter(isList);
  return valid.some(
    ({ endpoint }) =>
      lists.some((list) => isCreating(endpoint, list.endpoint.resource)) &&
      admissions.hasAny(endpoint, callers),
  );
}

export function isList({ endpoint }: Case): boolean {
  return endpoint.does.some(({ kind }) => kind === "list");
}

/** Cases of a list that show most when it has many records. */
function isOfPages({ aspect, name, isGeneral }: Case): boolean {
  return aspect === "pagination" || name === "valid" || (aspect === "filters and orders" && !isGeneral);
}

/** The case of an endpoint that creates the records of a list; preferably one that did. */
function creatorOf(
  valid: readonly Case[],
  { resource }: Endpoint,
  { admissions, context }: FillingOptions,
): Case | undefined {
  const creating = valid.filter(({ endpoint }) => isCreating(endpoint, resource));
  return creating.find(({ endpoint }) => admissions.hasAny(endpoint, context.callers)) ?? creating[0];
}

function isPaged({ pagination }: Endpoint): boolean {
  return pagination !== undefined && pagination.kind !== "none";
}

/**
 * The newest record that an endpoint's path can name, or the one that most records of the list
 * belong to; undefined if it names none.
 */
function parentOf(
  endpoint: Endpoint,
  context: StoryContext,
  hasMost = false,
): { readonly resource: string; readonly record: RecordValue | undefined } | undefined {
  const parent = pathTarget(endpoint, context);
  if (!parent) return undefined;
  const { resource, by } = parent;
  const all = by ? context.nameable(resource, by.field) : (context.records.get(resource) ?? []);
  if (!hasMost) return { resource, record: all.at(-1) };
  const counts = childrenOf(endpoint, resource, context);
  const [most] = all.toSorted((left, right) => (counts.get(right) ?? 0) - (counts.get(left) ?? 0));
  return { resource, record: most };
}

/** How many records of a list refer to each record of another resource. */
function childrenOf(
  endpoint: Endpoint,
  parent: string,
  { model, records }: StoryContext,
): ReadonlyMap<RecordValue, number> {
  const counts = new Map<RecordValue, number>();
  const listed = endpoint.resource ?? "";
  for (const { name, type } of resourceNamed(model, listed)?.fields ?? []) {
    if (type.kind !== "reference" || type.resource !== parent) continue;
    for (const record of records.get(listed) ?? []) {
      const referred = referredRecord(model, records, parent, record[name]);
      if (referred) counts.set(referred, (counts.get(referred) ?? 0) + 1);
    }
  }
  return counts;
}
