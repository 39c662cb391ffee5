/** Orders, filters and page bounds of lists, inferred from recorded responses. */
import type { Endpoint, Model } from "../../model/model.ts";
import type { ItemNode } from "../../syntax/nodes.ts";
import { isNotShown, itemsOf, keyText } from "../../syntax/read.ts";
import type { Proposal } from "../document/answers.ts";
import { cellEdit } from "../document/cell-edit.ts";
import { lineOf, type SourceDocument, type SourceEndpoint } from "../document/source-document.ts";
import { evidenceLines, kindFor } from "./evidence-text.ts";
import type { RecordedRecords, Sighting } from "./recorded-records.ts";
import { type Exchange, isObject } from "./traffic.ts";

/** Answers to the open questions about lists. */
export function learnLists(
  model: Model,
  document: SourceDocument,
  seen: RecordedRecords,
): readonly Proposal[] {
  const byName = Map.groupBy(seen.exchanges, ({ name }) => name);
  const written = new Map(document.endpoints.map((endpoint) => [endpoint.name, endpoint]));
  return model.endpoints.flatMap((endpoint) => {
    if (!endpoint.does.some(({ kind }) => kind === "list")) return [];
    const name = `${endpoint.method} ${endpoint.path.text}`;
    const lists = (byName.get(name) ?? []).filter(({ status }) => status === 200);
    const source = written.get(name);
    if (!source || lists.length === 0) return [];
    return [...orderOf(source, lists, seen), ...filtersOf(document, endpoint, source, lists, seen)];
  });
}

// ── Order ───────────────────────────────────────────────────────────────────────────────────────

/** Minimum number of adjacent records that differ in a field, before an order by it is proposed. */
const pairsMin = 3;
const certainPairsMin = 10;

function orderOf(
  source: SourceEndpoint,
  lists: readonly Exchange[],
  seen: RecordedRecords,
): readonly Proposal[] {
  const item = openItem(source, "order");
  if (!item) return [];
  const plain = lists.filter(
    ({ query }) => ![...query.keys()].some((key) => /sort|order|direction/i.test(key)),
  );
  const pages = plain.map((exchange) => seen.of(exchange)).filter((records) => records.length > 1);
  const names = new Set(pages.flat().flatMap(({ values }) => Object.keys(values)));
  const found: { text: string; pairs: number }[] = [];
  const refuted: string[] = [];
  for (const name of names) {
    const [up, down] = stepsOf(pages, name);
    if (up === undefined || down === undefined) continue;
    if (up > 0 && down > 0) refuted.push(name);
    else if (up + down >= pairsMin)
      found.push({ text: up > 0 ? name : `${name} descending`, pairs: up + down });
  }
  const [only, more] = found;
  if (!only || more) return [];
  const numbers = plain.filter((exchange) => seen.of(exchange).length > 1).map(({ number }) => number);
  return [
    {
      kind: kindFor("order", only.pairs >= certainPairsMin && refuted.length > 0),
      subject: source.name,
      at: lineOf(item),
      edits: [{ line: lineOf(item), text: `- Order: ${only.text}` }],
      evidence: evidenceLines(numbers, refuted.length === 0 ? "" : `orders by ${refuted.join(", ")}`),
    },
  ];
}

/**
 * How often a field increases and decreases from record to record; undefined if it can't be
 * compared.
 */
function stepsOf(pages: readonly (readonly Sighting[])[], name: string): readonly [number?, number?] {
  let up = 0;
  let down = 0;
  for (const records of pages)
    for (const [index, { values }] of records.entries()) {
      const before = records[index - 1]?.values[name];
      const value = values[name];
      if (index === 0) continue;
      const isComparable =
        (typeof value === "string" && typeof before === "string") ||
        (typeof value === "number" && typeof before === "number");
      if (!isComparable) return [];
      if (value > before) up += 1;
      if (value < before) down += 1;
    }
  return [up, down];
}

