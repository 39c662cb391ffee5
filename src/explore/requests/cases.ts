/** Cases: every variation of an endpoint's request that the document distinguishes. */
import { expressionsIn } from "../../expressions/analysis/expressions-in.ts";
import { nodesWithin } from "../../expressions/analysis/nodes-within.ts";
import type { Node } from "../../expressions/node.ts";
import { hasRule } from "../../fields/rule.ts";
import type { Condition } from "../../model/errors/conditions.ts";
import { type UnknownFieldPlace, unknownFieldsIn } from "../../model/endpoints/unknown-inputs.ts";
import { hasRowFor } from "../../model/errors/error-rows.ts";
import type { Endpoint, Input, Model } from "../../model/model.ts";
import { versionPlace } from "../../model/versions/request-version.ts";
import type { Add, Aspect, Case } from "./case.ts";
import { anonymous, type Caller, mayCall, wrongCallers } from "../stories/callers.ts";
import { inputKey } from "../stories/input-key.ts";
import { type Draft, requestOf, withInput } from "./draw-request.ts";
import { choicesOf, fieldCases, rangeCases } from "./filter-cases.ts";
import { holdsResponse } from "./not-drawn.ts";
import { cursorNames } from "../stories/lists.ts";
import type { Literals } from "../stories/literals.ts";
import { pathKey, type StoryContext } from "../stories/story-context.ts";
import type { Template } from "../stories/story.ts";
import { valueSource } from "./value-source.ts";
import { unknownIdentifier, variantsOf } from "./variants.ts";

export function casesOf(endpoint: Endpoint, model: Model, literals: Literals): readonly Case[] {
  const add: Add = (aspect, name, drafts, alternative) => ({ endpoint, aspect, name, drafts, alternative });
  return [
    add("behaviour", "valid", (base) => [base]),
    ...callerCases(endpoint, model, add),
    ...headerCases(endpoint, add),
    ...inputCases(endpoint, model, literals, add),
    ...bodyCases(endpoint, model, add),
    ...pathCases(endpoint, model, add),
    ...pageCases(endpoint, model, add),
    ...preconditionCases(endpoint, add),
    ...repeatCases(endpoint, add),
    ...togetherCases(endpoint, model).map((entry) => ({
      endpoint,
      aspect: "concurrency" as const,
      isConcurrent: true,
      ...entry,
    })),
    ...versionCases(model, add),
  ];
}

/**
 * Cases of paths and methods that the document doesn't have, each sent with an endpoint's request.
 * Only where part 7 has a row for them, because a service may do more than its document says.
 */
export function serviceCases(model: Model): readonly Case[] {
  const methodsOf = Map.groupBy(model.endpoints, ({ path }) => path.text);
  return [...methodsOf.values()].flatMap(([endpoint, ...others]): readonly Case[] => {
    if (!endpoint) return [];
    const known = new Set([endpoint, ...others].map(({ method }) => method));
    const method = ["PUT", "PATCH", "POST"].find((name) => !known.has(name));
    const other: Case["drafts"] = (base) => (method === undefined ? undefined : [{ ...base, method }]);
    const unknown: Case["drafts"] = (base) => [{ ...base, pathAfter: "unknown-path" }];
    const add = (condition: Condition, name: string, drafts: Case["drafts"]): readonly Case[] =>
      hasRowFor(model, condition) ? [{ endpoint, aspect: "errors", name, drafts }] : [];
    return [
      ...add("method not allowed", "a method that its path doesn't have", other),
      ...add("unknown path", "an unknown path", unknown),
    ];
  });
}

/** The same request without credentials, with wrong ones, and by another caller of the story. */
function callerCases(endpoint: Endpoint, { authentication }: Model, add: Add): readonly Case[] {
  if (authentication.schemes.length === 0) return [];
  const wrong = wrongCallers(authentication).filter((caller) => mayCall(endpoint, caller));
  return [
    add("access", "without credentials", (base) => [byCaller(base, anonymous)]),
    ...wrong.map((caller) =>
      add("access", `with a wrong ${caller.scheme}`, (base) => [byCaller(base, caller)]),
    ),
    ...otherCallerCases(endpoint, add),
  ];
}

