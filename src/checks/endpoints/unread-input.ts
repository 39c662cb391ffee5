/**
 * Part 4: an input that sets nothing, filters nothing and is read by no expression has no effect.
 */
import { expressionsIn } from "../../expressions/analysis/expressions-in.ts";
import { type NameRead, readsName } from "../../expressions/analysis/reads.ts";
import { meaningOf } from "../../model/meaning.ts";
import type { Endpoint, Input } from "../../model/model.ts";
import type { Position } from "../../source/source.ts";
import type { Check } from "../check.ts";

/**
 * By the location of an input: the name by which expressions read it, and the member of `request`
 * that contains all of them.
 */
const readAs = { query: "query", body: "body", header: "headers" } as const;

export const unreadInput: Check = (model, reporter) => {
  const meaning = meaningOf(model);
  // Everything else that reads inputs of a request: the transitions that it fires, rates, versions and errors.
  const { endpoints, ...withoutEndpoints } = model;
  const shared = expressionsIn(withoutEndpoints);
  const named = namesIn([model.endpointsPart.expansion, model.authentication, model.versioning]);
  // An input of a path or of the part belongs to several endpoints, of which one may read it.
  const unread = new Map<Position, Input>();
  const read = new Set<Position>();
  for (const endpoint of endpoints) {
    // A handler receives all inputs, and what isn't shown may read them.
    if (endpoint.does.some(({ kind }) => kind === "handler") || hasOtherGap(endpoint)) {
      for (const { position } of endpoint.inputs) read.add(position);
      continue;
    }
    const expressions = [...expressionsIn(endpoint), ...shared];
    for (const input of endpoint.inputs) {
      if (isRead(endpoint, input, expressions)) read.add(input.position);
      else unread.set(input.position, input);
    }
  }
  for (const [position, { name, in: location }] of unread)
    if (!read.has(position))
      reporter.report("endpoints/unread-input", position, { name: name.join("."), in: location });

  function isRead(endpoint: Endpoint, input: Input, expressions: ReturnType<typeof expressionsIn>): boolean {
    if (hasEffect(input) || named.has(input.name.join("."))) return true;
    if (namesIn(withoutInputs(endpoint)).has(input.name.join("."))) return true;
    const [written = ""] = input.name;
    if (input.in === "path") return true;
    const first = input.in === "header" ? written.toLowerCase() : written;
    const name = readAs[input.in];
    const reads: NameRead[] = [
      { name, member: first },
      { name: "request", member: name },
    ];
    return expressions.some(({ expression }) => readsName(expression.node, reads, meaning));
  }
};

/** Whether something of the endpoint isn't shown, other than what one of its inputs does. */
function hasOtherGap({ gap, inputs }: Endpoint): boolean {
  return (
    gap !== undefined &&
    !inputs.some((input) => input.gap?.position.start.offset === gap.position.start.offset)
  );
}

function hasEffect({ sets, filter, gap, ignored }: Input): boolean {
  return sets !== undefined || filter !== undefined || gap !== undefined || ignored === true;
}

function withoutInputs(endpoint: Endpoint): unknown {
  const { inputs: _, path: __, ...rest } = endpoint;
  return rest;
}

/** All texts in a part of the model. Pages, keys and versions name the inputs that they read. */
function namesIn(piece: unknown, found = new Set<string>()): ReadonlySet<string> {
  if (typeof piece === "string") found.add(piece);
  else if (typeof piece === "object" && piece !== null)
    for (const [key, value] of Object.entries(piece))
      if (key !== "position" && key !== "text") namesIn(value, found);
  return found;
}
