/**
 * Inputs as rows of part 7 name them: `query.cursor`, `body.lines.sku`, `headers.x-key`. They
 * include those without a row in a table, such as the parameters of a page.
 */
import type { FieldType } from "../../fields/type.ts";
import { expansionInputs, pageInputs, pageParameters } from "../endpoints/engine-inputs.ts";
import type { Endpoint, Input, Model } from "../model.ts";

export interface NamedInput {
  /** Name without its location: `lines`, `page.limit`. */
  readonly own: string;
  /** `body.lines`, `query.page.limit`, `headers.x-key`. */
  readonly name: string;
  /** Undefined if the engine reads it. */
  readonly type?: FieldType;
}

export function namedInputs(model: Pick<Model, "endpointsPart">, endpoint: Endpoint): readonly NamedInput[] {
  const { inputs, idempotency, pagination } = endpoint;
  const stated = [...inputs, ...pageInputs(endpoint), ...expansionInputs(model, endpoint)];
  return [
    ...stated.map((input): NamedInput => named(input.in, input.name.join("."), input.type)),
    ...pageParameters(pagination).map((name) => named("query", dotted(name))),
    ...(idempotency ? [named(idempotency.in, idempotency.name)] : []),
  ];
}

function named(location: Input["in"], own: string, type?: FieldType): NamedInput {
  const name = location === "header" ? `headers.${own.toLowerCase()}` : `${location}.${own}`;
  return { own, name, ...(type ? { type } : {}) };
}

/** Whether an endpoint has the input, or one that it is a part of. */
export function hasInput(model: Pick<Model, "endpointsPart">, endpoint: Endpoint, input: string): boolean {
  return namedInputs(model, endpoint).some(({ name }) => input === name || input.startsWith(`${name}.`));
}

/** `page[limit]` → `page.limit`, `lines[0].sku` → `lines.sku`. */
export function dotted(name: string): string {
  return name.replace(/\[\d*\]/g, "").replace(/\[([^[\]]*)\]/g, ".$1");
}

/** The input that a blamed name is, or is part of, as rows name it. The longest fits. */
export function inputNamed(inputs: readonly NamedInput[], blamed: string): string | undefined {
  const path = dotted(blamed);
  const [found] = inputs
    .filter(({ own }) => path === own || path.startsWith(`${own}.`))
    .sort((a, b) => b.own.length - a.own.length);
  return found && found.name + path.slice(found.own.length);
}
