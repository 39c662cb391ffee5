/**
 * Story context: what a story has shown so far, such as records that requests can name, callers,
 * cursors and entity tags.
 */
import { isDeepStrictEqual } from "node:util";
import type { RecordValue } from "../../expressions/value.ts";
import type { Endpoint, Model } from "../../model/model.ts";
import type { Json } from "../../support/json.ts";
import { type Caller, callerOfResponse, callerWith, credentialKeys } from "./callers.ts";
import { isList, isMap, isSameOrder } from "../comparison/compare-responses.ts";
import type { Draw } from "./draw.ts";
import type { GivenStep, Reference } from "../comparison/implementation.ts";
import { cursorNames } from "./lists.ts";
import type { Literals } from "./literals.ts";
import { type ScenarioExchange, type ScenarioStory, templateFrom } from "../scenarios/scenario-stories.ts";
import {
  hasValue,
  headerOf,
  jsonOf,
  parameterIn,
  type RequestTemplate,
  type ResponsePlace,
  Slot,
  type Step,
  type Template,
} from "./story.ts";
import type { ReceivedResponse } from "../../verify/scenario-failure.ts";

export interface StoryContextOptions {
  readonly model: Model;
  readonly draw: Draw;
  readonly literals: Literals;
  readonly run: string;
  readonly callers: readonly Caller[];
  readonly given: readonly GivenStep[];
  readonly receivers?: ObservedReceivers | undefined;
  readonly scenarios?: readonly ScenarioStory[];
}

/** Where a story's webhooks are observed. */
export interface ObservedReceivers {
  /** Ends with a slash. */
  readonly url: string;
  /** Fields that hold the address of a receiver, by resource. */
  readonly addresses: ReadonlyMap<string, ReadonlySet<string>>;
}

/** The maximum number of records of each resource that a story uses; the newest ones. */
const recordsMax = 40;
/** The maximum number of remembered texts of one key. */
const shownMax = 8;
/** The maximum number of callers that a story finds in responses. */
const callersMax = 4;
const cursorKeys = /next|prev|cursor|after|before|token/i;

export class StoryContext {
  readonly model: Model;
  readonly draw: Draw;
  readonly literals: Literals;
  readonly run: string;
  readonly callers: Caller[];
  /** The caller of most requests. */
  readonly mainCaller: Caller | undefined;
  readonly receivers: ObservedReceivers | undefined;
  /** Whether a place in a list of the last response is the same record's in the service. */
  areListsEqual = true;
  /** The last successful step of each endpoint. */
  readonly succeeded = new Map<string, Step>();
  /** Texts that look like a cursor, by the endpoint and the caller of the response. */
  readonly cursors = new Map<string, readonly Template[]>();
  /** Identifiers of listed records, by the endpoint and the caller of the response. */
  readonly listedIds = new Map<string, readonly Template[]>();
  /** Entity tags by path, because the tags of two records may be equal by chance. */
  readonly entityTags = new Map<string, Template>();
  /** The last texts that responses showed, by key. */
  readonly shownTexts = new Map<string, readonly Template[]>();
  records: ReadonlyMap<string, readonly RecordValue[]> = new Map();
  readonly #known = new Map<string, Template>();
  /** The records in the paths of streams: the resource and the identifying value. */
  readonly #watched = new Set<string>();
  /** Names of the callers whose responses contained a value. */
  readonly #seenBy = new Map<string, Set<string>>();
  /** Names of the callers that created records, by resource and row. */
  readonly #creators = new Map<string, string>();
  readonly #given: readonly GivenStep[];
  readonly #scenarios: readonly ScenarioStory[];
  /** The last value of each capture, by scenario and name. */
  readonly #captures = new Map<string, Template>();

