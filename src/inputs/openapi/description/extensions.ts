/**
 * Reads the extensions that exports of Ninefold write (`docs/extensions/`). They state what OpenAPI
 * has no words for, in the words of the notation. A value that can't be a line of a document is
 * passed over.
 */
import { formatDuration } from "../../../support/quantity.ts";
import type { Operation } from "./operations.ts";
import { canBeSentAs, type StatedName, sentAsRule } from "./field-names.ts";
import type { Schema } from "./schemas.ts";
import { isPlain, listOf, member, numberOf, type Plain, plainOf, textOf } from "./values.ts";

export interface OwnItem {
  readonly item: string;
  readonly value: string;
}

/** What an input does: the cells `Where` and `Field` of its row. */
export interface OwnInput {
  readonly where: string;
  readonly field: string;
}

/** A text that fits into one line of a document. */
function lineOf(value: unknown): string | undefined {
  const text = textOf(value);
  return text !== undefined && text !== "" && text.length <= 4000 && !/[\r\n]|<!--/.test(text)
    ? text
    : undefined;
}

/** An expression in backticks. */
function expression(value: unknown): string | undefined {
  const text = lineOf(value);
  return text === undefined || text.includes("`") ? undefined : `\`${text}\``;
}

const itemNames = [
  "Does",
  "Then",
  "Where",
  "Let",
  "Set",
  "Effect",
  "Order",
  "Pagination",
  "Preconditions",
  "Finds",
  "Identifier",
  "Unique",
  "Visible",
  "Always",
  "Kept",
  "Deleted",
  "Allowed",
  "Fails",
  "Header",
  "Headers",
  "Returns",
  "Unknown fields",
  "Deprecated",
];

/** What the service does, by the items of part 1. */
export function ownService(first: Plain): ReadonlyMap<string, string> {
  const stated = plainOf(first["x-ninefold-service"]);
  return new Map(
    ["Purpose", "Domain", "Behaviour"].flatMap((item) => {
      const text = lineOf(textOf(stated[item.toLowerCase()])?.replace(/\s+/g, " "));
      return text === undefined ? [] : [[item, text] as const];
    }),
  );
}

const partItemNames = ["Empty inputs", "Unknown fields", "Null fields", "Timestamps", "Cross-origin"];

/** The items of part 4 before the first endpoint. */
export function ownPartItems(first: Plain): readonly OwnItem[] {
  return itemsIn(first["x-ninefold-items"], partItemNames);
}

function itemsIn(value: unknown, names = itemNames): readonly OwnItem[] {
  return listOf(value).flatMap((entry) => {
    const [item, text] = [textOf(member(entry, "item")), lineOf(member(entry, "value"))];
    return item !== undefined && names.includes(item) && text !== undefined ? [{ item, value: text }] : [];
  });
}

/** The items of an operation. Empty unless it states what the operation does. */
export function ownItems({ node }: Operation): readonly OwnItem[] {
  const items = itemsIn(node["x-ninefold-items"]);
  const isUsable = items.some(({ item, value }) => item === "Does" && !/^(handler|stream)\b/.test(value));
  return isUsable ? [...items, ...accessItems(node), ...idempotencyItem(node)] : [];
}

/** `Allowed` and `Fails`. The guards of a transition are in its table. */
function accessItems(node: Plain): readonly OwnItem[] {
  return listOf(node["x-ninefold-guard"]).flatMap((guard) => {
    const condition = expression(member(guard, "condition"));
    const [kind, code] = [textOf(member(guard, "kind")), textOf(member(guard, "code"))];
    if (condition === undefined) return [];
    if (kind === "allowed") return [{ item: "Allowed", value: condition }];
    if (kind !== "fails" || code === undefined || !isCode(code)) return [];
    const field = textOf(member(guard, "field"));
    const on = /^[\w.[\]-]+$/.test(field ?? "") ? ` on ${field}` : "";
    const passes = member(guard, "nullPasses") === true ? ", null passes" : "";
    return [{ item: "Fails", value: `${code}${on} when ${condition}${passes}` }];
  });
}

function isCode(code: string): boolean {
  return /^[\w.-]{1,64}$/.test(code);
}

/** The codes that operations and transitions answer with, and their statuses. */
export function ownCodes(operations: readonly Operation[]): ReadonlyMap<string, number | undefined> {
  const codes = new Map<string, number | undefined>();
  for (const { node } of operations)
    for (const guard of listOf(node["x-ninefold-guard"])) {
      const code = textOf(member(guard, "code"));
      if (code !== undefined && isCode(code)) codes.set(code, numberOf(member(guard, "status")));
    }
  return codes;
}

