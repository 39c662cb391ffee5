/** The body that an operation takes: its inputs as one object, or the one that it is, in each of the media types that are taken. */
import { pieceReads } from "../../expressions/reads.ts";
import type { FieldType } from "../../fields/type.ts";
import { expansionInputs, pageInputs } from "../../model/engine-inputs.ts";
import {
  acceptedTypes,
  bodyKind,
  isJsonType,
  parseMediaType,
  takesMergePatch,
} from "../../model/media-type.ts";
import type { Endpoint, Input } from "../../model/model.ts";
import type { WireContext } from "./context.ts";
import { mustBeSent, type SentSchemas } from "./sent.ts";
import type { RequestBody } from "./wire.ts";

/** @param endpoint with its inputs in the words of the version */
export function requestBody(
  context: WireContext,
  endpoint: Endpoint,
  sent: SentSchemas,
): RequestBody | undefined {
  const own = endpoint.inputs.filter((one) => one.in === "body");
  const paged = pageInputs(endpoint);
  const takes = own.length > 0 || paged.length > 0 || endpoint.bodyIn !== undefined;
  if (!takes) return rawBody(context, endpoint);
  const expanded = expansionInputs(context.model, endpoint).filter((one) => one.in === "body");
  const [whole] = endpoint.bodyIs === undefined ? [] : own;
  const inner = whole ? sent.input(whole) : sent.object([...own, ...paged, ...expanded]);
  const wrapper = endpoint.bodyIn;
  const hasFile = own.some(({ type }) => isFile(type));
  const required = own.some(mustBeSent);
  return {
    required,
    mediaTypes: inOrder(
      mediaTypesOf(context, endpoint).filter(
        ({ kind }) => kind !== "raw" && (!hasFile || kind === "multipart"),
      ),
      own,
    ),
    schema:
      wrapper === undefined
        ? inner
        : {
            type: "object",
            properties: { [wrapper]: inner },
            ...(required ? { required: [wrapper] } : {}),
          },
    jsonInForms: own.filter((one: Input) => one.asJson).map((one) => one.name.join(".")),
  };
}

function isFile(type: FieldType): boolean {
  return type.kind === "file" || (type.kind === "list" && type.of.kind === "file");
}

/** Where something may be a file, or a text in its place, what takes either stands first. */
function inOrder(mediaTypes: RequestBody["mediaTypes"], own: readonly Input[]): RequestBody["mediaTypes"] {
  const mayBeFile = own.some(({ type }) => type.kind === "json" && type.either?.some(isFile));
  if (!mayBeFile) return mediaTypes;
  return mediaTypes.toSorted((a, b) => Number(b.kind === "multipart") - Number(a.kind === "multipart"));
}

/** A body that no input is in, and that an expression reads as it comes. */
function rawBody(context: WireContext, endpoint: Endpoint): RequestBody | undefined {
  if (!pieceReads(endpoint, { name: "request", member: "body" }, context.meaning)) return undefined;
  return { required: false, mediaTypes: mediaTypesOf(context, endpoint), schema: {}, jsonInForms: [] };
}

/** JSON first; `application/merge-patch+json` means the same as JSON to a PATCH (RFC 7396). */
function mediaTypesOf({ model }: WireContext, endpoint: Endpoint): RequestBody["mediaTypes"] {
  const accepts = acceptedTypes(model.endpointsPart, endpoint);
  const types = accepts.map((text) => parseMediaType(text)?.type ?? text.toLowerCase());
  const merges = takesMergePatch(endpoint) && types.some(isJsonType) ? ["application/merge-patch+json"] : [];
  const all = [...new Set([...types, ...merges])].map((type) => ({
    type,
    kind: bodyKind(type, accepts, takesMergePatch(endpoint)) ?? ("raw" as const),
  }));
  const rank = { json: 0, form: 1, multipart: 2, raw: 3 } as const;
  return all.toSorted((a, b) => rank[a.kind] - rank[b.kind]);
}