  constructor({
    model,
    draw,
    literals,
    run,
    callers,
    given,
    receivers,
    scenarios = [],
  }: StoryContextOptions) {
    this.model = model;
    this.draw = draw;
    this.literals = literals;
    this.run = run;
    this.callers = [...callers];
    this.mainCaller = draw.oneOf(callers);
    this.receivers = receivers;
    this.#given = given;
    this.#scenarios = scenarios;
    const written = given.flatMap(({ fields }) =>
      fields.flatMap(({ value: { node } }) => (node.op === "literal" ? [node.value] : [])),
    );
    // The document states the records that every service has.
    const stated = model.resources.flatMap(({ records }) =>
      records.flatMap(({ fields }) => Object.values(fields)),
    );
    for (const value of [...written, ...stated]) if (typeof value === "string") this.#known.set(value, value);
  }

  /**
   * How a request names a value of a record: as a text or as a slot. Undefined if no response
   * contained it.
   */
  templateOf(value: unknown): Template | undefined {
    if (typeof value !== "string" && typeof value !== "number") return undefined;
    if (typeof value === "string" && value.includes(this.run)) return value.replaceAll(this.run, "{{run}}");
    return this.#known.get(String(value));
  }

  /**
   * Reads the records of the reference again.
   * @param caller the caller of the request before, who created the new ones
   */
  async readRecords(reference: Pick<Reference, "recordsOf">, caller?: Caller): Promise<void> {
    const records = new Map<string, readonly RecordValue[]>();
    for (const { name } of this.model.resources) records.set(name, await reference.recordsOf(name));
    for (const [resource, all] of caller ? records : []) {
      const before = new Set((this.records.get(resource) ?? []).map((record) => record["#row"]));
      for (const record of all)
        if (caller && !before.has(record["#row"])) this.#creators.set(rowKey(resource, record), caller.name);
    }
    this.records = records;
  }

  /** The name of the caller that created a record; undefined for initial records. */
  creatorOf(resource: string, record: RecordValue): string | undefined {
    return this.#creators.get(rowKey(resource, record));
  }

  /** The caller that created a record, or has seen its identifying value. */
  callerOf(resource: string, record: RecordValue, field: string): Caller | undefined {
    const creator = this.creatorOf(resource, record);
    return (
      this.callers.find(({ name }) => name === creator) ??
      this.callers.find((caller) => this.hasSeen(caller, record[field]))
    );
  }

  /** Notes the records in the path of a stream, whose events requests about them show. */
  watch({ records }: Endpoint, parameters: ReadonlyMap<string, Template>): void {
    for (const { resource, by } of records)
      if (by) this.#watched.add(`${resource} ${JSON.stringify(parameters.get(by.parameter))}`);
  }

  /** Whether a stream of the story is about a record. */
  isWatched(resource: string, record: RecordValue, field: string): boolean {
    return this.#watched.has(`${resource} ${JSON.stringify(this.templateOf(record[field]))}`);
  }

  /** Whether a response to the caller contained a value. */
  hasSeen({ name }: Caller, value: unknown): boolean {
    return this.#seenBy.get(String(value))?.has(name) === true;
  }

  /** Records whose identifying values a request can name, the newest last. */
  nameable(resource: string, field: string): readonly RecordValue[] {
    const all = this.records.get(resource) ?? [];
    return all.slice(-recordsMax).filter((record) => this.templateOf(record[field]) !== undefined);
  }