function idempotencyItem(node: Plain): readonly OwnItem[] {
  const key = node["x-ninefold-idempotency"];
  const [place, name] = [textOf(member(key, "in")), textOf(member(key, "name"))];
  if ((place !== "header" && place !== "body") || !/^[\w.-]+$/.test(name ?? "")) return [];
  const kept = durationOf(member(key, "kept"));
  const per = expression(member(key, "per"));
  const value = [
    `${place} ${name}`,
    ...(kept === undefined ? [] : [kept]),
    ...(per === undefined ? [] : [`per ${per}`]),
    ...(member(key, "required") === true ? ["required"] : []),
  ];
  return [{ item: "Idempotency", value: value.join(", ") }];
}

/** `1 day` of `PT86400S`. */
function durationOf(value: unknown): string | undefined {
  const [, count] = /^PT(\d+(?:\.\d+)?)S$/.exec(textOf(value) ?? "") ?? [];
  return count === undefined ? undefined : formatDuration(Math.round(Number(count) * 1000));
}

/** Whether pagination reads the input. Part 8 has its bounds. */
function isOfPage(items: readonly OwnItem[], name: string): boolean {
  return items.some(
    ({ item, value }) =>
      item === "Pagination" && value.split(/[(),]/).some((part) => part.endsWith(`: ${name}`)),
  );
}

export interface OwnVersion {
  readonly in: string;
  readonly name: string;
  readonly version: string;
}

/** The version that an export describes, and the input that selects it. */
export function ownVersion(first: Plain): OwnVersion | undefined {
  const stated = first["x-ninefold-version"];
  const [place, name, version] = ["in", "name", "version"].map((key) => textOf(member(stated, key)));
  const isUsable = (place === "header" || place === "query") && [name, version].every(isToken);
  return isUsable ? { in: place, name: name ?? "", version: version ?? "" } : undefined;
}

function isToken(text: string | undefined): boolean {
  return /^[A-Za-z0-9][\w.-]*$/.test(text ?? "");
}

