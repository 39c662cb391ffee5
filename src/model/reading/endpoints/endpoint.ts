/**
 * Builds one endpoint of the model from its syntax. Its expressions are bound in the order in which
 * a request meets them, each in the scope that is known by then. The stages are in
 * `endpoint-finding.ts`, `-change.ts` and `-answer.ts`.
 */
import { positionIn, unquote } from "../../../source/phrase.ts";
import type { ItemNode } from "../../../syntax/nodes.ts";
import { proseOf } from "../../../syntax/read.ts";
import type { Endpoint } from "../../model.ts";
import type { BuildContext } from "../any-part/context.ts";
import { bindAnswer } from "./responses/endpoint-answer.ts";
import { bindChange } from "./endpoint-change.ts";
import { bindFinding } from "./endpoint-finding.ts";
import { type EndpointFrame, endpointFrame } from "./endpoint-frame.ts";
import { readExtensions } from "./extensions.ts";
import { isApplicable } from "./item-applicability.ts";
import { readUnknownFields } from "./unknown-fields.ts";
import { endpointGap } from "./endpoint-gap.ts";
import { withRequiredInputs } from "./inputs/needed-inputs.ts";
import {
  readDeprecated,
  readEncodings,
  readFinds,
  readIdempotency,
  readPreconditions,
  schemesOf,
} from "./responses/http-items.ts";
import { readMediaTypes } from "./part.ts";
import type { EndpointItem } from "./items.ts";
import type { EndpointReading, PartReading } from "./reading.ts";
import { silentReporter } from "./silent-reporter.ts";

export function buildEndpoint(
  reading: EndpointReading,
  part: PartReading,
  expansion: string | undefined,
  context: BuildContext,
): Endpoint {
  const { section, deeds } = reading;
  // If the effects are unknown, the names of expressions are unknown, too, and nothing about them is reported.
  const known = deeds.does.length > 0 && !deeds.faulty && !deeds.open && !lacksNames(reading);
  const ctx = known ? context : { ...context, reporter: silentReporter(context.reporter) };
  const frame = endpointFrame(reading, part, expansion, ctx);
  const finding = bindFinding(frame, ctx);
  const change = bindChange(frame, ctx);
  const answer = bindAnswer(frame, change, ctx, context);
  return {
    method: section.method,
    path: section.path,
    position: positionIn(section.heading),
    prose: proseOf(section.section.body),
    ...optional("resource", deeds.resource?.name),
    ...finding,
    inputs: withRequiredInputs(finding.inputs, deeds, change.items.set, finding.scope),
    ...change.items,
    ...answer.items,
    ...optional("pagination", frame.pagination),
    ...httpItems(frame, ctx),
    ...endpointGap(reading, answer.read, context),
    ...(known ? {} : { unclear: true }),
  };
}

/** Whether something that isn't shown may add names to the expressions, or types to the callers. */
function lacksNames({ items, stated, openRow }: EndpointReading): boolean {
  const isOpen = (key: EndpointItem): boolean => stated(key).length < items.all(key).length;
  return openRow !== undefined || isOpen("let") || isOpen("scheme");
}

type HttpItems = Pick<
  Endpoint,
  | "bodyIn"
  | "bodyIs"
  | "accepts"
  | "encodings"
  | "unknownFields"
  | "idempotency"
  | "preconditions"
  | "schemes"
  | "finds"
  | "deprecated"
  | "extensions"
>;

function httpItems(frame: EndpointFrame, ctx: BuildContext): HttpItems {
  const { reading, scopes, items } = frame;
  const [idempotency] = items("idempotency");
  const [preconditions] = items("preconditions");
  const [finds] = items("finds");
  const [deprecated] = reading.items.all("deprecated");
  const [encodings] = items("encodings");
  const [extensions] = items("extensions");
  const [accepts] = reading.items.isOwn("accepts") ? items("accepts") : [];
  const [unknown] = reading.items
    .all("unknown fields")
    .filter(
      (item) => reading.items.isOwn("unknown fields") && isApplicable(reading, "unknown fields", item, ctx),
    );
  const is = bodyIsOf(items("body is")[0], frame, ctx);
  const idempotencyOf = {
    method: reading.section.method,
    own: reading.items.isOwn("idempotency"),
    // If an input is the complete body, the body has no keys.
    bodyInputs: is === undefined ? namesInBody(frame) : [],
  };
  return {
    ...optional("bodyIn", bodyInOf(items("body in")[0], ctx)),
    ...optional("bodyIs", is),
    ...optional("accepts", accepts && readMediaTypes(unquote(accepts.value), ctx)),
    ...optional("encodings", encodings && readEncodings(encodings, ctx)),
    ...optional("unknownFields", unknown && readUnknownFields(unknown, reading.section.name, ctx)),
    ...optional(
      "idempotency",
      idempotency && readIdempotency(idempotency, idempotencyOf, scopes.arrival, ctx),
    ),
    ...optional("preconditions", preconditions && readPreconditions(preconditions, ctx)),
    ...optional("schemes", schemesOf(reading, ctx)),
    ...optional("finds", finds && readFinds(finds, ctx)),
    ...optional("extensions", extensions && readExtensions(extensions, ctx)),
    ...optional("deprecated", deprecated && readDeprecated(deprecated, reading.section.name, ctx)),
  };
}

/** A member with its value, or nothing, because the model omits absent members. */
function optional<K extends string, V>(key: K, value: V | undefined): { readonly [P in K]?: V } {
  return (value === undefined ? {} : { [key]: value }) as { readonly [P in K]?: V };
}

function bodyInOf(item: ItemNode | undefined, { reporter }: BuildContext): string | undefined {
  if (!item) return undefined;
  const name = unquote(item.value);
  if (/^[^\s"`,]{1,64}$/.test(name.text)) return name.text;
  reporter.report("endpoints/unreadable", positionIn(name), {
    text: name.text,
    expected: "the name of the key that wraps the body",
  });
  return undefined;
}

/** Reads `- Body is: patches`: the complete body is this input. */
function bodyIsOf(
  item: ItemNode | undefined,
  frame: EndpointFrame,
  { reporter }: BuildContext,
): string | undefined {
  if (!item || frame.reading.openBody || frame.reading.faultyInputs) return undefined;
  const name = unquote(item.value);
  const [first, ...others] = namesInBody(frame);
  if (first === name.text && others.length === 0 && !first.includes(".")) return first;
  reporter.report("endpoints/body-is-one", positionIn(name), { name: name.text, inputs: namesInBody(frame) });
  return undefined;
}

function namesInBody({ inputs }: EndpointFrame): readonly string[] {
  return inputs.flatMap(({ input }) => (input.in === "body" ? [input.name.join(".")] : []));
}