  /**
   * @param first the reference's response
   * @param second the response of its other run
   * @param areListsEqual whether the service has the same records, so that a place in a list is the
   * same record's
   */
  note(step: Step, first: ReceivedResponse, second: ReceivedResponse, areListsEqual = true): void {
    this.areListsEqual = areListsEqual;
    if (first.status >= 400) return;
    if (step.endpoint !== undefined) this.succeeded.set(step.endpoint, step);
    const tag = headerOf(first, "etag");
    if (tag !== undefined)
      this.entityTags.set(pathKey(step.request), slotOf(step, { in: "header", name: "etag" }));
    const [body, secondBody] = [jsonOf(first.body), jsonOf(second.body)];
    const cursors: Template[] = [];
    const listedIds: Template[] = [];
    let areListsAligned = areListsEqual;
    const walk = (value: Json, twin: Json | undefined, path: readonly (string | number)[]): void => {
      if (isList(value)) {
        const twins = twin !== undefined && isList(twin) && isSameOrder(value, twin) ? twin : undefined;
        areListsAligned &&= twins !== undefined;
        for (const [at, part] of areListsEqual && twins ? value.entries() : [])
          walk(part, twins?.[at], [...path, at]);
      } else if (isMap(value)) {
        for (const [key, part] of Object.entries(value))
          walk(part, twin !== undefined && isMap(twin) ? twin[key] : undefined, [...path, key]);
      } else if (typeof value === "string" || typeof value === "number") {
        const isSame = value === twin && typeof value === "string";
        const template = isSame ? value.replaceAll(this.run, "{{run}}") : slotOf(step, { in: "body", path });
        const key = String(path.findLast((part) => typeof part === "string") ?? "");
        this.#learn(key, value, template, step.caller);
        const isListed = typeof path.at(-2) === "number" && path.filter(Number.isInteger).length === 1;
        if (isListed && key === "id") listedIds.push(template);
        if (typeof value === "string" && value !== "")
          this.shownTexts.set(key, [...(this.shownTexts.get(key) ?? []), template].slice(-shownMax));
        if (typeof value === "string" && value !== "" && cursorKeys.test(key))
          cursors.push(...this.#cursorsIn(value, template, { in: "body", path }, step));
        if (typeof value === "string" && value.length >= 12 && credentialKeys.test(key)) this.#meet(template);
      }
    };
    if (body !== undefined) walk(body, secondBody, []);
    const link = headerOf(first, "link");
    if (link !== undefined)
      cursors.push(...this.#cursorsIn(link, undefined, { in: "header", name: "link" }, step));
    if (areListsAligned) this.#noteCaptures(step, first);
    if (listedIds.length > 0) this.listedIds.set(`${step.endpoint} ${step.caller}`, listedIds);
    if (step.endpoint !== undefined && cursors.length > 0 && !step.isFiltered)
      this.cursors.set(`${step.endpoint} ${step.caller}`, cursors);
  }

  /**
   * Inputs of a scenario's successful request to an endpoint, without captures that the story has no
   * value for and without texts of unique fields.
   */
  exampleOf(endpoint: Endpoint): ReadonlyMap<string, Template> {
    const exchanges = this.#scenarios.flatMap((story) =>
      story.exchanges
        .filter((exchange) => exchange.endpoint === endpoint && exchange.isSuccess)
        .map((exchange) => ({ story, exchange })),
    );
    const chosen = this.draw.oneOf(exchanges);
    const found = new Map<string, Template>();
    for (const [key, value] of chosen?.exchange.inputs ?? []) {
      if (typeof value === "string" && chosen?.story.uniqueTexts.has(value)) continue;
      const template = chosen && templateFrom(value, (name) => this.captureOf(chosen.story, name), noTexts);
      if (template !== undefined) found.set(key, template);
    }
    return found;
  }

  /** The last value of a scenario's capture, or the identifier of its initial record of that name. */
  captureOf(story: ScenarioStory, name: string): Template | undefined {
    const captured = this.#captures.get(`${story.name} ${name}`);
    const given = story.given.get(name);
    return captured ?? (given && this.#givenRecord(given));
  }

  /** The record of a given caller; undefined for others, and if responses haven't shown it. */
  recordOfCaller({ name }: Caller): RecordValue | undefined {
    const given = this.#given.find(({ as }) => as === name);
    return given && this.#recordsLike(given).at(-1);
  }

  /** The identifier of a record like an initial record, or else of any of its resource. */
  #givenRecord(given: GivenStep): Template | undefined {
    const identifier = this.model.resources.find(({ name }) => name === given.resource)?.identifier;
    if (!identifier || !("field" in identifier)) return undefined;
    const isNameable = (record: RecordValue) => this.templateOf(record[identifier.field]) !== undefined;
    const like = this.#recordsLike(given).findLast(isNameable);
    const record = like ?? this.draw.oneOf(this.nameable(given.resource, identifier.field));
    return this.templateOf(record?.[identifier.field]);
  }

  /** The records with the literal values of an initial record, except secrets. */
  #recordsLike({ resource, fields }: GivenStep): readonly RecordValue[] {
    const types = this.model.resources.find(({ name }) => name === resource)?.fields ?? [];
    const stated = fields.flatMap(({ field, value: { node } }) => {
      const kind = types.find(({ name }) => name === field)?.type.kind;
      return node.op === "literal" && kind !== "credential" && kind !== "password"
        ? [[field, node.value] as const]
        : [];
    });
    return (this.records.get(resource) ?? []).filter((record) =>
      stated.every(([field, value]) => isDeepStrictEqual(record[field] ?? null, value)),
    );
  }

