/** Compares the operations of a version on the wire, in the old and the new document. */
import { nonNull } from "../support/non-null.ts";
import { parameterNames } from "../model/endpoints/path-text.ts";
import { type UnknownFieldPlace, unknownFieldsIn } from "../model/endpoints/unknown-inputs.ts";
import type { JsonSchema } from "../fields/json-schema.ts";
import type { Model } from "../model/model.ts";
import type { Operation, Parameter, Wire, WireAnswer, WireError } from "../outputs/wire/wire.ts";
import type { Differences, Found, Place } from "./difference.ts";
import { renamedSchemes, sameMeaning } from "./meaning.ts";
import { partNineLines } from "./part-nine.ts";
import { nameOf, positionOfMember, resourceOfSchema, subjectOf } from "./places.ts";
import type { RuleName } from "./rules.ts";
import { type Member, type Role, type SchemaChange, SchemaComparison } from "./schemas.ts";

export interface Side {
  readonly model: Model;
  readonly wire: Wire;
}

/** @returns the pairs of operations that both documents have */
export function compareOperations(
  before: Side,
  after: Side,
  version: string | undefined,
  differences: Differences,
): void {
  const schemas = new SchemaComparison(before.wire.schemas, after.wire.schemas);
  const left = new Map(after.wire.operations.map((operation) => [samePath(operation), operation]));
  for (const old of before.wire.operations) {
    const now = left.get(samePath(old));
    left.delete(samePath(old));
    if (now) new OperationPair({ before, after, old, now, version, differences, schemas }).compare();
    else
      differences.add({
        rule: "operation-removed",
        subject: nameOf(old),
        message: `\`${nameOf(old)}\` no longer exists.`,
        place: { in: "old", position: old.endpoint.position },
        operations: [nameOf(old)],
        version,
      });
  }
  for (const now of left.values())
    differences.add({
      rule: "operation-added",
      subject: nameOf(now),
      message: `\`${nameOf(now)}\` is new.`,
      place: { in: "new", position: now.endpoint.position },
      operations: [nameOf(now)],
      version,
    });
}

/** Compares what streams send. They have one version, whichever a reader names. */
export function compareStreams(before: Side, after: Side, differences: Differences): void {
  const schemas = new SchemaComparison(before.wire.schemas, after.wire.schemas);
  for (const old of before.wire.operations) {
    const now = after.wire.operations.find((operation) => samePath(operation) === samePath(old));
    if (now && !old.gap && !now.gap)
      new OperationPair({
        before,
        after,
        old,
        now,
        version: undefined,
        differences,
        schemas,
      }).compareStream();
  }
}

/** The path with anonymous parameters, because only their positions matter. */
function samePath({ method, path }: Operation): string {
  return `${method} ${path.replaceAll(/\{[^}]*\}/g, "{}")}`;
}

interface Pair {
  readonly before: Side;
  readonly after: Side;
  readonly old: Operation;
  readonly now: Operation;
  readonly version: string | undefined;
  readonly differences: Differences;
  readonly schemas: SchemaComparison;
}

class OperationPair {
  readonly #pair: Pair;
  readonly #name: string;

  constructor(pair: Pair) {
    this.#pair = pair;
    this.#name = nameOf(pair.now);
  }

  compare(): void {
    const { old, now } = this.#pair;
    if (now.gap && !old.gap)
      this.#add("operation-open", `responds with 501 now: ${now.gap.subject} is not shown`);
    if (old.gap && !now.gap) this.#add("operation-closed", "no longer responds with 501");
    this.#parameters();
    this.#body();
    this.#security();
    // A response that one document doesn't state isn't compared.
    const isOpen = old.gap !== undefined || now.gap !== undefined;
    if (!isOpen || (old.answers.length > 0 && now.answers.length > 0)) this.#answers();
    if (isOpen) return;
    this.#refusals();
  }

  #add(rule: Found["rule"], what: string, more: Partial<Found> = {}): void {
    const { version, differences, now } = this.#pair;
    differences.add({
      rule,
      subject: this.#name,
      message: `\`${more.subject ?? this.#name}\` ${what}.`,
      place: { in: "new", position: now.endpoint.position },
      operations: [this.#name],
      version,
      ...more,
    });
  }

