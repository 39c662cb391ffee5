/**
 * Mutations: variants of a document, each with one rule broken. A mutation that no test detects
 * names a rule that the tests don't cover.
 */
import { appliesTo } from "../../model/limits/applies.ts";
import type { Endpoint, Model } from "../../model/model.ts";
import type { Position } from "../../source/source.ts";
import {
  hidingOfCaller,
  hidingOfEffect,
  isAfterWait,
  isLast,
  isRepeated,
  isRest,
} from "./hidden-mutations.ts";
import { holdsResponse, reasonNotDrawn } from "../requests/not-drawn.ts";
import { endpointName } from "../walk/walked-step.ts";

export interface Mutation {
  /** `guard of collect Parcel removed`. */
  readonly name: string;
  readonly line: number;
  /**
   * Why requests to a service can't show the mutation: it concerns time, load, streams,
   * deliveries, or a value that no request can have.
   */
  readonly hiddenBy?: string | undefined;
  /** The document with the mutation applied. */
  apply(): Model;
}

type Path = readonly (string | number)[];

/** Collects the mutations of one model. */
class Mutations {
  readonly found: Mutation[] = [];
  readonly #model: Model;
  /** Applies to all mutations added after it is set. */
  hiddenBy: string | undefined;

  constructor(model: Model) {
    this.#model = model;
  }

