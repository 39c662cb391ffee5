/** Media types of an endpoint's responses, where its `Header: Content-Type` states one. */
import type { Expression, Node } from "../../expressions/node.ts";
import { bareType, isJsonType } from "./media-type.ts";
import type { Endpoint } from "../model.ts";

export function contentTypeOf({ headers }: Endpoint): Expression | undefined {
  return headers.findLast((header) => header.name.toLowerCase() === "content-type")?.value;
}

/** `- Header: Content-Type: "text/csv"`, where it is the same for every answer. */
export function statedMediaType(endpoint: Endpoint): string | undefined {
  const node = contentTypeOf(endpoint)?.node;
  return node?.op === "literal" && typeof node.value === "string" ? node.value : undefined;
}

/** The media types of which a response has one. Undefined if they depend on the response's data: `this.mime_type`. */
export function statedMediaTypes(endpoint: Endpoint, otherwise: string): readonly string[] | undefined {
  const node = contentTypeOf(endpoint)?.node;
  if (!node) return [otherwise];
  const types = endsOf(node).map((end) => (end.op === "literal" ? (end.value ?? otherwise) : undefined));
  return types.every((type) => typeof type === "string") ? types : undefined;
}

/** Bytes are sent unchanged if the document states their media type; in JSON they are base64. */
export function sendsBytes(endpoint: Endpoint, { type }: Node, otherwise: string): boolean {
  if (type.kind !== "bytes") return false;
  return contentTypeOf(endpoint) !== undefined || !isJsonType(bareType(otherwise));
}

/** The possible results of a choice. */
function endsOf(node: Node): readonly Node[] {
  return node.op === "if" ? [...endsOf(node.then), ...endsOf(node.else)] : [node];
}
