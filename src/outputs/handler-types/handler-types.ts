/**
 * The type declarations of a handlers' module (`ninefold types`): the document's resources, values,
 * inputs and the transaction. Pure: the same model gives the same text. The file has only types, so
 * it never runs and may be overwritten.
 */
import type { Endpoint, Model } from "../../model/model.ts";
import { breakLine } from "./line-breaks.ts";
import { handlersText } from "./handlers-text.ts";
import { resourcesText } from "./resources-text.ts";
import { typeText } from "./type-text.ts";

/** @param name the document's file name, for the first line */
export function handlerTypes(model: Model, name: string): string {
  return [
    `/** Written by \`ninefold types ${name}\` and overwritten by it: change the document instead. */`,
    "",
    "export type Json = null | boolean | number | string | readonly Json[] | { readonly [key: string]: Json };",
    "",
    "/** An object without keys. */",
    "export type Nothing = Readonly<Record<string, never>>;",
    "",
    resourcesText(model),
    transactionText,
    codesText(model),
    handlersText(model, handlersOf(model)),
    functionsText(model),
  ]
    .join("\n")
    .split("\n")
    .map(breakLine)
    .join("\n");
}

/** The endpoints of each handler, by its name. */
function handlersOf(model: Model): ReadonlyMap<string, readonly Endpoint[]> {
  const found = new Map<string, Endpoint[]>();
  for (const endpoint of model.endpoints) {
    const names = new Set(endpoint.does.flatMap((does) => (does.kind === "handler" ? [does.name] : [])));
    for (const name of names) found.set(name, [...(found.get(name) ?? []), endpoint]);
  }
  return found;
}

const transactionText = `/** The request's transaction, under the document's rules. A call that fails ends the request. */
export interface Transaction {
  get<R extends keyof Resources>(
    resource: R,
    identifier: Resources[R]["identifier"],
  ): Promise<Resources[R]["record"] | null>;
  /** Records whose fields equal those of \`where\`, in the order of creation. More than 1,000 need several calls with \`limit\` and \`skip\`. */
  list<R extends keyof Resources>(
    resource: R,
    options?: { readonly where?: Resources[R]["find"]; readonly limit?: number; readonly skip?: number },
  ): Promise<readonly Resources[R]["record"][]>;
  create<R extends keyof Resources>(
    resource: R,
    values: Resources[R]["create"],
  ): Promise<Resources[R]["record"]>;
  update<R extends keyof Resources>(
    resource: R,
    record: Reference<R>,
    changes: Resources[R]["update"],
  ): Promise<Resources[R]["record"]>;
  remove<R extends keyof Resources>(resource: R, record: Reference<R>): Promise<void>;
  /** Fires a transition. */
  do<R extends keyof Resources, T extends keyof Resources[R]["transitions"]>(
    resource: R,
    record: Reference<R>,
    transition: T,
    body?: Resources[R]["transitions"][T],
  ): Promise<Resources[R]["record"]>;
}
`;

/** The error codes of part 7. */
function codesText(model: Model): string {
  const codes = [...new Set(model.errors.rows.flatMap((row) => row.code ?? []))];
  const text = codes.length === 0 ? "never" : codes.map((code) => JSON.stringify(code)).join(" | ");
  return `/** The codes of part 7. */\nexport type Code = ${text};\n`;
}

const conditionText = `/** A comparison with a field that the document lists, by its name in requests. A text is read by the field's type. */
export type Comparison =
  | { readonly field: string; readonly is: "==" | "!="; readonly value: Json; readonly ignoreCase?: boolean }
  | { readonly field: string; readonly is: "<" | "<=" | ">" | ">="; readonly value: Json }
  | { readonly field: string; readonly is: "in"; readonly value: readonly Json[]; readonly ignoreCase?: boolean }
  | {
      readonly field: string;
      readonly is: "contains" | "startsWith" | "endsWith" | "matches";
      readonly value: Json;
      readonly ignoreCase?: boolean;
    };

/** Which records a request selects. \`null\` selects all, \`invalid\` rejects the request with this problem. */
export type Condition =
  | Comparison
  | { readonly and: readonly Condition[] }
  | { readonly or: readonly Condition[] }
  | { readonly not: Condition }
  | { readonly invalid: string };
`;

function functionsText(model: Model): string {
  const functions = model.endpointsPart.functions ?? [];
  const members = functions.map(({ name, arguments: given, returns }) => {
    const args = given.map((argument) => `${argument.name}: ${typeText(argument.type, "reading")}`);
    const result = returns.kind === "condition" ? "Condition" : typeText(returns, "giving");
    return `  ${name}(${args.join(", ")}): ${orNothing(result)};\n`;
  });
  const conditions = functions.some(({ returns }) => returns.kind === "condition")
    ? `${conditionText}\n`
    : "";
  const body = members.length === 0 ? "Nothing" : `{\n${members.join("")}}`;
  return `${conditions}/** What \`functions\` of the module, as an object. They return synchronously, and are never called with null. */\nexport type Functions = ${body};\n`;
}

/** A missing value is null. */
function orNothing(text: string): string {
  return text === "Json" ? text : `${text} | null`;
}
