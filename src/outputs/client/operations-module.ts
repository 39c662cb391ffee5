/**
 * A module of operations: a function for each, which describes the operation and calls the runtime.
 */
import type { JsonSchema } from "../../fields/json-schema.ts";
import { isRange } from "../../model/endpoints/media-type.ts";
import { comment, memberKey, typeOf, unionOf } from "../typescript/schema-type.ts";
import type { Operation, PageView, Parameter, WireAnswer } from "../wire/wire.ts";
import type { ClientFunction, ClientModule, ClientPlan, Waiter } from "./client-plan.ts";
import { Code, type CodeValue, codeText } from "./code-text.ts";

export function moduleCode({ wire }: ClientPlan, { functions, waiters }: ClientModule): string {
  const refuses = functions.some((clientFunction) => clientFunction.errors.length > 0);
  const schemes = wire.security.map((securityScheme) => securityScheme.key);
  return [
    ...(refuses ? [`import * as errors from "./errors.js";`] : []),
    `import * as runtime from "./runtime/index.js";\n`,
    ...functions.map((clientFunction) => functionCode(clientFunction, schemes)),
    ...waiters.map(waiterCode),
  ].join("\n");
}

export function moduleTypes({ functions, waiters }: ClientModule): string {
  return [
    `import type * as runtime from "./runtime/index.js";`,
    `import type * as Types from "./types.js";\n`,
    ...functions.map(functionTypes),
    ...waiters.map(waiterTypes),
    "export {};\n",
  ].join("\n");
}

// ── What runs ───────────────────────────────────────────────────────────────────────────────────

function functionCode(clientFunction: ClientFunction, schemes: readonly string[]): string {
  const { operation, kind, name, path, query } = clientFunction;
  const sent: CodeValue = {
    path: path.length > 0 ? path.map((value) => new Code(value.name)) : undefined,
    body: operation.body ? new Code("body") : undefined,
    query: query.length > 0 ? new Code("query") : undefined,
  };
  const names = argumentsOf(clientFunction).map((argument) => argument.name);
  return [
    `export function ${name}(${["client", ...names].join(", ")}) {`,
    `  const operation = ${codeText(operationData(clientFunction, schemes), "  ")};`,
    `  return runtime.${kind}(client, operation, ${codeText(sent)}, options);`,
    "}\n",
  ].join("\n");
}

function operationData(
  { operation, kind, query, headers, errors }: ClientFunction,
  schemes: readonly string[],
): CodeValue {
  const { method, path, answers, pagination, security } = operation;
  const stream = kind === "stream" ? operation.stream : undefined;
  const accepted = answers.map((answer) => answer.status).filter((status) => status >= 300 && status !== 304);
  const isSome = security.length !== schemes.length;
  return {
    method,
    path,
    query: stylesOf(query),
    headers: stylesOf(headers.map((parameter) => ({ name: parameter.name, parameter }))),
    send: sendData(operation),
    key: keyData(operation),
    security: isSome ? security : undefined,
    takes: accepted.length > 0 ? accepted : undefined,
    paging: pagination && kind === "list" ? pagingData(pagination, operation) : undefined,
    streams: stream ? true : undefined,
    texts: someOf(stream?.messages.filter((message) => message.isText).map((message) => message.event)),
    endsAfter: someOf(stream?.endsAfter),
    refusals: someOf(errors.map((error) => new Code(`errors.${error.name}`))),
  };
}

function someOf<T extends CodeValue>(list: readonly T[] | undefined): readonly T[] | undefined {
  return list && list.length > 0 ? list : undefined;
}

/** The query styles of the values that are not plain texts. */
function stylesOf(parameters: ClientFunction["query"]): CodeValue {
  const styles = parameters.flatMap(({ name, parameter }) => {
    const style = styleOf(parameter);
    return style === undefined ? [] : [[name, style] as const];
  });
  return styles.length > 0 ? Object.fromEntries(styles) : undefined;
}

function styleOf({ style, separator }: Parameter): string | undefined {
  switch (style) {
    case "repeated":
      return "[]";
    case "separated":
      return separator ?? ",";
    case "object":
      return "{}";
    default:
      return style === "json" ? "json" : undefined;
  }
}

function sendData({ body }: Operation): CodeValue {
  const [first] = body?.mediaTypes ?? [];
  if (!body || !first) return undefined;
  const json = first.kind === "form" ? someOf(body.jsonInForms) : undefined;
  return { as: first.kind, type: plainType(first.type), json };
}

/** For a range of media types a client sends the most general one. */
function plainType(type: string): string {
  if (!isRange(type)) return type;
  return type.startsWith("text/") ? "text/plain" : "application/octet-stream";
}

function keyData({ endpoint }: Operation): CodeValue {
  const { idempotency, bodyIn } = endpoint;
  if (!idempotency) return undefined;
  if (idempotency.in === "header") return { header: idempotency.name };
  return { body: [...(bodyIn === undefined ? [] : [bodyIn]), ...idempotency.name.split(".")] };
}

function pagingData(page: PageView, { endpoint }: Operation): CodeValue {
  const inBody = page.in === "body";
  return {
    kind: page.kind,
    place: page.page ?? page.offset ?? page.after ?? page.at,
    size: page.size,
    sizeDefault: page.sizeDefault,
    from: page.from,
    inBody: inBody || undefined,
    within: inBody ? endpoint.bodyIn : undefined,
    items: page.items,
    next: page.next,
    nextAddress: page.nextAddress,
    hasMore: page.hasMore,
    identifier: page.identifier,
    links: page.links || undefined,
  };
}