// ── Filters ─────────────────────────────────────────────────────────────────────────────────────

function filtersOf(
  document: SourceDocument,
  endpoint: Endpoint,
  source: SourceEndpoint,
  lists: readonly Exchange[],
  seen: RecordedRecords,
): readonly Proposal[] {
  return source.inputs.flatMap((input) => {
    if (!input.isOpen || input.in !== "query" || input.rules.includes("not shown")) return [];
    const filtered = lists.filter(({ query }) => query.has(input.name));
    const matching = filtered.filter((exchange) => seen.of(exchange).length > 0);
    if (matching.length === 0 || !matching.every((exchange) => areAll(exchange, input.name, seen))) return [];
    if (filtered.some((exchange) => misses(exchange, endpoint, input.name, seen))) return [];
    const values = new Set(matching.map(({ query }) => query.get(input.name)));
    // Without the input other records are listed, so it has an effect.
    const contrary = lists.filter(
      (exchange) =>
        !exchange.query.has(input.name) &&
        seen.of(exchange).some(({ values: record }) => !values.has(String(record[input.name]))),
    );
    const edit = cellEdit(document, input, "where", `\`this.${input.name} == query.${input.name}\``);
    if (!edit) return [];
    return [
      {
        kind: kindFor("filters", values.size >= 2 && contrary.length > 0),
        subject: `${source.name} ${input.name}`,
        at: lineOf(input.row),
        edits: [edit],
        evidence: evidenceLines(
          matching.map(({ number }) => number),
          contrary.length === 0 ? "" : "an input without an effect",
        ),
      },
    ];
  });
}

function areAll(exchange: Exchange, name: string, seen: RecordedRecords): boolean {
  return seen
    .of(exchange)
    .every(({ values }) => name in values && String(values[name]) === exchange.query.get(name));
}

/** Whether a list lacks a record that its caller last received with that value. */
function misses(exchange: Exchange, { resource }: Endpoint, name: string, seen: RecordedRecords): boolean {
  if (hasNext(exchange) || [...exchange.query.keys()].some((key) => key !== name)) return false;
  const last = new Map<string, Sighting>();
  const removed = new Set<string>();
  for (const earlier of seen.exchanges) {
    if (earlier.number >= exchange.number) break;
    if (earlier.origin !== exchange.origin) continue;
    if (earlier.method === "DELETE") for (const id of earlier.parameters.values()) removed.add(id);
    for (const sighting of seen.of(earlier))
      if (sighting.resource.name === resource && earlier.caller === exchange.caller)
        last.set(sighting.id, sighting);
  }
  const listed = new Set(seen.of(exchange).map(({ id }) => id));
  return [...last.values()].some(
    ({ id, values }) =>
      !listed.has(id) && !removed.has(id) && String(values[name]) === exchange.query.get(name),
  );
}