  /** Adds the differences of two schemas, each with its row in the document. */
  #schema(before: JsonSchema, after: JsonSchema, role: Role, keys: readonly string[]): void {
    const place = keys[0] === "body" || keys[0] === "query" ? keys[0] : undefined;
    const changes = this.#pair.schemas.compare(
      before,
      after,
      role,
      keys,
      role === "request" && place !== undefined && this.#rejectsUnknown(place),
    );
    for (const change of changes) this.#changed(change, changes);
  }

  /** Where the document is silent, unknown fields are rejected: an engine default. */
  #rejectsUnknown(place: UnknownFieldPlace): boolean {
    const { after, now } = this.#pair;
    return (unknownFieldsIn(place, after.model.endpointsPart, now.endpoint) ?? "rejected") === "rejected";
  }

  #changed(change: SchemaChange, all: readonly SchemaChange[]): void {
    const { before, after, old, now } = this.#pair;
    const { owner } = change.member;
    const resource = owner === undefined ? now.endpoint.resource : resourceOfSchema(after.wire, owner)?.name;
    const inBody = owner === undefined && change.member.keys[0] === "body";
    const own = inBody ? { ...change, member: { keys: change.member.keys.slice(1) } } : change;
    const siblings = all.filter((schemaChange) => schemaChange.member.owner === owner);
    // Lines of part 9 don't help the readers of a stream whose version has changed.
    const isSameVersion = old.stream === undefined || before.wire.version?.name === after.wire.version?.name;
    const write =
      resource !== undefined && (owner !== undefined || inBody) && isSameVersion
        ? partNineLines(
            own,
            inBody
              ? siblings.map((sibling) => ({ ...sibling, member: { keys: sibling.member.keys.slice(1) } }))
              : siblings,
            {
              before: before.model,
              after: after.model,
              resource,
              operation: inBody ? this.#name : undefined,
            },
          )
        : undefined;
    const place: Place = change.isRemoved
      ? { in: "old", position: positionOfMember(before.model, before.wire, old, memberBefore(change.member)) }
      : { in: "new", position: positionOfMember(after.model, after.wire, now, change.member) };
    this.#add(change.rule, change.message, { subject: subjectOf(now, change.member), place, write });
  }

  #parameters(): void {
    const { old, now } = this.#pair;
    const pathNames = new Map(
      parameterNames(old.path).map((name, at) => [name, parameterNames(now.path)[at]]),
    );
    const left = [...now.parameters];
    for (const was of old.parameters) {
      const name = was.in === "path" ? (pathNames.get(was.name) ?? was.name) : was.name;
      const at = left.findIndex((parameter) => parameter.in === was.in && sameName(parameter, name));
      const [is] = at === -1 ? [] : left.splice(at, 1);
      if (is) this.#parameter(was, is);
      else if (was.role === "version") continue;
      else {
        const isRejected = was.in === "query" && this.#rejectsUnknown("query");
        this.#add(
          isRejected ? "input-refused" : "input-removed",
          `${isRejected ? "rejects" : "no longer reads"} \`${was.name}\` in the ${was.in}${isRejected ? " now" : ""}`,
          { place: { in: "old", position: was.position } },
        );
      }
    }
    for (const is of left)
      if (is.role === "version") continue;
      else if (is.required)
        this.#add("input-required", `needs \`${is.name}\` in the ${is.in} now`, {
          place: { in: "new", position: is.position },
        });
      else
        this.#add("input-added", `takes \`${is.name}\` in the ${is.in} now`, {
          place: { in: "new", position: is.position },
        });
  }

  #parameter(was: Parameter, is: Parameter): void {
    const place: Place = { in: "new", position: is.position };
    const input = `\`${is.name}\` in the ${is.in}`;
    // Part 9 covers which version a request without one gets.
    if (was.required !== is.required && is.role !== "version")
      this.#add(
        is.required
          ? is.role === "precondition"
            ? "precondition-required"
            : "input-required"
          : "input-optional",
        is.required ? `needs ${input} now` : `no longer needs ${input}`,
        { place },
      );
    if (was.style === "plain" && is.style === "rest")
      this.#add("input-widened", `takes several segments as ${input} now`, { place });
    else if (was.style !== is.style || was.separator !== is.separator)
      this.#add(
        "input-form-changed",
        `takes ${input} in another form: ${formOf(is)} instead of ${formOf(was)}`,
        {
          place,
        },
      );
    this.#schema(was.schema, is.schema, "request", [is.in, is.name]);
  }

  #body(): void {
    const { old, now } = this.#pair;
    const [was, is] = [old.body, now.body];
    if (!was && is)
      if (is.required) this.#add("body-required", "needs a body now");
      else this.#add("input-added", "reads a body now");
    if (was && !is) this.#add("body-gone", "no longer reads a body");
    if (!was || !is) return;
    if (!was.required && is.required) this.#add("body-required", "needs a body now");
    if (was.required && !is.required) this.#add("input-optional", "no longer needs a body");
    const types = was.mediaTypes.map(({ type }) => type);
    const newTypes = is.mediaTypes.map(({ type }) => type);
    for (const type of types.filter((candidate) => !newTypes.includes(candidate)))
      this.#add("request-media-type-removed", `no longer accepts \`${type}\``);
    for (const type of newTypes.filter((candidate) => !types.includes(candidate)))
      this.#add("request-media-type-added", `accepts \`${type}\` now`);
    const [wasOne, isOne] = [was.orList?.element, is.orList?.element];
    this.#schema(wasOne ?? was.schema, isOne ?? is.schema, "request", ["body"]);
    if (was.orList && is.orList) {
      const [wasList, isList] = [was, is].map(({ orList }) => ({ type: "array", ...orList?.bounds }));
      this.#schema(nonNull(wasList), nonNull(isList), "request", ["body"]);
    } else if (is.orList) this.#add("input-widened", "accepts a list of such bodies now");
    else if (was.orList) this.#add("input-narrowed", "no longer accepts a list of such bodies");
  }

  #security(): void {
    const { before, after, old, now } = this.#pair;
    // A change of `Allowed` is reported instead.
    if (old.anonymous && !now.anonymous && sameMeaning(old.endpoint.allowed, now.endpoint.allowed))
      this.#add("access-narrowed", "needs a credential now");
    const [schemes, newSchemes] = [before.wire.security, after.wire.security];
    const renamed = renamedSchemes(before.model, after.model);
    const keyNow = (key: string) => {
      const name = schemes.find((scheme) => scheme.key === key)?.name ?? "";
      return newSchemes.find((scheme) => scheme.name === (renamed.get(name)?.name ?? name))?.key;
    };
    const served = old.security.map(keyNow);
    // A scheme that no longer exists is reported once.
    for (const key of served)
      if (key !== undefined && !now.security.includes(key) && !now.anonymous)
        this.#add("access-narrowed", `no longer serves callers of the scheme \`${key}\``);
    for (const key of now.security.filter((candidate) => !served.includes(candidate)))
      if (!old.anonymous) this.#add("scheme-added", `also serves callers of the scheme \`${key}\``);
  }

  #answers(): void {
    const { old, now } = this.#pair;
    const statuses = new Map(now.answers.map((answer) => [answer.status, answer]));
    for (const was of old.answers) {
      const is = statuses.get(was.status);
      if (is) this.#answer(was, is);
      else
        this.#add("status-removed", `no longer responds with ${was.status}`, {
          place: { in: "old", position: old.endpoint.returns[0]?.position ?? old.endpoint.position },
        });
    }
    for (const is of now.answers)
      if (!old.answers.some(({ status }) => status === is.status))
        this.#add("status-added", `may respond with ${is.status} now`, {
          place: { in: "new", position: now.endpoint.returns[0]?.position ?? now.endpoint.position },
        });
  }

  #answer(was: WireAnswer, is: WireAnswer): void {
    const types = was.content?.mediaTypes ?? [];
    const newTypes = is.content?.mediaTypes ?? [];
    for (const type of types.filter((candidate) => !newTypes.includes(candidate)))
      this.#add("answer-media-type-removed", `no longer responds with ${was.status} as \`${type}\``);
    for (const type of newTypes.filter((candidate) => !types.includes(candidate)))
      this.#add("answer-media-type-added", `may respond with ${was.status} as \`${type}\` now`);
    this.#headers(was, is);
    if (!was.content || !is.content) return;
    // A list is answered with a list of the same, and only a client that sends one receives it.
    const [wasOne, isOne] = [was.content.toOne, is.content.toOne];
    this.#schema(wasOne ?? was.content.schema, isOne ?? is.content.schema, "answer", [String(was.status)]);
  }

  #headers(was: WireAnswer, is: WireAnswer): void {
    const { old, now } = this.#pair;
    // A header about one record is absent only from responses to a list.
    const isOfLists = now.body?.orList !== undefined && old.body?.orList === undefined;
    for (const header of was.headers) {
      const next = is.headers.find(({ name }) => name.toLowerCase() === header.name.toLowerCase());
      const named = `the header \`${header.name}\``;
      if (!next)
        this.#add(
          header.required ? "answer-header-removed" : "answer-header-changed",
          header.required ? `no longer sends ${named}` : `no longer sends ${named}, which it sent at times`,
        );
      else {
        if (header.required && !next.required && !isOfLists)
          this.#add("answer-header-optional", `sends ${named} only at times now`);
        this.#schema(header.schema, next.schema, "answer", ["headers", header.name]);
      }
    }
    for (const { name } of is.headers)
      if (!was.headers.some((header) => header.name.toLowerCase() === name.toLowerCase()))
        this.#add("answer-header-added", `sends the header \`${name}\` now`);
  }

  /** Compares errors by their codes, or by their conditions if the document has no codes. */
  #refusals(): void {
    const { old, now } = this.#pair;
    const [was, is] = [errorsOf(old), errorsOf(now)];
    for (const [name, error] of was) {
      const next = is.get(name);
      if (next) {
        if (next.status !== error.status)
          this.#errorChanged(error, next, `has the status ${next.status} now, ${error.status} before`);
        this.#schema(error.schema, next.schema, "answer", ["errors"]);
        continue;
      }
      const successor = [...is.values()].find((other) => !was.has(keyOf(other)) && isSuccessor(error, other));
      if (successor) this.#succeeded(error, successor);
      else
        this.#error("error-removed", error, "is no longer sent", {
          place: error.position
            ? { in: "old", position: error.position }
            : { in: "new", position: now.endpoint.position },
        });
    }
    for (const [name, error] of is) {
      if (was.has(name)) continue;
      const succeeds = [...was.values()].some((other) => !is.has(keyOf(other)) && isSuccessor(other, error));
      if (!succeeds)
        this.#error("error-added", error, "may be sent now", {
          place: { in: "new", position: error.position ?? now.endpoint.position },
        });
    }
  }

  /** An error under another code, or with codes where the document had none. */
  #succeeded(was: WireError, is: WireError): void {
    if (was.status !== is.status || (was.code !== undefined && was.code !== is.code))
      this.#errorChanged(was, is, `is ${is.status} ${is.code ?? "without a code"} now`);
    else if (is.code !== undefined && this.#pair.before.wire.hasErrorCodes)
      this.#error("error-wording-changed", was, `has the code ${is.code} now`, {
        place: { in: "new", position: is.position ?? this.#pair.now.endpoint.position },
      });
    this.#schema(was.schema, is.schema, "answer", ["errors"]);
  }

  #errorChanged(was: WireError, is: WireError, what: string): void {
    this.#error("error-changed", was, what, {
      place: { in: "new", position: is.position ?? this.#pair.now.endpoint.position },
    });
  }

  /** Adds one difference for several operations, which it names. */
  #error(rule: RuleName, { status, name }: WireError, what: string, more: Partial<Found>): void {
    const subject = `error ${status} ${name}`;
    this.#add(rule, what, { ...more, subject });
  }

  compareStream(): void {
    const { old, now } = this.#pair;
    if (!old.stream || !now.stream) return;
    for (const { event, schema, isText } of old.stream.messages) {
      const next = now.stream.messages.find((message) => message.event === event);
      if (!next) this.#add("event-removed", `no longer sends \`${event}\``);
      else if (next.isText !== isText)
        this.#add("answer-type-changed", `sends \`${event}\` as ${next.isText ? "text" : "JSON"} now`);
      else this.#schema(schema, next.schema, "answer", ["stream", event]);
    }
    for (const { event } of now.stream.messages)
      if (!old.stream.messages.some((message) => message.event === event))
        this.#add("event-added", `sends \`${event}\` now`);
  }
}

/** The member in the old document, where its schema may have another name. */
function memberBefore({ owner, ownerBefore = owner, keys }: Member): Member {
  return ownerBefore === undefined ? { keys } : { owner: ownerBefore, keys };
}

function sameName(parameter: Parameter, name: string): boolean {
  return parameter.in === "header"
    ? parameter.name.toLowerCase() === name.toLowerCase()
    : parameter.name === name;
}

function formOf({ style, separator }: Parameter): string {
  return separator === undefined ? style : `${style} by ${JSON.stringify(separator)}`;
}

function errorsOf({ refusals }: Operation): ReadonlyMap<string, WireError> {
  return new Map(refusals.flatMap(({ errors }) => errors.map((error) => [keyOf(error), error] as const)));
}

/** Whether the error is the other one's new form: of the same condition, or of the same text without one. */
function isSuccessor(was: WireError, is: WireError): boolean {
  if (was.conditions.length + is.conditions.length === 0)
    return was.status === is.status && was.message !== "" && was.message === is.message;
  return is.conditions.some((condition) => was.conditions.includes(condition));
}

function keyOf({ code, conditions, name }: WireError): string {
  return code ?? (conditions.join(",") || name);
}