function waiterCode({ name, read, at, reach }: Waiter): string {
  const path = read.path.map((item) => item.name);
  return [
    `export function ${name}(${["client", ...path, "state", "options"].join(", ")}) {`,
    `  const machine = ${codeText({ at, reach }, "  ")};`,
    `  const read = (reading) => ${read.name}(${["client", ...path, ...(read.query.length > 0 ? ["undefined"] : []), "reading"].join(", ")});`,
    "  return runtime.until(client, read, machine, state, options);",
    "}\n",
  ].join("\n");
}

// ── Type declarations ──────────────────────────────────────────────────────────────────

interface Argument {
  readonly name: string;
  readonly type: string;
  readonly required: boolean;
}

function argumentsOf({ operation, kind: called, path, query, headers }: ClientFunction): readonly Argument[] {
  const { id, body } = operation;
  const own = `Types.Operations[${JSON.stringify(id)}]`;
  const kind = body?.mediaTypes[0]?.kind;
  return [
    ...path.map(({ name, parameter }) => ({ name, type: within(parameter.schema), required: true })),
    ...(body
      ? [
          {
            name: "body",
            type:
              kind === "raw"
                ? "string | Uint8Array"
                : kind === "multipart"
                  ? "FormData"
                  : body.required
                    ? `${own}["body"]`
                    : `NonNullable<${own}["body"]>`,
            required: body.required,
          },
        ]
      : []),
    ...(query.length > 0
      ? [
          {
            name: "query",
            type: membersType(query),
            required: query.some((candidate) => candidate.parameter.required),
          },
        ]
      : []),
    {
      name: "options",
      type: optionsType(headers, called === "stream"),
      required: headers.some((header) => header.required),
    },
  ];
}

function within(schema: JsonSchema): string {
  return typeOf(schema, (name) => `Types.${name}`, "  ");
}

function membersType(members: ClientFunction["query"]): string {
  const lines = members.map(({ name, parameter: { required, schema, description } }) => {
    const mark = required ? "" : "?";
    return `${comment([description], "    ")}    ${memberKey(name)}${mark}: ${typeOf(schema, (text) => `Types.${text}`, "    ")};\n`;
  });
  return `{\n${lines.join("")}  }`;
}

function optionsType(headers: readonly Parameter[], streams: boolean): string {
  const base = streams ? "runtime.StreamOptions" : "runtime.CallOptions";
  if (headers.length === 0) return base;
  const own = membersType(headers.map((parameter) => ({ name: parameter.name, parameter })));
  const mark = headers.some((header) => header.required) ? "" : "?";
  return `${base} & { headers${mark}: ${own} }`;
}

function functionTypes(clientFunction: ClientFunction): string {
  const { operation, name, errors } = clientFunction;
  const { summary, method, path } = operation;
  const words = [
    summary,
    `\`${method} ${path}\``,
    ...(operation.endpoint.deprecated ? ["@deprecated"] : []),
    ...(errors.length > 0 ? [`@throws ${errors.map((error) => error.name).join(" | ")}`] : []),
  ];
  const lines = ["client: runtime.Client", ...argumentTexts(argumentsOf(clientFunction))].map(
    (line) => `  ${line},\n`,
  );
  return `${comment(words, "")}export declare function ${name}(\n${lines.join("")}): ${answerType(clientFunction)};\n`;
}

/** An optional parameter can't precede a required one. */
function argumentTexts(list: readonly Argument[]): readonly string[] {
  const last = list.findLastIndex((argument) => argument.required);
  return list.map(({ name, type, required }, at) => {
    if (at > last) return `${name}?: ${type}`;
    return required ? `${name}: ${type}` : `${name}: ${type} | undefined`;
  });
}

function answerType({ operation, kind }: ClientFunction): string {
  const { stream, pagination } = operation;
  if (kind === "stream") {
    const events = (stream?.messages ?? []).map(
      ({ event, schema }) => `runtime.StreamEvent<${JSON.stringify(event)}, ${within(schema)}>`,
    );
    return `AsyncGenerator<${[...events, "runtime.StreamReset"].join(" | ")}, void, undefined>`;
  }
  const answer = answerOf(operation);
  return kind === "list"
    ? `runtime.List<${answer}, ${within((pagination as PageView).item)}>`
    : `Promise<${answer}>`;
}

/** A 304 response is thrown as an error, because it has no body to return. */
function answerOf({ id, answers, stream }: Operation): string {
  const given = answers.filter((answer) => answer.status !== 304 && !isStreamed(answer));
  const types = given.map(({ status, content }) => {
    if (!content) return "undefined";
    return stream ? within(content.schema) : `Types.Operations[${JSON.stringify(id)}]["answers"][${status}]`;
  });
  return types.length === 0 ? "undefined" : unionOf(types);
}

function isStreamed({ content }: WireAnswer): boolean {
  return content?.mediaTypes.includes("text/event-stream") === true;
}

function waiterTypes({ name, read, states }: Waiter): string {
  const state = unionOf(states.map((text) => JSON.stringify(text)));
  const path = read.path.map((item) => `  ${item.name}: ${within(item.parameter.schema)},\n`).join("");
  const words = comment(
    [
      "Waits for a state: polls with growing pauses, for a minute unless another time is given.",
      "@throws DeadEnd | WaitedInVain",
    ],
    "",
  );
  return `${words}export declare function ${name}(
  client: runtime.Client,
${path}  state: ${state} | readonly (${state})[],
  options?: runtime.WaitOptions,
): Promise<${answerOf(read.operation)}>;\n`;
}
