/**
 * Items of an endpoint or a resource as texts of the notation, for the extensions: an import of the
 * export reads them back.
 */
import type { JsonSchema } from "../../fields/json-schema.ts";
import type { FieldRule } from "../../fields/rule.ts";
import type { FieldType } from "../../fields/type.ts";
import { ruleNamed } from "../../fields/rules/index.ts";
import { formatDuration } from "../../support/quantity.ts";
import { type Does, doesText } from "../../model/endpoints/does.ts";
import { unknownFieldsText } from "../../model/endpoints/unknown-inputs.ts";
import type {
  Assignment,
  Effect,
  Endpoint,
  EndpointsPart,
  FailRule,
  OrderChoice,
  OrderItem,
  Pagination,
  Resource,
} from "../../model/model.ts";

/** The items for which OpenAPI has no words, in the order of the notation's page. */
export function itemsOf(endpoint: Endpoint): readonly JsonSchema[] {
  const { resource, pagination, preconditions, finds } = endpoint;
  const item = (name: string, value: string, when?: string): JsonSchema => ({
    item: name,
    value: when === undefined ? value : `${value} when \`${when}\``,
  });
  return [
    ...endpoint.does.map((does) => item("Does", operationText(does), does.when?.text)),
    ...endpoint.then.map(({ transition, when }) =>
      item("Then", resource === undefined ? transition : `${transition} ${resource}`, when?.text),
    ),
    ...endpoint.where.map(({ text }) =>
      item("Where", `${quoted(text)}${endpoint.inputsFirst ? ", inputs first" : ""}`),
    ),
    ...(endpoint.whereChoices ?? []).map(({ of, condition }) =>
      item("Where", `${anyOfText(of)} by ${quoted(condition.text)}`),
    ),
    ...endpoint.lets.map(({ name, value }) => item("Let", `${name} = ${quoted(value.text)}`)),
    ...endpoint.set.map((effect) => item("Set", quoted(effectText(effect)))),
    ...endpoint.effects.map((effect) => item("Effect", quoted(effectText(effect)))),
    ...endpoint.order.map((order) => item("Order", orderText(order), order.when?.text)),
    ...(pagination ? [item("Pagination", paginationText(pagination))] : []),
    ...(preconditions ? [item("Preconditions", preconditionsText(preconditions))] : []),
    ...(finds ? [item("Finds", finds)] : []),
    ...endpoint.allowed.flatMap(({ kind, of }) =>
      kind === "condition" || (of !== undefined && of !== "part") ? [] : [item("Allowed", kind)],
    ),
    ...openFailsText(endpoint.openFails ?? []).map((value) => item("Fails", value)),
    ...[unknownFieldsText(endpoint.unknownFields)].flatMap((value) =>
      value === undefined ? [] : [item("Unknown fields", value)],
    ),
    ...deprecatedText(endpoint.deprecated).map((value) => item("Deprecated", value)),
    ...returnsTexts(endpoint.returns).map(({ value, when }) => item("Returns", value, when)),
    ...endpoint.headers.map(({ name, value }) => item("Header", `${name}: ${quoted(value.text)}`)),
    ...endpoint.headerMaps.map(({ value }) => item("Headers", quoted(value.text))),
  ];
}

/** The items before the first endpoint that decide how everything is sent. */
export function partItemsOf(part: EndpointsPart): readonly JsonSchema[] {
  const { emptyInputs, unknownFields, nullFields, timestamps, crossOrigin } = part;
  const stated = {
    "Empty inputs": emptyInputs,
    "Unknown fields": unknownFieldsText(unknownFields),
    "Null fields": nullFields,
    Timestamps: timestamps,
    "Cross-origin": typeof crossOrigin === "object" ? crossOrigin.join(", ") : crossOrigin,
  };
  return Object.entries(stated).flatMap(([item, value]) => (value === undefined ? [] : [{ item, value }]));
}

function openFailsText(open: NonNullable<Endpoint["openFails"]>): readonly string[] {
  return open.length === 0 ? [] : [`${open.map(({ status }) => status).join(", ")} when not shown`];
}

function deprecatedText(deprecated: Endpoint["deprecated"]): readonly string[] {
  const { since, until } = deprecated ?? {};
  const days = [
    ...(since === undefined ? [] : [`since ${since}`]),
    ...(until === undefined ? [] : [`until ${until}`]),
  ];
  return days.length === 0 ? [] : [days.join(", ")];
}