  /** The cursors in a text: it itself, or the parameters of a link to another page. */
  #cursorsIn(
    text: string,
    whole: Template | undefined,
    place: ResponsePlace,
    step: Step,
  ): readonly Template[] {
    const endpoint = this.model.endpoints.find(
      ({ method, path }) => `${method} ${path.text}` === step.endpoint,
    );
    const names = endpoint?.pagination ? cursorNames(endpoint.pagination) : [];
    const found = names.filter((name) => parameterIn(text, name) !== undefined);
    if (found.length > 0) return found.map((parameter) => slotOf(step, { ...place, parameter }));
    return whole === undefined ? [] : [whole];
  }

  #noteCaptures(step: Step, response: ReceivedResponse): void {
    for (const story of this.#scenarios)
      for (const exchange of story.exchanges)
        if (endpointKey(exchange) === step.endpoint)
          for (const [name, slot] of capturedBy(exchange, step, response))
            this.#captures.set(`${story.name} ${name}`, slot);
  }

  #learn(key: string, value: string | number, template: Template, caller: string): void {
    const name = String(value);
    // A small number can mean anything. It identifies a record only under a key that says so.
    if (typeof value === "number" && !/id$|number|^n$/i.test(key)) return;
    this.#known.set(name, template);
    this.#seenBy.set(name, (this.#seenBy.get(name) ?? new Set()).add(caller));
  }

  /** Adds a caller for a text that may be a credential, after a sign-up or sign-in. */
  #meet(template: Template): void {
    const schemes = this.model.authentication.schemes.filter(
      ({ credentials }) => credentials?.by.length === 1 || credentials?.fromClaim !== undefined,
    );
    const own = this.callers.filter(({ name }) => name.startsWith(callerOfResponse));
    if (own.length >= callersMax) return;
    for (const scheme of schemes)
      this.callers.push(...callerWith(scheme, `${callerOfResponse} ${own.length + 1}`, [template]));
  }
}

/** A key of a path. Paths with the same slots lead to the same record. */
export function pathKey({ path }: RequestTemplate): string {
  return JSON.stringify(path);
}

function rowKey(resource: string, record: RecordValue): string {
  return `${resource} ${record["#row"]}`;
}

const noTexts: ReadonlySet<string> = new Set();

function endpointKey({ endpoint: { method, path } }: ScenarioExchange): string {
  return `${method} ${path.text}`;
}

/** The captures of an exchange that a response has values for. */
export function capturedBy(
  exchange: ScenarioExchange,
  step: Step,
  response: ReceivedResponse,
): readonly (readonly [string, Slot])[] {
  return [...exchange.captured].flatMap(([name, place]) =>
    hasValue(response, place) ? [[name, slotOf(step, place)] as const] : [],
  );
}

function slotOf(step: Step, place: ResponsePlace): Slot {
  return new Slot({ kind: "response", step: step.id, place });
}
