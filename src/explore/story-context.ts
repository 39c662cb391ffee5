/**
 * Story context: what a story has shown so far, such as records that requests can name, callers,
 * cursors and entity tags.
 */
import type { RecordValue } from "../expressions/value.ts";
import type { Model } from "../model/model.ts";
import type { Json } from "../support/json.ts";
import { type Caller, callerOfResponse, callerWith, credentialKeys } from "./callers.ts";
import { isList, isMap } from "./compare-responses.ts";
import type { Draw } from "./draw.ts";
import type { GivenStep } from "./implementation.ts";
import type { Literals } from "./literals.ts";
import {
  headerOf,
  jsonOf,
  type RequestTemplate,
  type ResponsePlace,
  Slot,
  type Step,
  type Template,
} from "./story.ts";
import type { ReceivedResponse } from "../verify/scenario-failure.ts";

export interface StoryContextOptions {
  readonly model: Model;
  readonly draw: Draw;
  readonly literals: Literals;
  readonly run: string;
  readonly callers: readonly Caller[];
  readonly given: readonly GivenStep[];
  readonly receivers?: ObservedReceivers | undefined;
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
  readonly receivers: ObservedReceivers | undefined;
  /** The last successful step of each endpoint. */
  readonly succeeded = new Map<string, Step>();
  /** Texts that look like a cursor, by the endpoint and the caller of the response. */
  readonly cursors = new Map<string, readonly Template[]>();
  /** Entity tags by path, because the tags of two records may be equal by chance. */
  readonly entityTags = new Map<string, Template>();
  /** The last texts that responses showed, by key. */
  readonly shownTexts = new Map<string, readonly Template[]>();
  records: ReadonlyMap<string, readonly RecordValue[]> = new Map();
  readonly #known = new Map<string, Template>();

  constructor({ model, draw, literals, run, callers, given, receivers }: StoryContextOptions) {
    this.model = model;
    this.draw = draw;
    this.literals = literals;
    this.run = run;
    this.callers = [...callers];
    this.receivers = receivers;
    for (const { fields } of given)
      for (const { value } of fields)
        if (value.node.op === "literal" && typeof value.node.value === "string")
          this.#known.set(value.node.value, value.node.value);
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

  /** Records whose identifying values a request can name, the newest last. */
  nameable(resource: string, field: string): readonly RecordValue[] {
    const all = this.records.get(resource) ?? [];
    return all.slice(-recordsMax).filter((record) => this.templateOf(record[field]) !== undefined);
  }

  /**
   * @param first the reference's response
   * @param second the response of its other run
   */
  note(step: Step, first: ReceivedResponse, second: ReceivedResponse): void {
    if (first.status >= 400) return;
    if (step.endpoint !== undefined) this.succeeded.set(step.endpoint, step);
    const tag = headerOf(first, "etag");
    if (tag !== undefined)
      this.entityTags.set(pathKey(step.request), slotOf(step, { in: "header", name: "etag" }));
    const [body, secondBody] = [jsonOf(first.body), jsonOf(second.body)];
    const cursors: Template[] = [];
    const walk = (value: Json, twin: Json | undefined, path: readonly (string | number)[]): void => {
      if (isList(value)) {
        for (const [at, part] of value.entries())
          walk(part, twin !== undefined && isList(twin) ? twin[at] : undefined, [...path, at]);
      } else if (isMap(value)) {
        for (const [key, part] of Object.entries(value))
          walk(part, twin !== undefined && isMap(twin) ? twin[key] : undefined, [...path, key]);
      } else if (typeof value === "string" || typeof value === "number") {
        const isSame = value === twin && typeof value === "string";
        const template = isSame ? value.replaceAll(this.run, "{{run}}") : slotOf(step, { in: "body", path });
        const key = String(path.findLast((part) => typeof part === "string") ?? "");
        this.#learn(key, value, template);
        if (typeof value === "string" && value !== "")
          this.shownTexts.set(key, [...(this.shownTexts.get(key) ?? []), template].slice(-shownMax));
        if (typeof value === "string" && value !== "" && cursorKeys.test(key)) cursors.push(template);
        if (typeof value === "string" && value.length >= 12 && credentialKeys.test(key)) this.#meet(template);
      }
    };
    if (body !== undefined) walk(body, secondBody, []);
    if (step.endpoint !== undefined && cursors.length > 0 && !step.isFiltered)
      this.cursors.set(`${step.endpoint} ${step.caller}`, cursors);
  }

  #learn(key: string, value: string | number, template: Template): void {
    const name = String(value);
    // A small number can mean anything. It identifies a record only under a key that says so.
    if (typeof value === "number" && !/id$|number|^n$/i.test(key)) return;
    this.#known.set(name, template);
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

function slotOf(step: Step, place: ResponsePlace): Slot {
  return new Slot({ kind: "response", step: step.id, place });
}
