/**
 * Blocking questions of each endpoint: without their answers, the endpoint can't respond, or
 * rejects every request with its required inputs.
 */
import { meaningOf } from "../model/meaning.ts";
import type { Endpoint, Gap, Model } from "../model/model.ts";
import { itemsWithGap } from "../model/reading/endpoints/items.ts";
import { unanswerable } from "../model/endpoints/unanswerable-endpoints.ts";
import { createGap } from "../model/resources/unidentified-resources.ts";
import type { Proposal } from "./document/answers.ts";
import { answeredLines, idOf } from "./questions.ts";
import { lineOf, type SourceDocument, type SourceEndpoint } from "./document/source-document.ts";

/**
 * Ids of the questions that block an endpoint, by its name. Endpoints that already respond are left
 * out.
 */
export type BlockingQuestions = ReadonlyMap<string, ReadonlySet<string>>;

/** @param answered the model with all proposals applied */
export function blockingQuestions(
  document: SourceDocument,
  today: Model,
  answered: Model,
  proposals: readonly Proposal[],
): BlockingQuestions {
  const gaps = today.ledger.flatMap(({ smallerGaps }) => smallerGaps);
  const kinds = new Map(
    proposals.flatMap((proposal) => answeredLines(proposal).map((line) => [line, proposal.kind] as const)),
  );
  const idAt = (gap: Gap): string => kinds.get(gap.position.start.line) ?? idOf(gap);
  const ids = new Map(gaps.map((gap) => [gap.subject, idAt(gap)]));
  const items = new Map(
    today.ledger.map(({ item, position }) => [position.start.line, `item-${item.replaceAll(" ", "-")}`]),
  );
  // Proposals move the lines of a model: there the subject identifies the question.
  const idOfGap = (gap: Gap): string =>
    ids.get(gap.subject) ?? items.get(gap.position.start.line) ?? `item-${gap.item.replaceAll(" ", "-")}`;
  // The operations with all proposals, over the resources without them.
  const models = [{ ...today, endpoints: answered.endpoints }, answered].map((model) => ({
    model,
    meaning: meaningOf(model),
  }));
  const written = new Map(document.endpoints.map((endpoint) => [endpoint.name, endpoint]));
  const openRows = gapsBySection(document, gaps);
  const waiting = today.endpoints.map((endpoint, index) => {
    const name = `${endpoint.method} ${endpoint.path.text}`;
    const own = (openRows.get(name) ?? []).filter((gap) => isNeeded(gap, written.get(name))).map(idAt);
    const { gap: _, ...then } = answered.endpoints[index] ?? endpoint;
    const further = models.flatMap(
      ({ model, meaning }) =>
        unanswerable(model, meaning, then) ?? createGap(model, then) ?? fieldGaps(model, then),
    );
    const first = endpoint.gap ? [idOfGap(endpoint.gap)] : [];
    return [name, new Set([...own, ...first, ...further.map(idOfGap)])] as const;
  });
  return new Map(waiting.filter(([, needed]) => needed.size > 0));
}

/** Fields of new records that no request sends and whose value isn't shown. */
function fieldGaps({ resources }: Model, { does, inputs, set }: Endpoint): readonly Gap[] {
  const given = new Set([
    ...inputs.map(({ sets }) => sets),
    ...set.map((effect) => (effect.kind === "assign" && !effect.of ? effect.field : undefined)),
  ]);
  return does.flatMap((action) => {
    if (action.kind !== "create") return [];
    const fields = resources.find(({ name }) => name === action.resource)?.fields ?? [];
    return fields.flatMap(({ name, role, open }) =>
      open?.made && role === "plain" && !given.has(name) ? [open.made] : [],
    );
  });
}

/** The gaps in the section of each endpoint. */
function gapsBySection(
  { endpoints }: SourceDocument,
  gaps: readonly Gap[],
): ReadonlyMap<string, readonly Gap[]> {
  const sorted = gaps.filter(({ part }) => part === "endpoints");
  const starts = endpoints.map(({ name, section: { position } }) => ({ name, position }));
  const found = new Map<string, Gap[]>();
  for (const gap of sorted) {
    const { line } = gap.position.start;
    const section = starts.findLast(({ position }) => position.start.line <= line);
    if (section && line <= section.position.end.line)
      found.set(section.name, [...(found.get(section.name) ?? []), gap]);
  }
  return found;
}

/** Items without which requests are answered. Only requests with an unknown field need `Unknown fields`. */
const dispensable: ReadonlySet<string> = new Set([...itemsWithGap("dispensable"), "unknown fields"]);

/** Whether every request needs the answer: an input only if each request must send it. */
function isNeeded({ subject, position }: Gap, endpoint: SourceEndpoint | undefined): boolean {
  const item = /^"([^"]+)" of /.exec(subject)?.[1];
  if (item !== undefined) return !dispensable.has(item.toLowerCase());
  // A request that sends the input needs no default.
  if (/^a rule of .+ \(default\)$/.test(subject)) return false;
  if (!subject.startsWith("what the input ")) return true;
  const input = endpoint?.inputs.find(({ row }) => lineOf(row) === position.start.line);
  return input?.in !== "path" && (input?.rules.includes("required") ?? false);
}
