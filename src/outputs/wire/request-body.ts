/**
 * The request body of an operation: its inputs as one object, or the one input that is the whole
 * body, in each accepted media type.
 */
import { pieceReads } from "../../expressions/analysis/reads.ts";
import type { JsonSchema } from "../../fields/json-schema.ts";
import { ruleSchema } from "../../fields/rules/index.ts";
import type { FieldType } from "../../fields/type.ts";
import { expansionInputs, pageInputs } from "../../model/endpoints/engine-inputs.ts";
import {
  acceptedTypes,
  bareType,
  bodyKind,
  isRange,
  mergePatchType,
  typesWithInputs,
} from "../../model/endpoints/media-type.ts";
import { listBodyOf, type OrList } from "../../model/endpoints/does.ts";
import type { Endpoint, Input } from "../../model/model.ts";
import { textBody } from "../../model/endpoints/text-body.ts";
import type { WireContext } from "./context.ts";
import { anyOf } from "./json-schemas.ts";
import { pascal } from "./names.ts";
import { PatchSchemas } from "./patch-schemas.ts";
import { isRequiredInput, type RequestSchemas } from "./input-schemas.ts";
import type { RequestBody } from "./wire.ts";

/** @param endpoint with its inputs in the names of the version */
export function requestBody(
  context: WireContext,
  endpoint: Endpoint,
  sent: RequestSchemas,
): RequestBody | undefined {
  const own = endpoint.inputs.filter((input) => input.in === "body");
  const paged = pageInputs(endpoint);
  const hasBody = own.length > 0 || paged.length > 0 || endpoint.bodyIn !== undefined;
  if (!hasBody) return rawBody(context, endpoint);
  const expanded = expansionInputs(context.model, endpoint).filter(
    (expansionInput) => expansionInput.in === "body",
  );
  const [whole] = endpoint.bodyIs === undefined ? [] : own;
  const inner = whole ? sent.input(whole) : sent.object([...own, ...paged, ...expanded]);
  const wrapper = endpoint.bodyIn;
  const hasFile = own.some(({ type }) => isFile(type));
  const required = own.some(isRequiredInput);
  const text = textBody(endpoint);
  const types = [
    ...mediaTypesOf(typesWithInputs(acceptedTypes(context.model.endpointsPart, endpoint))),
    ...(text ? rawTypes(context, endpoint).map((rawType) => ({ ...rawType, schema: inner })) : []),
  ];
  const wrapped = (schema: JsonSchema): JsonSchema =>
    wrapper === undefined
      ? schema
      : {
          type: "object",
          properties: { [wrapper]: schema },
          ...(required ? { required: [wrapper] } : {}),
        };
  const list = listBodyOf(endpoint);
  const orList = list && { element: elementSchema(), bounds: boundsOf(list) };
  const patched = types.some(({ type }) => type === mergePatchType) ? planPatch() : undefined;
  return {
    required,
    mediaTypes: inOrder(
      types
        .filter(({ kind }) => !hasFile || kind === "multipart")
        .map((item) => {
          if (item.type === mergePatchType && patched) return { ...item, schema: patched };
          return orList && item.kind !== "json" ? { ...item, schema: inner } : item;
        }),
      own,
    ),
    schema:
      types[0]?.type === mergePatchType && patched
        ? patched
        : orList
          ? anyOf([orList.element, { type: "array", items: orList.element, ...orList.bounds }])
          : wrapped(inner),
    ...(orList ? { orList } : {}),
    jsonInForms: own.filter((input: Input) => input.asJson).map((input) => input.name.join(".")),
  };

  /** The object of one record, once for the two forms of the body. */
  function elementSchema(): JsonSchema {
    const { method, path, position } = endpoint;
    const subject = `the elements of ${method} ${path.text}`;
    const name = `${pascal(method.toLowerCase())}${endpoint.resource}Element`;
    return context.schemas.named(subject, sent.namesFor(name), { subject, position }, () => inner);
  }

  function planPatch(): JsonSchema {
    const patched = new PatchSchemas(context, sent);
    return wrapped(whole ? patched.input(whole) : patched.object([...own, ...paged, ...expanded]));
  }
}

function boundsOf({ items }: OrList): JsonSchema {
  return items ? ruleSchema(items, { kind: "list", of: { kind: "json" } }) : {};
}

function isFile(type: FieldType): boolean {
  return type.kind === "file" || (type.kind === "list" && type.of.kind === "file");
}

/**
 * Where a member may be a file or a text instead, the media type that can carry both comes first.
 */
function inOrder(mediaTypes: RequestBody["mediaTypes"], own: readonly Input[]): RequestBody["mediaTypes"] {
  const mayBeFile = own.some(({ type }) => type.kind === "json" && type.either?.some(isFile));
  if (!mayBeFile) return mediaTypes;
  return mediaTypes.toSorted((a, b) => Number(b.kind === "multipart") - Number(a.kind === "multipart"));
}

/** A body without inputs that an expression reads unparsed. */
function rawBody(context: WireContext, endpoint: Endpoint): RequestBody | undefined {
  if (!pieceReads(endpoint, { name: "request", member: "body" }, context.meaning)) return undefined;
  const accepts = acceptedTypes(context.model.endpointsPart, endpoint);
  return { required: false, mediaTypes: mediaTypesOf(accepts), schema: {}, jsonInForms: [] };
}

/** The accepted types that are neither JSON nor a form. */
function rawTypes({ model }: WireContext, endpoint: Endpoint): RequestBody["mediaTypes"] {
  return mediaTypesOf(acceptedTypes(model.endpointsPart, endpoint)).filter(({ kind }) => kind === "raw");
}

/** JSON first. A range (`text/*`) covers types that aren't known. */
function mediaTypesOf(accepts: readonly string[]): RequestBody["mediaTypes"] {
  const all = [...new Set(accepts.map(bareType))].map((type) => {
    const kind = isRange(type) ? "raw" : (bodyKind(type, [type]) ?? "raw");
    return { type, kind: kind === "merge" ? ("json" as const) : kind };
  });
  const rank = { json: 0, form: 1, multipart: 2, raw: 3 } as const;
  return all.toSorted((a, b) => rank[a.kind] - rank[b.kind]);
}