/**
 * Pages, responses by a condition, and bodies of an expression. For a single response of a shape,
 * OpenAPI has the schema.
 */
function returnsTexts(
  returns: Endpoint["returns"],
): readonly { readonly value: string; readonly when?: string }[] {
  const isByCondition = returns.length > 1 || returns.some(({ when }) => when !== undefined);
  if (!isByCondition && !returns.some(isOfExpression)) return [];
  return returns.map((answer) => ({
    value: returnText(answer),
    ...(answer.when ? { when: answer.when.text } : {}),
  }));
}

function isOfExpression(answer: Endpoint["returns"][number]): boolean {
  if (answer.kind === "page") return true;
  const body = answer.kind === "expression" ? answer.body : answer.kind === "list" ? answer.item : undefined;
  return body !== undefined && shapeOrText(body.text).startsWith("`");
}

function returnText(answer: Endpoint["returns"][number]): string {
  switch (answer.kind) {
    case "nothing":
      return `${answer.status} nothing`;
    case "expression":
      return `${answer.status} ${shapeOrText(answer.body.text)}`;
    case "list":
      return `${answer.status} list of ${shapeOrText(answer.item.text)}`;
    case "page":
      return `${answer.status} ${answer.page.text} of ${shapeOrText(answer.item.text)}`;
    default:
      return answer.code;
  }
}

/** `Parcel` of `Parcel(this)`. */
function shapeOrText(text: string): string {
  const [, shape] = /^(\w+)\(this\)$/.exec(text) ?? [];
  return shape ?? quoted(text);
}

