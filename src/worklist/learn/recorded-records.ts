/**
 * Records in the responses of recorded traffic: objects that have the identifier and fields of one
 * resource.
 */
import { identifierFields } from "../../model/meaning.ts";
import type { Model, Resource } from "../../model/model.ts";
import { hasRule } from "../../fields/rule.ts";
import type { SourceDocument } from "../document/source-document.ts";
import { type Exchange, isObject, type JsonObject } from "./traffic.ts";

export interface Sighting {
  readonly resource: Resource;
  readonly id: string;
  /** Identifies the record in the recording. */
  readonly key: string;
  readonly values: JsonObject;
  readonly exchange: Exchange;
  /**
   * Whether the request created it: no earlier exchange had the record, and the response is the
   * record.
   */
  readonly isNew: boolean;
}

export interface RecordedRecords {
  readonly exchanges: readonly Exchange[];
  readonly sightings: readonly Sighting[];
  /** The records of a response, in their order. */
  of(exchange: Exchange): readonly Sighting[];
  /** New records of a resource. */
  made(resource: string): readonly Sighting[];
}

/** Deeper than any list of records in an envelope. */
const depthMax = 6;

/** Finds the records of all exchanges. */
export function findRecordedRecords(
  model: Model,
  document: SourceDocument,
  exchanges: readonly Exchange[],
): RecordedRecords {
  const kinds = recognizable(model, document);
  const known = new Set<string>();
  const sightings = exchanges.flatMap((exchange) => {
    if (exchange.status < 200 || exchange.status > 299) return [];
    const found = recordsIn(kinds, exchange.received, exchange);
    const isMaking = /^(POST|PUT)$/.test(exchange.method) && found.length === 1;
    return found.map(({ resource, values, id, isIdentified }): Sighting => {
      const key = `${exchange.origin} ${resource.name} ${id}`;
      // A unique field may be renamed by a PUT.
      const mayBeNew = isMaking && (isIdentified || exchange.method === "POST");
      const isNew = mayBeNew && !known.has(key) && ![...exchange.parameters.values()].includes(id);
      known.add(key);
      return { resource, id, key, values, exchange, isNew };
    });
  });
  const byExchange = Map.groupBy(sightings, ({ exchange }) => exchange);
  const made = Map.groupBy(
    sightings.filter(({ isNew }) => isNew),
    ({ resource }) => resource.name,
  );
  return {
    exchanges,
    sightings,
    of: (exchange) => byExchange.get(exchange) ?? [],
    made: (resource) => made.get(resource) ?? [],
  };
}

interface Found {
  readonly resource: Resource;
  /** Whether the response had its identifier, and not only a unique field. */
  readonly isIdentified: boolean;
  readonly id: string;
  readonly values: JsonObject;
}

/**
 * The features by which records of a resource are recognized: the identifier, or else a unique
 * field, and the names of the fields.
 */
interface Recognizable {
  readonly resource: Resource;
  readonly identifiers: readonly string[];
  readonly names: ReadonlySet<string>;
}

/** An identifier whose generation isn't shown may have no row, and so no field in the model. */
function recognizable({ resources }: Model, document: SourceDocument): readonly Recognizable[] {
  const written = new Map(document.resources.map(({ name, identifier }) => [name, identifier.field]));
  return resources.flatMap((resource) => {
    const [own, more] = identifierFields(resource);
    const identifier = own ?? written.get(resource.name);
    if (identifier === undefined || more !== undefined) return [];
    const unique = resource.fields.filter(({ rules }) => hasRule(rules, "unique")).map(({ name }) => name);
    return [
      {
        resource,
        identifiers: [identifier, ...unique],
        names: new Set([identifier, ...resource.fields.map(({ name }) => name)]),
      },
    ];
  });
}

function recordsIn(
  kinds: readonly Recognizable[],
  value: unknown,
  exchange: Exchange,
  depth = 0,
): readonly Found[] {
  if (depth > depthMax) return [];
  if (Array.isArray(value)) return value.flatMap((item) => recordsIn(kinds, item, exchange, depth + 1));
  if (!isObject(value)) return [];
  const kind = kindOfRecord(kinds, value, exchange);
  if (!kind) return Object.values(value).flatMap((inner) => recordsIn(kinds, inner, exchange, depth + 1));
  const name = nameOfIdentity(kind, value) ?? "";
  const isIdentified = name === kind.identifiers[0];
  return [{ resource: kind.resource, id: String(value[name]), values: value, isIdentified }];
}

/** The only resource with fields for all keys, or else the endpoint's own. */
function kindOfRecord(
  kinds: readonly Recognizable[],
  value: JsonObject,
  { endpoint }: Exchange,
): Recognizable | undefined {
  const keys = Object.keys(value);
  const fitting = kinds.filter(
    (kind) =>
      nameOfIdentity(kind, value) !== undefined &&
      keys.length > 1 &&
      keys.every((key) => kind.names.has(key)),
  );
  // The representation of the endpoint's own resource may have further keys.
  const own = kinds.find(
    (kind) =>
      kind.resource.name === endpoint.resource &&
      nameOfIdentity(kind, value) !== undefined &&
      keys.filter((key) => kind.names.has(key)).length * 2 > keys.length,
  );
  return own ?? (fitting.length === 1 ? fitting[0] : undefined);
}

function nameOfIdentity({ identifiers }: Recognizable, value: JsonObject): string | undefined {
  return identifiers.find((name) => isIdentifier(value[name]));
}

function isIdentifier(value: unknown): boolean {
  return (typeof value === "string" && value !== "") || typeof value === "number";
}