function otherCallerCases(endpoint: Endpoint, add: Add): readonly Case[] {
  const { records, resource, does } = endpoint;
  const isOfOne = records.some(({ by, where }) => by !== undefined || where.length > 0);
  if (!isOfOne && (resource === undefined || does.every(({ kind }) => kind === "create"))) return [];
  return [
    add("access", "by another caller", (base, { callers, draw }) => {
      const other = draw.oneOf(
        callers.filter((caller) => caller.name !== base.caller.name && mayCall(endpoint, caller)),
      );
      return other && [byCaller(base, other)];
    }),
  ];
}

function byCaller(base: Draft, caller: Caller): Draft {
  const { headers, query } = base.caller;
  const names = new Set([...headers, ...query].map(([name]) => name));
  const without = (pairs: Draft["headers"]) => pairs.filter(([name]) => !names.has(name));
  return {
    ...base,
    caller,
    headers: [
      ...caller.headers.map(([name, value]): [string, Template] => [name, value]),
      ...without(base.headers),
    ],
    query: [
      ...caller.query.map(([name, value]): [string, Template] => [name, value]),
      ...without(base.query),
    ],
  };
}

/** Headers that expressions of the endpoint read, and that are no inputs of it. */
function headerCases(endpoint: Endpoint, add: Add): readonly Case[] {
  const ofInputs = new Set(
    endpoint.inputs
      .filter(({ in: place }) => place === "header")
      .map(({ name }) => name.join(".").toLowerCase()),
  );
  const read = [...expressionsIn(endpoint)].flatMap(({ expression }) =>
    [...nodesWithin(expression.node)].flatMap((node) => headerRead(node) ?? []),
  );
  return [...new Set(read)]
    .filter((name) => !ofInputs.has(name) && endpoint.idempotency?.name.toLowerCase() !== name)
    .map((name) =>
      add("behaviour", `with ${name}`, (base) => [
        { ...base, headers: [...base.headers, [name, "{{run}}"]] },
      ]),
    );
}

/** The header that a node reads, as `headers["x-name"]` or `headers.name`. */
function headerRead(node: Node): string | undefined {
  const isHeaders = (of: Node) => of.op === "fixed" && of.name === "headers";
  if (node.op === "field" && isHeaders(node.of)) return node.name.toLowerCase();
  if (node.op !== "index" || !isHeaders(node.of) || node.index.op !== "literal") return undefined;
  return typeof node.index.value === "string" ? node.index.value.toLowerCase() : undefined;
}

function versionCases({ versioning }: Model, add: Add): readonly Case[] {
  const older = versioning.versions.filter(({ status }) => status === "supported" || status === "deprecated");
  const place = versionPlace(versioning, unknownVersion)?.in;
  return [
    ...older.map(({ name }) => add("versions", name, (base) => [{ ...base, version: name }])),
    ...(place === "header" || place === "query"
      ? [add("versions", "an unknown version", (base) => [{ ...base, version: unknownVersion }])]
      : []),
  ];
}

const unknownVersion = "1900-01-01";

function inputCases(endpoint: Endpoint, model: Model, literals: Literals, add: Add): readonly Case[] {
  return endpoint.inputs
    .filter((input) => input.in !== "path" && !input.gap && !input.ignored && !holdsResponse(endpoint, input))
    .flatMap((input) => {
      const isSearch = input.filter !== undefined || endpoint.method === "GET";
      const aspect: Aspect = isSearch ? "filters and orders" : "inputs";
      const name = input.name.join(".");
      const isFilter = input.filter !== undefined;
      const choices = choicesOf(input);
      const ofField = fieldCases(endpoint, input, add);
      const variants = variantsOf(input.name.at(-1) ?? "", input.type, input.rules, model, literals);
      return [
        ...ofField,
        ...rangeCases(endpoint, input, model, add),
        ...variants.map(({ label, isOfRule, make }) => ({
          ...add(aspect, `${name} ${label}`, (base, context) => [
            withInput(base, input, make(valueSource(context, base.caller))),
          ]),
          isGeneral:
            !isOfRule && !(input.required && label === "omitted") && !(isFilter && choices.has(label)),
        })),
      ];
    });
}

/** The maximum size of a body in a case, in bytes. */
const bodyBytesMax = 64 * 1024;

