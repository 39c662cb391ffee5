/**
 * The arguments and the result of each handler. A handler of several endpoints receives the inputs
 * of any of them.
 */
import { hasRule } from "../../fields/rule.ts";
import { callerTypeAt, needsCaller } from "../../model/authentication/caller-type.ts";
import type { Endpoint, Input, Model, PathSegment } from "../../model/model.ts";
import { type MemberText, memberText, objectText, typeName, typeText } from "./type-text.ts";

export function handlersText(model: Model, handlers: ReadonlyMap<string, readonly Endpoint[]>): string {
  const each = (text: (endpoint: Endpoint) => string) =>
    [...handlers].map(
      ([name, endpoints]): MemberText => ({
        name,
        optional: false,
        type: [...new Set(endpoints.map(text))].join(" | "),
      }),
    );
  return [
    block(
      "The inputs of each handler, read and checked.",
      "Input",
      each((endpoint) => inputText(model, endpoint)),
    ),
    block(
      "Who calls each handler.",
      "Caller",
      each((endpoint) => callerText(model, endpoint)),
    ),
    block("The records of each handler's path.", "Records", each(recordsText)),
    givenText,
    signaturesText(handlers),
  ].join("\n");
}

function block(note: string, name: string, members: readonly MemberText[]): string {
  const lines = members.map((member) => `  ${memberText(member)};\n`).join("");
  return `/** ${note} */\nexport interface ${name} {\n${lines}}\n`;
}

const givenText = `export interface Given<N extends keyof Handlers> {
  readonly input: Input[N];
  readonly caller: Caller[N];
  readonly records: Records[N];
  readonly transaction: Transaction;
  /** The time of the request. */
  readonly now: string;
  /** Unpredictable letters and digits. */
  random(length: number): string;
  /** Ends the request with a code of part 7. */
  refuse(code: Code, field?: string): never;
  /** Aborted when the handler times out. */
  readonly signal: AbortSignal;
}

/** What \`prepare\` is given: committed records, which others may change at any time, and no transaction. */
export interface GivenToPrepare<N extends keyof Handlers> extends Omit<Given<N>, "transaction"> {
  readonly committed: Pick<Transaction, "get" | "list">;
}

/** A function in the request's transaction, or one in two phases: \`prepare\` may wait, and no other request waits for it. */
export type Handler<N extends keyof Handlers, Result> =
  | ((given: Given<N>) => Result | Promise<Result>)
  | {
      prepare(given: GivenToPrepare<N>): unknown;
      /** \`facts\` is what \`prepare\` returned. */
      run(given: Given<N> & { readonly facts: unknown }): Result | Promise<Result>;
    };
`;

function signaturesText(handlers: ReadonlyMap<string, readonly Endpoint[]>): string {
  const lines = [...handlers].map(([name, endpoints]) => {
    const gives = [...new Set(endpoints.flatMap(giftTexts))].join(" | ");
    const places = endpoints.map((endpoint) => `${endpoint.method} ${endpoint.path.text}`).join(", ");
    return `  /** ${places} */\n  readonly ${name}: Handler<"${name}", ${gives}>;\n`;
  });
  return `/** What \`handlers\` of the module, as an object. */\nexport interface Handlers {\n${lines.join("")}}\n`;
}

/** The type of the result that responses are made from; `unknown` if they use nothing of it. */
function giftTexts({ gives, returns }: Endpoint): readonly string[] {
  if (gives === undefined) return ["unknown"];
  const name = typeName(gives);
  return [
    ...(returns.some((response) => response.kind === "expression") ? [name] : []),
    ...(returns.some((response) => response.kind === "list") ? [`readonly ${name}[]`] : []),
    ...(returns.some((response) => response.kind === "nothing" || response.kind === "error") ? ["null"] : []),
  ];
}

function callerText(model: Model, endpoint: Endpoint): string {
  const caller = callerTypeAt(model, endpoint);
  if (caller.kind === "null") return "null";
  const text = caller.kind === "record" ? typeName(caller.resource) : "Json";
  return !needsCaller(model, endpoint) && text !== "Json" ? `${text} | null` : text;
}

function recordsText({ records }: Endpoint): string {
  return objectText(
    records.map(({ name, resource }) => ({ name, optional: false, type: typeName(resource) })),
  );
}

function inputText(model: Model, endpoint: Endpoint): string {
  const of = (place: Input["in"]) => endpoint.inputs.filter((input) => input.in === place);
  const headers = of("header");
  return objectText([
    { name: "body", optional: false, type: placeText(of("body")) },
    { name: "query", optional: false, type: placeText(of("query")) },
    { name: "path", optional: false, type: objectText(pathMembers(model, endpoint)) },
    {
      name: "headers",
      optional: false,
      type:
        headers.length === 0
          ? "Readonly<Record<string, string>>"
          : objectText(headers.map((input) => inputMember(input, input.name.join(".").toLowerCase()))),
    },
  ]);
}

function pathMembers(model: Model, endpoint: Endpoint): readonly MemberText[] {
  const segments: readonly PathSegment[] = [
    ...model.endpointsPart.basePath.segments,
    ...endpoint.path.segments,
  ];
  return segments.flatMap((segment) => {
    if (segment.kind !== "parameter") return [];
    const input = endpoint.inputs.find(
      (candidate) => candidate.in === "path" && candidate.name[0] === segment.name,
    );
    return [
      { name: segment.name, optional: false, type: input ? typeText(input.type, "reading") : "string" },
    ];
  });
}

/** `payment.method` is the field `method` of `payment`. */
function placeText(inputs: readonly Input[], depth = 0): string {
  const groups = Map.groupBy(inputs, (input) => input.name[depth] as string);
  return objectText(
    [...groups].map(([name, group]): MemberText => {
      const alone = group.find((input) => input.name.length === depth + 1);
      if (alone) return inputMember(alone, name);
      return { name, optional: group.every((input) => !input.required), type: placeText(group, depth + 1) };
    }),
  );
}

function inputMember(input: Input, name: string): MemberText {
  const type = typeText(input.type, "reading");
  const cleared = hasRule(input.rules, "nullable") || hasRule(input.rules, "empty is null");
  return {
    name,
    optional: !input.required && input.default === undefined,
    type: cleared ? `${type} | null` : type,
  };
}
