/**
 * Form examples: requests of the document's scenarios as input for the form of their endpoint.
 * Captures and credentials belong to the scenario, so the user has to enter both.
 */
import { type Exchange, operationOf, pathOfTarget, pathValues } from "../../outputs/wire/examples.ts";
import type { Json } from "../../support/json.ts";
import type { TriedEndpoint, TriedExample } from "./form-schema.ts";

type Form = Omit<TriedEndpoint, "examples">;

/** The maximum number of examples for one endpoint. */
const examplesMax = 6;

export function examplesOf(
  exchanges: readonly Exchange[],
  form: Form,
  forms: readonly Form[],
): TriedExample[] {
  const isItsOwn = ({ request: { method, target } }: Exchange) => {
    const segments = pathOfTarget(target);
    return segments !== undefined && operationOf(forms, "", method, segments) === form;
  };
  const found = new Map<string, TriedExample>();
  for (const exchange of exchanges.filter(isItsOwn)) {
    const values = valuesOf(form, exchange);
    const text = JSON.stringify(values);
    if (text === "{}" || found.has(text)) continue;
    const { scenario, position, response } = exchange;
    found.set(text, { scenario, line: position.start.line, status: response.status, values });
    if (found.size === examplesMax) break;
  }
  return [...found.values()];
}

function valuesOf(form: Form, { request }: Exchange): Record<string, string> {
  const url = new URL(request.target, "http://localhost");
  const body = bodyOf(form, request.body?.text);
  const ofPath = pathValues(form.path, pathOfTarget(request.target) ?? []);
  const sent = ({ in: location, name }: Form["inputs"][number]): string | undefined => {
    if (location === "query") return url.searchParams.get(name) ?? undefined;
    if (location === "path") return ofPath?.get(name);
    if (location === "body") return typedText(at(body, name.split(".")));
    return request.headers.find((header) => header.name.toLowerCase() === name.toLowerCase())?.value;
  };
  return Object.fromEntries(
    form.inputs.flatMap((input) => {
      const text = sent(input);
      // `{{parcel}}` refers to a record of the scenario; `{{run}}` stands for any text.
      return text === undefined || text.replaceAll("{{run}}", "").includes("{{") || input.secret
        ? []
        : [[`${input.in}.${input.name}`, text]];
    }),
  );
}

function bodyOf({ body_in, body_is }: Form, text: string | undefined): Json | undefined {
  if (text === undefined) return undefined;
  try {
    // A bare placeholder becomes a text, so that the rest can be parsed.
    const parsed = JSON.parse(text.replaceAll(/(?<=[:[,]\s*)\{\{[^}]*\}\}/g, '"$&"')) as Json;
    if (body_is !== null) return { [body_is]: parsed };
    return body_in === null ? parsed : at(parsed, [body_in]);
  } catch {
    const form = new URLSearchParams(text);
    return Object.fromEntries(
      [...form].map(([name, value]) => [name.replaceAll(/\[(\w+)\]/g, ".$1"), value]),
    );
  }
}

function at(root: Json | undefined, names: readonly string[]): Json | undefined {
  const flat = isObject(root) ? root[names.join(".")] : undefined;
  if (flat !== undefined) return flat;
  return names.reduce<Json | undefined>((inner, name) => (isObject(inner) ? inner[name] : undefined), root);
}

function isObject(value: Json | undefined): value is { readonly [name: string]: Json } {
  return typeof value === "object" && value !== null && !Array.isArray(value);
}

function typedText(value: Json | undefined): string | undefined {
  return value === undefined || typeof value === "string" ? value : JSON.stringify(value);
}