function bodyCases(endpoint: Endpoint, model: Model, add: Add): readonly Case[] {
  const hasBody = endpoint.inputs.some(({ in: place }) => place === "body");
  const isStated = (place: UnknownFieldPlace) =>
    typeof unknownFieldsIn(place, model.endpointsPart, endpoint) === "string" ||
    hasRowFor(model, "unknown field");
  const unknownQuery = isStated("query")
    ? [
        add("errors", "an unknown query parameter", (base) => [
          { ...base, query: [...base.query, ["unknown_parameter", "1"]] },
        ]),
      ]
    : [];
  if (!hasBody) return unknownQuery;
  const text = (name: string, body: string, alternative?: Condition) =>
    add("errors", name, (base) => [{ ...base, text: body }], alternative);
  return [
    ...unknownQuery,
    text("malformed JSON", '{"a": ', "malformed body"),
    text("an empty body", ""),
    text("a list as body", "[]", "malformed body"),
    ...(isStated("body") ? [text("an unknown field alone", '{"unknown_field": 1}')] : []),
    ...model.limits.bodyBytes
      .filter(({ bytes }) => bytes <= bodyBytesMax)
      .map(({ bytes }) =>
        text(`a body of more than ${bytes} bytes`, `{"a": "${"x".repeat(bytes)}"}`, "too large"),
      ),
    add(
      "errors",
      "an unsupported media type",
      (base) => [{ ...base, headers: [...base.headers, ["Content-Type", "text/csv"]], text: "a,b" }],
      "unsupported media type",
    ),
  ];
}

function pathCases(endpoint: Endpoint, model: Model, add: Add): readonly Case[] {
  return endpoint.records.flatMap(({ by, resource }) =>
    by
      ? [
          add("records of the path", `an unknown ${by.parameter}`, (base) => [
            {
              ...base,
              parameters: new Map(base.parameters).set(by.parameter, unknownIdentifier(model, resource)),
            },
          ]),
          add("records of the path", `a malformed ${by.parameter}`, (base) => [
            { ...base, parameters: new Map(base.parameters).set(by.parameter, "%") },
          ]),
        ]
      : [],
  );
}

function pageCases(endpoint: Endpoint, model: Model, add: Add): readonly Case[] {
  const { pagination } = endpoint;
  if (!pagination || pagination.kind === "none") return [];
  const limits = model.limits.pages.flatMap(({ maximum, default: usual }) => [maximum, usual]);
  const bounds = limits.filter((limit) => limit !== undefined).flatMap((limit) => [limit, limit + 1]);
  const withQuery = (base: Draft, ...pairs: [string, Template][]): Draft => ({
    ...base,
    query: [...base.query, ...pairs],
  });
  const { size } = pagination;
  const small = (base: Draft): Draft => (size === undefined ? base : withQuery(base, [size, "2"]));
  const sizes =
    size === undefined
      ? []
      : ["0", "1", "2", "-1", "x", ...bounds.map(String)].map((text) =>
          add("pagination", `${size}=${text}`, (base) => [withQuery(base, [size, text])]),
        );
  const number =
    pagination.kind === "page"
      ? pagination.page
      : pagination.kind === "offset"
        ? pagination.offset
        : undefined;
  const pages =
    number === undefined
      ? []
      : ["0", "1", "2", "3", "-1", "x"].map((text) =>
          add("pagination", `${number}=${text}`, (base) => [withQuery(small(base), [number, text])]),
        );
  const cursors = cursorNames(pagination).flatMap((name) => [
    add("pagination", `${name} of a page`, (base, context) => {
      const key = `${endpoint.method} ${endpoint.path.text} ${base.caller.name}`;
      const cursor =
        pagination.kind === "identifier"
          ? (valueSource(context, base.caller).reference(endpoint.resource ?? "") ??
            context.draw.oneOf(context.listedIds.get(key) ?? []))
          : context.draw.oneOf(context.cursors.get(key) ?? []);
      const whole = withoutOptional(base);
      return cursor === undefined ? [small(whole)] : [withQuery(small(whole), [name, cursor])];
    }),
    add("pagination", `an unknown ${name}`, (base) => [withQuery(base, [name, "unknown"])]),
  ]);
  return [...sizes, ...pages, ...cursors];
}