/** The shapes of pages: name and expression. */
export function ownPages(first: Plain): readonly { readonly name: string; readonly body: string }[] {
  return listOf(first["x-ninefold-pages"]).flatMap((page) => {
    const [name, body] = [textOf(member(page, "name")), textOf(member(page, "body"))];
    const isUsable = /^[A-Z]\w*$/.test(name ?? "") && body !== undefined && !/`|<!--/.test(body);
    return isUsable && name !== undefined ? [{ name, body }] : [];
  });
}

/** Whether an item of the operation names the input, so that no row states it. */
export function isOwnInput(items: readonly OwnItem[], location: string, name: string): boolean {
  if (location !== "header") return isOfPage(items, name);
  const low = name.toLowerCase();
  return items.some(
    ({ item, value }) =>
      (item === "Idempotency" && value.toLowerCase().startsWith(`header ${low}`)) ||
      (item === "Preconditions" &&
        value
          .toLowerCase()
          .split(/, | required/)
          .includes(low)),
  );
}

/**
 * What an input does. Undefined if it isn't stated. An input that an expression reads
 * needs no cell.
 */
export function ownInput(
  { node }: Operation,
  items: readonly OwnItem[],
  machines: readonly OwnMachine[],
  location: string,
  name: string,
): OwnInput | undefined {
  const stated = listOf(node["x-ninefold-inputs"]).find(
    (entry) => member(entry, "in") === location && member(entry, "name") === name,
  );
  const field = textOf(member(stated, "field"));
  const [sets, where] = [textOf(member(stated, "sets")), expression(member(stated, "where"))];
  const isField = (text: string | undefined): text is string => /^\w+$/.test(text ?? "");
  if (isField(sets)) return { where: "", field: sets };
  if (where !== undefined) return { where, field: "" };
  if (member(stated, "ignored") === true) return { where: "none", field: "" };
  if (isField(field) && member(stated, "filter") === "equals")
    return { where: `\`this.${field} == ${location}.${name}\``, field: "" };
  const isRead = items.some(
    ({ item, value }) =>
      value.includes(`${location}.${name}`) ||
      (item === "Idempotency" && value.startsWith(`${location} ${name}`)),
  );
  const fired = new Set(
    items.flatMap(({ item, value }) => (/^(Does|Then)$/.test(item) ? (value.split(" ")[0] ?? "") : [])),
  );
  const isReadBehind = machines
    .flatMap(({ transitions }) => transitions)
    .some(
      (transition) =>
        fired.has(transition.name) &&
        [transition.guard, transition.effect].some((text) => text.includes(`${location}.${name}`)),
    );
  return isRead || isReadBehind ? { where: "", field: "" } : undefined;
}

/** The inputs of an export with another name on the wire, by that name. */
export function ownNames({ node }: Operation, location: string): ReadonlyMap<string, StatedName> {
  return new Map(
    listOf(node["x-ninefold-inputs"]).flatMap((entry) => {
      const [name, sent] = [textOf(member(entry, "name")), textOf(member(entry, "sentAs"))];
      if (member(entry, "in") !== location || !isToken(name) || sent === undefined || !canBeSentAs(sent))
        return [];
      return [[sent, { name: name ?? "", rules: [sentAsRule(sent)] }] as const];
    }),
  );
}

export interface OwnRecord {
  readonly path: string;
  readonly is: string;
  readonly where: readonly string[];
}

/** The records that the path of an operation stands for. */
export function ownRecords({ node, path }: Operation): readonly OwnRecord[] {
  return listOf(node["x-ninefold-records"]).flatMap((entry) => {
    const [at, is] = [textOf(member(entry, "path")), textOf(member(entry, "is"))];
    const where = listOf(member(entry, "where")).flatMap((text) => expression(text) ?? []);
    const isAbove = at !== undefined && (path === at || path.startsWith(`${at}/`));
    return isAbove && /^\w+$/.test(is ?? "") ? [{ path: at, is: is ?? "", where }] : [];
  });
}

export interface OwnResource {
  readonly items: readonly OwnItem[];
  readonly identifier: string;
  /** Rules by field. */
  readonly rules: ReadonlyMap<string, readonly string[]>;
  /** The types that JSON Schema has no word for, by field. */
  readonly types: ReadonlyMap<string, string>;
  /** The fields with another name on the wire, by that name. */
  readonly names: ReadonlyMap<string, StatedName>;
}

/** What an export states of the records of a schema. */
export function ownResource({ own, properties }: Schema): OwnResource | undefined {
  const stated = own["x-ninefold-resource"];
  const items = itemsIn(member(stated, "items"));
  const text = items.find(({ item }) => item === "Identifier")?.value ?? "";
  const [, identifier = ""] = /^(\w+)/.exec(text) ?? [];
  if (!properties.has(identifier)) return undefined;
  const rules = Object.entries(plainOf(member(stated, "fields"))).map(
    ([name, texts]) => [name, listOf(texts).flatMap((rule) => lineOf(rule) ?? [])] as const,
  );
  const names = rules.flatMap(([name, texts]) =>
    texts.flatMap((rule) => {
      const [, sent] = /^sent\sas\s"(.+)"$/.exec(rule) ?? [];
      return sent === undefined ? [] : [[sent, { name, rules: [] }] as const];
    }),
  );
  const types = Object.entries(plainOf(member(stated, "types"))).flatMap(([name, type]) =>
    isTypeText(type) ? [[name, type] as const] : [],
  );
  return { items, identifier, rules: new Map(rules), types: new Map(types), names: new Map(names) };
}

/** `Shop`, `list of decimal` */
function isTypeText(value: unknown): value is string {
  return /^(?:(?:list|map) of )*\w+$/.test(textOf(value) ?? "");
}

/** The type of an input that JSON Schema has no word for. */
export function ownInputType({ node }: Operation, location: string, name: string): string | undefined {
  const stated = listOf(node["x-ninefold-inputs"]).find(
    (entry) => member(entry, "in") === location && member(entry, "name") === name,
  );
  const type = member(stated, "type");
  return isTypeText(type) ? type : undefined;
}

export interface OwnTransition {
  readonly name: string;
  readonly from: string;
  readonly to: string;
  readonly trigger: string;
  readonly guard: string;
  readonly effect: string;
}

export interface OwnMachine {
  readonly field: string | undefined;
  readonly initial: string | undefined;
  readonly transitions: readonly OwnTransition[];
}

/** The states of a schema's records. Undefined if a part of them is unreadable. */
export function ownMachine({ own }: Schema): OwnMachine | undefined {
  const stated = own["x-ninefold-states"];
  if (!isPlain(stated)) return undefined;
  const field = lineOf(stated["field"]);
  const initial = lineOf(stated["initial"]);
  const transitions = listOf(stated["transitions"]).flatMap((transition) => {
    const name = lineOf(member(transition, "name")) ?? "";
    return listOf(member(transition, "ends")).map((end) => transitionOf(name, plainOf(end)));
  });
  return transitions.includes(undefined)
    ? undefined
    : { field, initial, transitions: transitions.flatMap((transition) => transition ?? []) };
}

function transitionOf(name: string, end: Plain): OwnTransition | undefined {
  const from = end["from"] === "any" ? "any" : listOf(end["from"]).map(lineOf).join(", ");
  const [to, trigger] = [lineOf(end["to"]), lineOf(end["trigger"])];
  const after = durationOf(/^after (PT\S+)$/.exec(trigger ?? "")?.[1]);
  const guard = end["guard"] === undefined ? "" : expression(end["guard"]);
  const otherwise = textOf(end["else"]);
  const effects = listOf(end["effects"]).map((effect) =>
    effect === "not shown" ? undefined : lineOf(effect),
  );
  if (to === undefined || trigger === undefined || from === "" || !/^\w+$/.test(name)) return undefined;
  const isWhole = Array.isArray(end["effects"]) && !effects.some((effect) => effect?.includes("`") ?? true);
  return {
    name,
    from,
    to,
    trigger: after === undefined ? trigger : `after ${after}`,
    guard:
      guard === undefined
        ? "not shown"
        : guard + (otherwise !== undefined && isCode(otherwise) ? ` else ${otherwise}` : ""),
    effect: isWhole ? (effects.length === 0 ? "" : `\`${effects.join("; ")}\``) : "not shown",
  };
}

export interface OwnLimit {
  /** `rate core` */
  readonly limit: string;
  readonly bound: string;
  /** Whose requests count. Empty for limits that count none. */
  readonly per: string;
}

/** The limits of an operation, as rows of part 8. */
export function ownLimits({ node }: Operation): readonly OwnLimit[] {
  const limits = node["x-ninefold-limits"];
  const bytes = numberOf(member(limits, "bodyBytes"));
  const timeout = durationOf(member(limits, "timeout"));
  const page = plainOf(member(limits, "page"));
  const [initial, maximum] = [numberOf(page["default"]), numberOf(page["maximum"])];
  const bound = [
    ...(initial === undefined ? [] : [`default ${initial}`]),
    ...(maximum === undefined ? [] : [`maximum ${maximum}`]),
    ...(page["over"] === "clamped" ? ["clamped"] : []),
  ];
  return [
    ...listOf(member(limits, "rates")).flatMap(rateOf),
    ...(bytes === undefined ? [] : [{ limit: "body", bound: `${bytes} bytes`, per: "" }]),
    ...(timeout === undefined ? [] : [{ limit: "time-out", bound: timeout, per: "" }]),
    ...(bound.length === 0 ? [] : [{ limit: "page", bound: bound.join(", "), per: "" }]),
  ];
}

function rateOf(rate: unknown): readonly OwnLimit[] {
  const [name, per, period] = [
    textOf(member(rate, "name")),
    lineOf(member(rate, "per")),
    member(rate, "period"),
  ];
  const [count, burst] = [numberOf(member(rate, "count")), numberOf(member(rate, "burst"))];
  const every = durationOf(period);
  if (per === undefined || count === undefined || every === undefined) return [];
  const who = /^(caller|address|service)$/.test(per) ? per : expression(per);
  const [when, costing] = [expression(member(rate, "when")), expression(member(rate, "costing"))];
  const statuses = listOf(member(rate, "exceptAnswers")).flatMap((status) => numberOf(status) ?? []);
  if (who === undefined) return [];
  const conditions = [
    who,
    ...(when === undefined ? [] : [`when ${when}`]),
    ...(costing === undefined ? [] : [`costing ${costing}`]),
    ...(statuses.length === 0 ? [] : [`except answers ${statuses.join(", ")}`]),
  ];
  return [
    {
      limit: name === "rate" || !/^[\w-]+$/.test(name ?? "") ? "rate" : `rate ${name}`,
      bound: `${count} per ${every.replace(/^1 /, "")}${burst === undefined ? "" : `, burst ${burst}`}`,
      per: conditions.join(", "),
    },
  ];
}