  /**
   * @param value undefined removes the value at the path
   * @param removed paths that are removed, too
   */
  add(name: string, { start }: Position, path: Path, value?: unknown, removed: readonly Path[] = []): void {
    const apply = (): Model => {
      const copy = structuredClone(this.#model);
      put(copy, path, value);
      for (const place of removed) put(copy, place, undefined);
      return copy;
    };
    this.found.push({ name, line: start.line, hiddenBy: this.hiddenBy, apply });
  }

  /** Adds a mutation for each element of a list, which removes the element. */
  addEach(name: string, path: Path, list: readonly { readonly position: Position }[]): void {
    for (const [at, { position }] of list.entries())
      this.add(list.length === 1 ? name : `${name} (${at + 1} of ${list.length})`, position, [...path, at]);
  }
}

function put(root: object, path: Path, value: unknown): void {
  let parent: unknown = root;
  for (const key of path.slice(0, -1))
    parent = typeof parent === "object" && parent !== null ? Reflect.get(parent, key) : undefined;
  const last = path.at(-1);
  if (typeof parent !== "object" || parent === null || last === undefined) return;
  if (value !== undefined) Reflect.set(parent, last, value);
  else if (Array.isArray(parent) && typeof last === "number") parent.splice(last, 1);
  else Reflect.deleteProperty(parent, last);
}

export function mutationsOf(model: Model): readonly Mutation[] {
  const mutations = new Mutations(model);
  for (const [at, endpoint] of model.endpoints.entries()) {
    if (endpoint.gap) continue;
    mutations.hiddenBy = reasonNotDrawn(endpoint, model);
    mutateAccess(mutations, model, endpoint, ["endpoints", at]);
    mutateEndpoint(mutations, model, endpoint, ["endpoints", at]);
    mutateInputs(mutations, model, endpoint, ["endpoints", at]);
  }
  mutations.hiddenBy = undefined;
  mutateResources(mutations, model);
  mutateStates(mutations, model);
  mutateEvents(mutations, model);
  mutateErrors(mutations, model);
  mutations.hiddenBy = undefined;
  for (const [at, { default: usual, maximum, position, applies }] of model.limits.pages.entries()) {
    const isPaged = ({ pagination }: Endpoint) => pagination !== undefined && pagination.kind !== "none";
    if (!model.endpoints.some((endpoint) => isPaged(endpoint) && appliesTo(applies, endpoint))) continue;
    if (usual !== undefined && usual > 1)
      mutations.add(
        `default page size is ${usual - 1}`,
        position,
        ["limits", "pages", at, "default"],
        usual - 1,
      );
    if (maximum !== undefined && maximum > 1)
      mutations.add(
        `maximum page size is ${maximum - 1}`,
        position,
        ["limits", "pages", at, "maximum"],
        maximum - 1,
      );
  }
  return mutations.found;
}

function mutateAccess(mutations: Mutations, model: Model, endpoint: Endpoint, path: Path): void {
  const name = endpointName(endpoint);
  if (endpoint.allowed.some(({ kind }) => kind === "condition"))
    mutations.add(
      `${name}: Allowed is any caller`,
      endpoint.allowed[0]?.position ?? endpoint.position,
      [...path, "allowed"],
      [{ kind: "any caller", position: endpoint.position }],
    );
  if (endpoint.allowed.length > 0 && endpoint.allowed.every(({ kind }) => kind !== "anyone")) {
    const ofEndpoint = mutations.hiddenBy;
    mutations.hiddenBy ??= hidingOfCaller(endpoint, model);
    mutations.add(
      `${name}: Allowed is anyone`,
      endpoint.allowed[0]?.position ?? endpoint.position,
      [...path, "allowed"],
      [{ kind: "anyone", position: endpoint.position }],
    );
    mutations.hiddenBy = ofEndpoint;
  }
  for (const [at, record] of endpoint.records.entries()) {
    if (record.allowed.length > 0)
      mutations.add(
        `${name}: Allowed of ${record.path} removed`,
        record.position,
        [...path, "records", at, "allowed"],
        [],
      );
    if (record.where.length > 0)
      mutations.add(
        `${name}: Where of ${record.path} removed`,
        record.position,
        [...path, "records", at, "where"],
        [],
      );
  }
}

function mutateEndpoint(mutations: Mutations, model: Model, endpoint: Endpoint, path: Path): void {
  const name = endpointName(endpoint);
  mutations.addEach(`${name}: Fails removed`, [...path, "fails"], endpoint.fails);
  mutations.addEach(`${name}: Set removed`, [...path, "set"], endpoint.set);
  mutations.addEach(`${name}: effect removed`, [...path, "effects"], endpoint.effects);
  mutations.addEach(`${name}: header removed`, [...path, "headers"], endpoint.headers);
  if (endpoint.where.length > 0)
    mutations.add(
      `${name}: Where removed`,
      endpoint.where[0]?.position ?? endpoint.position,
      [...path, "where"],
      [],
    );
  mutations.addEach(
    `${name}: Where by requests removed`,
    [...path, "whereChoices"],
    endpoint.whereChoices ?? [],
  );
  if (endpoint.idempotency)
    mutations.add(`${name}: Idempotency removed`, endpoint.idempotency.position, [...path, "idempotency"]);
  if (endpoint.preconditions)
    mutations.add(`${name}: Preconditions removed`, endpoint.preconditions.position, [
      ...path,
      "preconditions",
    ]);
  for (const [at, answer] of endpoint.returns.entries()) {
    if (answer.kind === "error" || answer.kind === "nothing") continue;
    const status = answer.status === 200 ? 201 : 200;
    const ofEndpoint = mutations.hiddenBy;
    if (isAfterWait(answer, endpoint, model)) mutations.hiddenBy ??= "it holds its response";
    mutations.add(
      `${name}: status is ${status}`,
      answer.position,
      [...path, "returns", at, "status"],
      status,
    );
    mutations.hiddenBy = ofEndpoint;
  }
  for (const [at, item] of endpoint.order.entries())
    for (const [key, { descending }] of item.keys.entries())
      mutations.add(
        `${name}: order reversed`,
        item.position,
        [...path, "order", at, "keys", key, "descending"],
        !descending,
      );
}

/**
 * The path of a `required` rule on the field that an input sets. It would reject the value even
 * without the input's rule.
 */
function requiredOfField(
  { resources }: Model,
  { resource }: Endpoint,
  sets: string | undefined,
): readonly Path[] {
  const at = resources.findIndex(({ name }) => name === resource);
  const fields = resources[at]?.fields ?? [];
  const field = fields.findIndex(({ name }) => name === sets);
  const rule = fields[field]?.rules.findIndex((rule) => rule.rule === "required") ?? -1;
  return rule < 0 ? [] : [["resources", at, "fields", field, "rules", rule]];
}

function mutateInputs(mutations: Mutations, model: Model, endpoint: Endpoint, path: Path): void {
  for (const [at, input] of endpoint.inputs.entries()) {
    if (input.in === "path" || input.gap) continue;
    const name = `${endpointName(endpoint)}: ${input.name.join(".")}`;
    const own = [...path, "inputs", at];
    const ofEndpoint = mutations.hiddenBy;
    if (holdsResponse(endpoint, input)) mutations.hiddenBy ??= "it holds its response";
    if (input.required)
      mutations.add(
        `${name} is optional`,
        input.position,
        [...own, "required"],
        false,
        requiredOfField(model, endpoint, input.sets),
      );
    if (input.filter && !input.ignored)
      mutations.add(`${name} filters nothing`, input.position, [...own, "filter"], {
        kind: "condition",
        condition: {
          text: "true",
          position: input.position,
          node: { op: "literal", value: true, type: { kind: "boolean" } },
        },
      });
    for (const [rule, { rule: kind, ...bounds }] of input.rules.entries()) {
      const place = [...own, "rules", rule];
      if (kind === "pattern" || kind === "distinct")
        mutations.add(`${name}: ${kind} removed`, input.position, place);
      if (kind !== "range" && kind !== "length" && kind !== "items") continue;
      const { min, max } = { min: undefined, max: undefined, ...bounds };
      if (typeof max === "number")
        mutations.add(
          `${name}: maximum of its ${kind} is ${max + 1}`,
          input.position,
          [...place, "max"],
          max + 1,
        );
      // A text or list has never less than nothing.
      if (typeof min !== "number" || (kind !== "range" && min <= 0)) continue;
      const ofInput = mutations.hiddenBy;
      if (kind === "items" && min === 1 && input.in === "body" && isOnlyForm(endpoint, model))
        mutations.hiddenBy ??= "forms, which have no empty list";
      mutations.add(
        `${name}: minimum of its ${kind} is ${min - 1}`,
        input.position,
        [...place, "min"],
        min - 1,
      );
      mutations.hiddenBy = ofInput;
    }
    mutations.hiddenBy = ofEndpoint;
  }
}

function isOnlyForm({ accepts }: Endpoint, { endpointsPart }: Model): boolean {
  const all = accepts ?? endpointsPart.accepts ?? [];
  return all.length > 0 && all.every((type) => type.includes("x-www-form-urlencoded"));
}

function mutateResources(mutations: Mutations, { resources }: Model): void {
  for (const [at, resource] of resources.entries()) {
    const { name, fails, unique, visible, always } = resource;
    mutations.addEach(`${name}: Fails removed`, ["resources", at, "fails"], fails);
    mutations.addEach(`${name}: Unique removed`, ["resources", at, "unique"], unique);
    if (visible) mutations.add(`${name}: Visible removed`, visible.position, ["resources", at, "visible"]);
    mutations.addEach(`${name}: Always removed`, ["resources", at, "always"], always);
  }
}

/** A shorter delay than the tolerance around a time, in milliseconds, isn't observed. */
const marginMs = 18_000;

function mutateStates(mutations: Mutations, model: Model): void {
  const { resources, endpoints } = model;
  for (const [at, own] of resources.entries()) {
    const { name: resource, states } = own;
    for (const [transition, { name, ends }] of (states?.transitions ?? []).entries())
      for (const [place, end] of ends.entries()) {
        const path = ["resources", at, "states", "transitions", transition, "ends", place];
        const isTimed = end.trigger.kind === "after" || end.trigger.kind === "at";
        mutations.hiddenBy = isTimed ? "time" : undefined;
        const what = `${name} ${resource}`;
        if (end.guard) mutations.add(`${what}: guard removed`, end.position, [...path, "guard"]);
        if (end.from !== "any") {
          if (isTimed && isRest(end, own, model)) mutations.hiddenBy = "the state that a record has already";
          if (!isTimed && isLast(ends, place, states?.states ?? []))
            mutations.hiddenBy = "an earlier rule of its transition";
          mutations.add(`${what}: from any state`, end.position, [...path, "from"], "any");
          mutations.hiddenBy = isTimed ? "time" : undefined;
        }
        const otherState = states?.states.find((state) => state.name !== end.to && !end.same)?.name;
        if (otherState !== undefined)
          mutations.add(`${what}: to ${otherState}`, end.position, [...path, "to"], otherState);
        for (const [number, effect] of end.effects.entries())
          if (!isRepeated(effect, resource, name, endpoints)) {
            mutations.hiddenBy = hidingOfEffect(effect, own, model) ?? (isTimed ? "time" : undefined);
            mutations.add(
              end.effects.length === 1
                ? `${what}: effect removed`
                : `${what}: effect removed (${number + 1} of ${end.effects.length})`,
              effect.position,
              [...path, "effects", number],
            );
          }
        mutations.hiddenBy = isTimed ? "time" : undefined;
        if (end.trigger.kind === "after") {
          if (end.trigger.milliseconds < marginMs) mutations.hiddenBy = "a time shorter than its tolerance";
          mutations.add(
            `${what}: after twice the time`,
            end.position,
            [...path, "trigger", "milliseconds"],
            end.trigger.milliseconds * 2,
          );
        }
      }
  }
}

function mutateEvents(mutations: Mutations, { events }: Model): void {
  mutations.hiddenBy = "deliveries";
  for (const [at, event] of events.events.entries())
    mutations.addEach(`${event.name}: trigger removed`, ["events", "events", at, "triggers"], event.triggers);
}

/** Conditions that a single request can't provoke. */
const conditionsOfLoad: ReadonlySet<string> = new Set([
  "rate limited",
  "timed out",
  "unavailable",
  "internal",
  "idempotency in progress",
]);

function mutateErrors(mutations: Mutations, { errors }: Model): void {
  for (const [at, row] of errors.rows.entries()) {
    const isOfLoad =
      row.when.length > 0 && row.when.every(({ condition }) => conditionsOfLoad.has(condition));
    mutations.hiddenBy = isOfLoad ? "load" : undefined;
    const name = row.code ?? `status ${row.status ?? ""}`;
    if (row.status !== undefined)
      mutations.add(
        `error ${name}: status is ${row.status === 418 ? 400 : 418}`,
        row.position,
        ["errors", "rows", at, "status"],
        row.status === 418 ? 400 : 418,
      );
    if (row.code !== undefined)
      mutations.add(
        `error ${name}: another code`,
        row.position,
        ["errors", "rows", at, "code"],
        `${row.code}_changed`,
      );
  }
}
