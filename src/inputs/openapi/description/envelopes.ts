/**
 * Response envelopes: an object around a record or a list, such as `{"data": [...], "total": 3}`.
 */
import { normalizedName } from "../../../support/alike-names.ts";
import type { Schema, Schemas } from "./schemas.ts";

export interface EnvelopeContent {
  /** Whether the envelope contains a list. */
  readonly isList: boolean;
  /** The envelope key of the record or list. Undefined without an envelope. */
  readonly key: string | undefined;
  /** Other keys of the envelope. */
  readonly rest: readonly string[];
  /** The schema of the record, or of an element of the list. */
  readonly of: unknown;
}

/** Metadata keys of an envelope. They accompany a list or a record and are not fields of it. */
const metadataKeys = new RegExp(
  `^(${[
    "meta|metadata|links|_links|pagination|paging|pages?|page_?size|next|previous|prev|first|last",
    "total|total_?(count|items|pages|entries)|count|has_?more|has_?next|object|ok|uri|start|end|limit|offset|cursor",
    "(next|prev|previous|first|last)_?(page_?)?(cursor|marker|token|page_?token|link|url|uri)|next_?page|is_?last_?page",
    "order|sort|items_?total|pages_?total|links?_?next|response_metadata|warnings|item_?count|page_?(count|number)",
    "incomplete_results|url|id|status|provider_?name|date_?time_?utc",
  ].join("|")})$`,
  "i",
);

/** `hint`: the last word of the path, by which one of several lists is picked. */
export function unwrapEnvelope(
  schemas: Schemas,
  node: unknown,
  expectsList: boolean | undefined,
  hint: string,
): EnvelopeContent {
  const plain: EnvelopeContent = { isList: false, key: undefined, rest: [], of: node };
  if (node === undefined) return plain;
  const schema = schemas.read(node);
  if (schema.kinds[0] === "array") return { isList: true, key: undefined, rest: [], of: schema.items };
  if (schema.union || schema.kinds[0] !== "object") return plain;
  const entries = [...schema.properties];
  const lists = entries.filter(([, value]) => holdsRecords(schemas, value));
  const furtherKeys = entries.map(([key]) => key).filter((key) => !lists.some(([list]) => list === key));
  const [list] = lists;
  if (list && lists.length === 1 && furtherKeys.every((key) => isMetadataKey(key, expectsList ?? false))) {
    if (furtherKeys.length > 0 || expectsList !== false)
      return { isList: true, key: list[0], rest: furtherKeys, of: schemas.read(list[1]).items };
  }
  const hinted =
    lists.length > 1 ? lists.find(([key]) => normalizedName(key) === normalizedName(hint)) : undefined;
  if (hinted) {
    const rest = entries.map(([key]) => key).filter((key) => key !== hinted[0]);
    return { isList: true, key: hinted[0], rest, of: schemas.read(hinted[1]).items };
  }
  const [only] = entries;
  if (only && entries.length === 1 && isRecord(schemas.read(only[1])))
    return { isList: false, key: only[0], rest: [], of: only[1] };
  return plain;
}

function isMetadataKey(key: string, expectsList: boolean): boolean {
  return metadataKeys.test(key) && (key !== "id" || expectsList);
}

function holdsRecords(schemas: Schemas, node: unknown): boolean {
  const schema = schemas.read(node);
  if (schema.kinds[0] !== "array" || schema.items === undefined) return false;
  const items = schemas.read(schema.items);
  return isRecord(items) || items.union !== undefined;
}

export function isRecord(schema: Schema): boolean {
  return schema.kinds[0] === "object" && schema.properties.size > 0;
}