/** Omits optional inputs, because a cursor may be valid only for the filters of its request. */
function withoutOptional(base: Draft): Draft {
  const needed = base.endpoint.inputs.filter(({ required }) => required).map(inputKey);
  return { ...base, inputs: new Map([...base.inputs].filter(([key]) => needed.includes(key))) };
}

function preconditionCases(endpoint: Endpoint, add: Add): readonly Case[] {
  if (!endpoint.preconditions) return [];
  const names = ["If-Match", "If-None-Match"];
  return names.flatMap((name) => [
    add("preconditions", `${name} with the current tag`, (base, context) => {
      const tag = context.entityTags.get(pathKey(requestOf(base, context.model)));
      return tag === undefined ? undefined : [{ ...base, headers: [...base.headers, [name, tag]] }];
    }),
    ...['"stale"', "*", "unquoted"].map((tag) =>
      add("preconditions", `${name}: ${tag}`, (base) => [
        { ...base, headers: [...base.headers, [name, tag]] },
      ]),
    ),
  ]);
}

function repeatCases(endpoint: Endpoint, add: Add): readonly Case[] {
  const again = endpoint.method === "GET" ? [] : [add("behaviour", "twice", (base) => [base, base])];
  const key = endpoint.idempotency;
  if (key?.in !== "header") return again;
  return [
    ...again,
    add("idempotency", sameKeyTwice, (base, context) => {
      const first = keyed(base, key.name, context);
      return [first, first];
    }),
    add("idempotency", "the same key with another body", (base, context) => {
      const first = keyed(base, key.name, context);
      return [first, { ...first, text: '{"other": 1}' }];
    }),
    add("idempotency", "without a key", (base) => [
      { ...base, headers: base.headers.filter(([name]) => name !== key.name) },
    ]),
  ];
}

/** The name of the cases that send a request again with its key. */
export const sameKeyTwice = "the same key and request twice";

/** The number of concurrent requests in a case. */
const atOnce = 4;

/** Concurrent requests. The document lets one succeed, or all with the same response. */
function togetherCases(
  endpoint: Endpoint,
  model: Model,
): readonly Pick<Case, "name" | "drafts" | "alternative">[] {
  const { idempotency, preconditions, does, inputs } = endpoint;
  const same = (base: Draft): readonly Draft[] => Array.from({ length: atOnce }, () => base);
  const found: Pick<Case, "name" | "drafts" | "alternative">[] = [];
  if (idempotency?.in === "header")
    found.push({
      name: "the same key and request at once",
      alternative: "idempotency in progress",
      drafts: (base, context) => same(keyed(base, idempotency.name, context)),
    });
  if (does.some(({ kind }) => kind === "transition" || kind === "delete"))
    found.push({ name: "the same request at once", drafts: same });
  const unique = uniqueInputs(endpoint, model);
  if (does.some(({ kind }) => kind === "create") && unique.length > 0)
    found.push({
      name: `the same ${unique.map(({ name }) => name.join(".")).join(" and ")} at once`,
      drafts: (base) => (unique.some((input) => base.inputs.has(inputKey(input))) ? same(base) : undefined),
    });
  if (preconditions && endpoint.method !== "GET" && inputs.some(({ in: place }) => place === "body"))
    found.push({
      name: "If-Match with the current tag at once",
      drafts: (base, context) => {
        const tag = context.entityTags.get(pathKey(requestOf(base, context.model)));
        return tag === undefined
          ? undefined
          : same({ ...base, headers: [...base.headers, ["If-Match", tag]] });
      },
    });
  return found;
}

/** Inputs of fields that are unique, alone or together. */
function uniqueInputs({ inputs, resource }: Endpoint, { resources }: Model): readonly Input[] {
  const { fields = [], unique = [] } = resources.find(({ name }) => name === resource) ?? {};
  const names = new Set([
    ...fields.filter(({ rules }) => hasRule(rules, "unique")).map(({ name }) => name),
    ...unique.flatMap((rule) => rule.fields),
  ]);
  return inputs.filter(({ sets }) => sets !== undefined && names.has(sets));
}

function keyed(base: Draft, name: string, context: StoryContext): Draft {
  const headers = base.headers.filter(([headerName]) => headerName !== name);
  return { ...base, headers: [...headers, [name, `{{run}}-${context.draw.below(1_000_000)}`]] };
}
