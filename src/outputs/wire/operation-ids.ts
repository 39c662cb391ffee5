/**
 * Operation ids: a verb and its object, like a method name: `createParcel`, `listParcels`,
 * `deliverParcel`. They derive from the endpoint alone, so that they are as stable as the
 * endpoint. If two would be equal, the later one includes its path.
 */
import type { Does, Endpoint, Model, PathSegment } from "../../model/model.ts";
import { memoizeBy } from "../../support/memoize-by.ts";
import { camel, type Names, pascal, plural } from "./names.ts";

/** @param nouns see `nounsOf` */
export function operationId(endpoint: Endpoint, nouns: ReadonlySet<string>, names: Names): string {
  const base = baseName(endpoint, nouns);
  const parent = parentOf(endpoint);
  const last = endpoint.path.segments.at(-1);
  const preferred = [
    base,
    placedName(endpoint, nouns),
    last?.kind === "parameter" ? `${base}By${pascal(last.name)}` : undefined,
    parent === undefined ? undefined : `${base}Of${parent}`,
    ["GET", "DELETE", "QUERY"].includes(endpoint.method) ? methodName(endpoint) : actionName(endpoint, nouns),
    camel(`${endpoint.method.toLowerCase()} ${pathWords(endpoint)}`),
  ].filter((preferredName) => preferredName !== undefined);
  const subject = `${endpoint.method} ${endpoint.path.text}`;
  return names.take(preferred, { subject, position: endpoint.position });
}

/**
 * Names of resources and fields: a path that ends in such a name ends in an object, and not in a
 * verb.
 */
export const nounsOf = memoizeBy(({ resources }: Pick<Model, "resources">): ReadonlySet<string> => {
  const all = resources.flatMap(({ name, fields }) => [name, ...fields.map((field) => field.name)]);
  return new Set(all.flatMap((name) => [camel(name), plural(camel(name))]));
});

/** A word in the plural is a noun as well, whatever the document calls it. */
function isNoun(word: string, nouns: ReadonlySet<string>): boolean {
  return nouns.has(camel(word)) || /[^isu]s$/.test(word);
}

function baseName(endpoint: Endpoint, nouns: ReadonlySet<string>): string {
  const plain = endpoint.does.filter((does) => does.kind !== "stream");
  const [first] = plain.length > 0 ? plain : endpoint.does;
  if (!first) return methodName(endpoint);
  // A verb in the path is used if the effect is vague: `POST /methods/{id}/detach` that updates, or
  // an endpoint with several effects.
  const kinds = new Set(plain.map((does) => `${does.kind} ${"transition" in does ? does.transition : ""}`));
  const isVague = kinds.size > 1 || first.kind === "update";
  return (isVague ? placedName(endpoint, nouns) : undefined) ?? nameOf(first, endpoint, nouns);
}

/**
 * `POST /parcels/{id}/ping` → `pingParcel`; `GET /shows/{id}/report` → `getShowReport`. Undefined
 * if no word follows a record.
 */
function placedName(endpoint: Endpoint, nouns: ReadonlySet<string>): string | undefined {
  const { segments } = endpoint.path;
  const [before, last] = [segments.at(-2), segments.at(-1)];
  const record = endpoint.records.at(-1)?.resource ?? endpoint.resource;
  if (last?.kind !== "literal" || before?.kind !== "parameter" || record === undefined) return undefined;
  if (endpoint.method === "GET" || endpoint.method === "DELETE")
    return verbs[endpoint.method] + pascal(record) + pascal(last.text);
  return isNoun(last.text, nouns)
    ? verbOf(endpoint) + pascal(record) + pascal(last.text)
    : camel(last.text) + pascal(record);
}

/** `PUT /issues/{number}/state` that updates → `updateIssueState`. */
function verbOf({ does: [first], method }: Endpoint): string {
  return first?.kind === "update" || first?.kind === "replace"
    ? first.kind
    : (verbs[method] ?? method.toLowerCase());
}

function nameOf(does: Does, endpoint: Endpoint, nouns: ReadonlySet<string>): string {
  switch (does.kind) {
    case "read":
      return `get${pascal(does.resource)}`;
    case "list":
      return `list${plural(pascal(does.resource))}`;
    case "transition":
      return camel(does.transition) + pascal(does.resource);
    case "stream":
      return `stream${pascal(lastWord(endpoint) ?? "events")}`;
    case "handler":
      return camel(does.name);
    case "answer":
      return endpoint.method === "GET"
        ? methodName(endpoint)
        : (placedName(endpoint, nouns) ?? actionName(endpoint, nouns) ?? methodName(endpoint));
    default: {
      const resource = pascal(does.resource);
      return camel(does.kind) + ("every" in does && does.every ? plural(resource) : resource);
    }
  }
}

/**
 * `POST /search` → `search`; `POST /batches` → `postBatches`. Undefined where the path ends in a
 * parameter.
 */
function actionName(endpoint: Endpoint, nouns: ReadonlySet<string>): string | undefined {
  const last = endpoint.path.segments.at(-1);
  if (last?.kind !== "literal") return undefined;
  return isNoun(last.text, nouns) ? verbOf(endpoint) + pascal(last.text) : camel(last.text);
}

const verbs: Readonly<Record<string, string>> = {
  GET: "get",
  POST: "post",
  PUT: "put",
  PATCH: "patch",
  DELETE: "delete",
  QUERY: "query",
};

function methodName(endpoint: Endpoint): string {
  const verb = verbs[endpoint.method] ?? endpoint.method.toLowerCase();
  const noun = lastWord(endpoint) ?? endpoint.resource ?? endpoint.records.at(-1)?.resource ?? "root";
  return verb + pascal(noun);
}

function lastWord({ path }: Endpoint): string | undefined {
  const last = path.segments.findLast((segment) => segment.kind === "literal");
  return last?.kind === "literal" ? last.text : undefined;
}

/**
 * The record of the path that contains the target: `/repos/{owner}/{repo}/issues` → `Repository`.
 */
function parentOf(endpoint: Endpoint): string | undefined {
  const parent = endpoint.records.findLast(
    (record) => !record.target && record.resource !== endpoint.resource,
  );
  return parent && pascal(parent.resource);
}

function pathWords({ path }: Endpoint): string {
  const words = (segment: PathSegment) =>
    segment.kind === "literal" ? segment.text : `by ${segment.name} ${segment.behind}`;
  return path.segments.map(words).join(" ") || "root";
}