/** The items of a resource, without those that name fields missing from responses. */
export function resourceItemsOf(
  resource: Resource,
  isShown: (field: string) => boolean,
): readonly JsonSchema[] {
  const { identifier, unique, visible, fails, always, kept, deleted } = resource;
  return [
    ...identifierText(identifier).map((value) => ({ item: "Identifier", value })),
    ...unique
      .filter(({ fields }) => fields.every(isShown))
      .map(({ fields }) => ({ item: "Unique", value: fields.join(", ") })),
    ...(visible ? [{ item: "Visible", value: quoted(visible.text) }] : []),
    ...fails
      .filter(({ on }) => on === undefined || isShown(on.split(/[.[]/)[0] ?? ""))
      .map((rule) => ({ item: "Fails", value: failsText(rule) })),
    ...always.map(({ text }) => ({ item: "Always", value: quoted(text) })),
    ...(kept && isShown(kept.after)
      ? [{ item: "Kept", value: `${formatDuration(kept.milliseconds)} after ${kept.after}` }]
      : []),
    ...(deleted === "marked" ? [{ item: "Deleted", value: "marked" }] : []),
  ];
}

/** `bad_period on ends_at when `…`, null passes` */
function failsText({ code, on, when, nullPasses }: FailRule): string {
  return `${code}${on === undefined ? "" : ` on ${on}`} when ${quoted(when.text)}${nullPasses ? ", null passes" : ""}`;
}

function identifierText(identifier: Resource["identifier"]): readonly string[] {
  switch (identifier.kind) {
    case "made":
      return [`${identifier.field}, made by ${identifier.by ? quoted(identifier.by.text) : "not shown"}`];
    case "given":
      return [`${identifier.field}, given`];
    case "joint":
      return [identifier.fields.join(" and ")];
    default:
      return [];
  }
}

/** `on create `now``, `length 1..80`: a rule as the notation writes it. */
export function ruleText(rule: FieldRule): string {
  if (rule.rule === "pattern") return `pattern ${quoted(rule.pattern)}`;
  if (rule.rule === "on delete") return `on delete ${rule.then}`;
  if (rule.rule === "keys" || rule.rule === "each") return `${rule.rule} ${ruleText(rule.of)}`;
  if ("value" in rule) return `${rule.rule === "computed" ? "=" : rule.rule} ${quoted(rule.value.text)}`;
  return ruleNamed(rule).replace(/^range /, "");
}

/**
 * A type that JSON Schema has no word for, as the notation writes it: `Shop`, `list of decimal`.
 * Undefined for all others.
 */
export function typeText(type: FieldType): string | undefined {
  switch (type.kind) {
    case "reference":
      return type.resource;
    case "decimal":
    case "duration":
    case "password":
    case "credential":
      return type.kind;
    case "list":
    case "map": {
      const of = typeText(type.of);
      return of === undefined ? undefined : `${type.kind} of ${of}`;
    }
    default:
      return undefined;
  }
}

function quoted(text: string): string {
  return `\`${text}\``;
}

function orderText({ keys, choice }: OrderItem): string {
  const texts = keys.map(({ by, descending, direction }) => {
    const requested = direction ? ` by ${direction.text}, else` : "";
    return `${fieldOrText(by.text)}${requested}${descending ? " descending" : direction ? " ascending" : ""}`;
  });
  const stated = texts.join(", ");
  if (!choice) return stated;
  return `${anyOfText(choice.of)} by ${choice.text.text}${stated === "" ? "" : `, else ${stated}`}`;
}

function anyOfText(of: OrderChoice["of"]): string {
  return `any of ${of.map(({ name }) => name).join(", ")}`;
}

function paginationText(pagination: Pagination): string {
  const { kind, links } = pagination;
  if (kind === "none") return "none";
  const roles: Readonly<Record<string, unknown>> = { ...pagination };
  const parts = ["page", "offset", "size", "after", "before", "at"].flatMap((role) =>
    typeof roles[role] === "string" ? [`${role}: ${roles[role]}`] : [],
  );
  const isOther = (kind === "page" && pagination.from === 0) || (kind === "offset" && pagination.from === 1);
  const form = isOther ? `${kind} from ${pagination.from}` : kind;
  return `${form} (${parts.join(", ")})${links ? ", with Link" : ""}`;
}

function preconditionsText({ ifMatch, ifNoneMatch, weak }: NonNullable<Endpoint["preconditions"]>): string {
  const words = [
    ...(ifMatch === "none" ? [] : [ifMatch === "required" ? "If-Match required" : "If-Match"]),
    ...(ifNoneMatch === "none" ? [] : ["If-None-Match"]),
    ...(weak ? ["weak"] : []),
  ];
  return words.length === 0 ? "none" : words.join(", ");
}

/** `shipped_at = now when this.paid`, as the notation writes it. */
export function effectText(effect: Effect): string {
  const when = effect.when ? ` when ${effect.when.text}` : "";
  return `${changeText(effect)}${when}`;
}

function changeText(effect: Effect): string {
  switch (effect.kind) {
    case "assign":
      return `${effect.of ? `${effect.of.text}.` : ""}${effect.field} = ${effect.value.text}`;
    case "create": {
      const { resource, fields, as, for: each } = effect;
      const loop = each ? ` for ${each.variable} in ${each.list.text}` : "";
      const condition = each?.when ? ` when ${each.when.text}` : "";
      return `${effect.upsert ? "upsert" : "create"} ${resource}${withText(" with ", fields)}${as === undefined ? "" : ` as ${as}`}${loop}${condition}`;
    }
    case "update":
      return `update ${effect.resource} where ${effect.where.text}${withText(" set ", effect.set)}`;
    case "delete":
      return `delete ${effect.resource} where ${effect.where.text}`;
    case "do": {
      const { transition, resource, where, first, by } = effect;
      const keys = by
        .map((key) => `${key.by.text.replace(/^this\./, "")}${key.descending ? " descending" : ""}`)
        .join(", ");
      const count = first ? `, first ${first.text}${keys === "" ? "" : ` by ${keys}`}` : "";
      const values = effect.with.map(({ name, value }) => `${name} = ${value.text}`).join(", ");
      return `do ${transition} on ${resource} where ${where.text}${count}${values === "" ? "" : ` with ${values}`}`;
    }
    case "send":
      return `send ${effect.event}`;
  }
}

function withText(word: string, fields: readonly Assignment[]): string {
  return fields.length === 0
    ? ""
    : word + fields.map(({ field, value }) => `${field} = ${value.text}`).join(", ");
}

/** `update Parcel`, `cancel Message`, `read Parcel, if any`: without its condition. */
function operationText(does: Does): string {
  return `${doesText(does)}${"ifAny" in does && does.ifAny ? ", if any" : ""}`;
}

/** A field of the record is named without `this` where an order is stated. */
function fieldOrText(text: string): string {
  const [, field] = /^this\.(\w+)$/.exec(text) ?? [];
  return field ?? quoted(text);
}