/** Whether the response shows that a further page follows. */
function hasNext({ received, receivedHeaders }: Exchange): boolean {
  if (/rel="?next/.test(receivedHeaders.get("link") ?? "")) return true;
  const members = isObject(received) ? [received, ...Object.values(received).filter(isObject)] : [];
  return members.some((object) =>
    Object.entries(object).some(
      ([key, value]) =>
        /^(has_?(more|next(_?page)?)|next(_?(page|cursor|marker|token|url|uri|page_?(uri|url|token)))?)$/i.test(
          key,
        ) &&
        value !== null &&
        value !== false &&
        value !== "",
    ),
  );
}

// ── Pages ───────────────────────────────────────────────────────────────────────────────────────

/** Bounds of part 8 that aren't shown: the default and the maximum page size. */
export function learnPages(
  model: Model,
  document: SourceDocument,
  seen: RecordedRecords,
): readonly Proposal[] {
  return (document.limits?.rows ?? []).flatMap(({ table, row, limit, bound, appliesTo }) => {
    if (limit !== "page" || !/\bnot shown\b/.test(bound)) return [];
    const paged = model.endpoints.filter(
      (endpoint) =>
        sizeOf(endpoint) !== undefined &&
        (appliesTo === "every list" || appliesTo.includes(`${endpoint.method} ${endpoint.path.text}`)),
    );
    const names = new Set(paged.map(({ method, path }) => `${method} ${path.text}`));
    const lists = seen.exchanges.filter(({ name }) => names.has(name));
    const initial = /default not shown/.test(bound) ? defaultSize(lists, seen) : undefined;
    const maximum = /maximum not shown/.test(bound) ? maximumSize(lists) : undefined;
    const text = bound
      .replace("default not shown", initial === undefined ? "$&" : `default ${initial.size}`)
      .replace("maximum not shown", maximum === undefined ? "$&" : `maximum ${maximum.size}`);
    const edit = cellEdit(document, { table, row }, "bound", text);
    const found = [initial, maximum].filter((pageSize) => pageSize !== undefined);
    if (found.length === 0 || !edit) return [];
    return [
      {
        kind: kindFor(
          "pages",
          found.every(({ isCertain }) => isCertain),
        ),
        subject: `pages of ${appliesTo}`,
        at: lineOf(row),
        edits: [edit],
        evidence: evidenceLines(
          found.flatMap(({ numbers }) => numbers),
          maximum === undefined ? "" : `a page of ${maximum.size + 1}`,
        ),
      },
    ];
  });
}

interface PageSize {
  readonly size: number;
  readonly isCertain: boolean;
  readonly numbers: readonly number[];
}

/** The number of records in a list requested without a size, if a further page follows. */
function defaultSize(lists: readonly Exchange[], seen: RecordedRecords): PageSize | undefined {
  const without = lists.filter(
    (exchange) => exchange.status === 200 && !exchange.query.has(sizeOf(exchange.endpoint) ?? ""),
  );
  const full = without.filter(hasNext);
  const sizes = new Set(full.map((exchange) => seen.of(exchange).length));
  const [size] = sizes;
  if (size === undefined || sizes.size !== 1 || size === 0) return undefined;
  const isExceeded = without.some((exchange) => seen.of(exchange).length > size);
  return isExceeded
    ? undefined
    : { size, isCertain: full.length >= 2, numbers: full.map(({ number }) => number) };
}

/** The largest accepted size, if one more was refused. */
function maximumSize(lists: readonly Exchange[]): PageSize | undefined {
  const sizes = (isAccepted: boolean) =>
    lists.flatMap((exchange) => {
      const size = Number(exchange.query.get(sizeOf(exchange.endpoint) ?? ""));
      const fits = isAccepted ? exchange.status === 200 : exchange.status === 400 || exchange.status === 422;
      return Number.isSafeInteger(size) && size > 0 && fits ? [{ size, number: exchange.number }] : [];
    });
  const [accepted, refused] = [sizes(true), sizes(false)];
  const largestAccepted = Math.max(...accepted.map(({ size }) => size));
  const smallestRefused = Math.min(
    ...refused.map(({ size }) => size).filter((size) => size > largestAccepted),
  );
  if (!Number.isFinite(largestAccepted) || smallestRefused !== largestAccepted + 1) return undefined;
  const numbers = [...accepted, ...refused].flatMap(({ size, number }) =>
    size >= largestAccepted ? [number] : [],
  );
  return { size: largestAccepted, isCertain: true, numbers };
}

function sizeOf({ pagination }: Endpoint): string | undefined {
  return pagination && "size" in pagination && typeof pagination.size === "string"
    ? pagination.size
    : undefined;
}

/** `- Order: not shown` */
export function openItem({ section }: SourceEndpoint, key: string): ItemNode | undefined {
  return itemsOf(section.body).find((item) => keyText(item.key) === key && isNotShown(item.value));
}
