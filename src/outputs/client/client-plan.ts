/**
 * The plan of a client, with the name of each part in it: modules, functions with their arguments,
 * waiters, classes of errors.
 */
import type { JsonSchema } from "../../fields/json-schema.ts";
import type { StateMachine } from "../../model/model.ts";
import type { OutputNote } from "../output.ts";
import { isObject, refName } from "../wire/json-schemas.ts";
import { camel, createNames, kebab, type Names, pascal, plural, wordsOf } from "../wire/names.ts";
import type {
  ErrorPlaces,
  Operation,
  PageView,
  Parameter,
  Wire,
  WireError,
  WireResource,
} from "../wire/wire.ts";
import { reservedNames, reservedWords } from "./reserved-names.ts";

export interface ClientPlan {
  readonly wire: Wire;
  readonly errors: readonly ErrorClass[];
  readonly modules: readonly ClientModule[];
  readonly notes: readonly OutputNote[];
}

/** One class for each code of the document. */
export interface ErrorClass {
  readonly name: string;
  readonly code: string;
  readonly statuses: readonly number[];
  readonly schemas: readonly JsonSchema[];
  /** Absent where its bodies are the same as those of all errors. */
  readonly shownAt?: ErrorPlaces;
}

export interface ClientModule {
  /** The module's file name without its extension. */
  readonly name: string;
  readonly functions: readonly ClientFunction[];
  readonly waiters: readonly Waiter[];
}

export type CallKind = "call" | "list" | "stream";

export interface ClientFunction {
  readonly name: string;
  readonly operation: Operation;
  /** The function of the runtime that this function calls. */
  readonly kind: CallKind;
  /** The path parameters, in the path's order. */
  readonly path: readonly { readonly name: string; readonly parameter: Parameter }[];
  /** The query parameters under the names that callers use: `expand` for `expand[]`. */
  readonly query: readonly { readonly name: string; readonly parameter: Parameter }[];
  /** The headers that callers send. */
  readonly headers: readonly Parameter[];
  readonly errors: readonly ErrorClass[];
}

/** `untilParcel`: waits for a state of a resource. */
export interface Waiter {
  readonly name: string;
  readonly read: ClientFunction;
  /** The keys that lead to the state in a response. */
  readonly at: readonly string[];
  readonly states: readonly string[];
  /** For each state, the states that a record can reach from it. */
  readonly reach: Readonly<Record<string, readonly string[]>>;
}

export function planClient(wire: Wire): ClientPlan {
  const names = createNames(reservedNames);
  const errors = errorClasses(wire, names);
  const shown = wire.operations.filter((operation) => !isLeftOut(operation));
  const functions = shown.flatMap((operation) =>
    kindsOf(operation).map((kind) => clientFunction(operation, kind, errors, names)),
  );
  const waiters = wire.resources.flatMap((resource) => waiterOf(wire, resource, functions, names) ?? []);
  const byModule = Map.groupBy(functions, (item) => moduleName(wire, item.operation));
  const modules = [...byModule].map(([name, own]) => ({
    name,
    functions: own,
    waiters: waiters.filter((waiter) => own.includes(waiter.read)),
  }));
  const left = wire.operations.filter(isLeftOut).map(({ gap, id, endpoint }) => ({
    message: `${id} is left out of the client: ${gap?.subject} is not shown.`,
    position: endpoint.position,
  }));
  return { wire, errors, modules, notes: [...names.notes, ...left] };
}

/** Whether the document shows no response that a function could return. */
function isLeftOut({ gap, answers }: Operation): boolean {
  return gap !== undefined && answers.length === 0;
}

/** Resources and path segments with equal names share a module: `Show` and `/shows/…`. */
function moduleName({ resources }: Wire, { group }: Operation): string {
  const isResource = resources.some((resource) => resource.name === group);
  const name = kebab(isResource ? plural(pascal(group)) : group) || "service";
  return ["index", "errors", "types", "runtime"].includes(name) ? `${name}-operations` : name;
}

// ── Errors ──────────────────────────────────────────────────────────────────────────────────────

function errorClasses({ errors, anyError }: Wire, names: Names): readonly ErrorClass[] {
  const byCode = Map.groupBy(
    errors.filter((error) => error.code !== undefined),
    (wireError) => wireError.code as string,
  );
  return [...byCode].map(([code, rows]) => {
    const [first] = rows as [WireError];
    const name = names.take([className(code)], {
      subject: `the error ${code}`,
      position: first.position ?? {
        start: { line: 1, column: 1, offset: 0 },
        end: { line: 1, column: 1, offset: 0 },
      },
    });
    const isGeneral = JSON.stringify(first.shownAt) === JSON.stringify(anyError.shownAt);
    return {
      name,
      code,
      statuses: [...new Set(rows.map((row) => row.status))],
      schemas: rows.map((row) => row.schema),
      ...(isGeneral ? {} : { shownAt: first.shownAt }),
    };
  });
}

/** `wrong_state` → `WrongStateError`, `NOT_FOUND` → `NotFoundError`, `20404` → `Error20404`. */
function className(code: string): string {
  const words = wordsOf(code)
    .map((word) => (/^[A-Z\d]+$/.test(word) ? word.slice(0, 1) + word.slice(1).toLowerCase() : word))
    .filter((word, at, all) => at < all.length - 1 || word.toLowerCase() !== "error");
  const name = pascal(words.join(" "));
  return /^[A-Za-z]/.test(name) ? `${name}Error` : `Error${name}`;
}

// ── Functions ───────────────────────────────────────────────────────────────────────────────────

/**
 * An operation that may stream or respond at once, as the request chooses, has one function for
 * each kind.
 */
function kindsOf({ stream, endpoint, pagination }: Operation): readonly CallKind[] {
  const isMore = endpoint.does.some((does) => does.kind !== "stream");
  return [
    ...(isMore || !stream
      ? [pagination && readsAllPages(pagination) ? ("list" as const) : ("call" as const)]
      : []),
    ...(stream ? ["stream" as const] : []),
  ];
}

/**
 * Whether a response is enough to request the next page. A number or an offset can be counted. A
 * cursor must be in the response, and an identifier in its items.
 */
function readsAllPages({ kind, items, next, nextAddress, links, identifier }: PageView): boolean {
  if (items === undefined) return false;
  if (next !== undefined || nextAddress !== undefined || links) return true;
  return kind === "identifier" ? identifier !== undefined : kind !== "cursor";
}

function clientFunction(
  operation: Operation,
  kind: CallKind,
  errors: readonly ErrorClass[],
  names: Names,
): ClientFunction {
  const { id, endpoint, method, path, parameters, pagination, refusals } = operation;
  const subject = `${method} ${path}`;
  const own = createNames([...reservedWords, "client", "body", "query", "options"]);
  const codes = new Set(refusals.flatMap((refusal) => refusal.errors.map((error) => error.code)));
  const inBody = pagination?.in === "body";
  const inQuery = parameters.filter(
    (parameter) =>
      parameter.in === "query" && parameter.role !== "version" && !(inBody && parameter.role === "page"),
  );
  const plain = new Set(inQuery.map((parameter) => parameter.name));
  const preferredName = kind === "stream" && kindsOf(operation).length > 1 ? `${id}Stream` : id;
  return {
    name: names.take([preferredName, `${preferredName}${pascal(operation.group)}`], {
      subject,
      position: endpoint.position,
    }),
    operation,
    kind,
    path: parameters
      .filter((parameter) => parameter.in === "path")
      .map((parameter) => ({
        name: own.take([camel(parameter.name) || "value"], { subject: "", position: parameter.position }),
        parameter,
      })),
    query: inQuery.map((parameter) => {
      const short = parameter.style === "repeated" ? parameter.name.replace(/\[\]$/, "") : parameter.name;
      return { name: plain.has(short) ? parameter.name : short, parameter };
    }),
    headers: parameters.filter(
      (parameter) =>
        parameter.in === "header" && !["version", "idempotency", "stream"].includes(parameter.role),
    ),
    errors: errors.filter((error) => codes.has(error.code)),
  };
}

// ── Waiters ─────────────────────────────────────────────────────────────────────────────────────

/**
 * Undefined where the resource has no states, or no operation reads one record and returns its
 * state.
 */
function waiterOf(
  wire: Wire,
  { resource, stateField }: WireResource,
  functions: readonly ClientFunction[],
  names: Names,
): Waiter | undefined {
  const { states } = resource;
  if (!states || stateField === undefined || states.states.length === 0) return undefined;
  for (const read of functions) {
    const { operation, path } = read;
    const isRead =
      read.kind === "call" &&
      operation.method === "GET" &&
      operation.group === resource.name &&
      path.length > 0 &&
      operation.endpoint.does.some((does) => does.kind === "read" && does.resource === resource.name);
    const at = isRead ? stateIn(wire, operation, stateField, states) : undefined;
    if (!at) continue;
    const subject = `waiting for a ${resource.name}`;
    return {
      name: names.take([`until${pascal(resource.name)}`], { subject, position: resource.position }),
      read,
      at,
      states: states.states.map((state) => state.name),
      reach: reachIn(states),
    };
  }
  return undefined;
}

/**
 * The keys to the state in a response: in the record, or in an object that wraps the record once.
 */
function stateIn(
  { schemas }: Wire,
  { answers }: Operation,
  field: string,
  states: StateMachine,
): readonly string[] | undefined {
  const schema = answers.find(({ status }) => status === 200)?.content?.schema;
  const open = (jsonSchema: JsonSchema) => schemas[refName(jsonSchema) ?? ""] ?? jsonSchema;
  const membersOf = (jsonSchema: JsonSchema): readonly (readonly [string, JsonSchema])[] => {
    const { properties } = open(jsonSchema);
    return isObject(properties as never) ? Object.entries(properties as Record<string, JsonSchema>) : [];
  };
  const isState = (jsonSchema: JsonSchema) => {
    const among = open(jsonSchema)["enum"];
    return Array.isArray(among) && states.states.every(({ name }) => among.includes(name));
  };
  const shows = (jsonSchema: JsonSchema) =>
    membersOf(jsonSchema).some(([name, member]) => name === field && isState(member));
  if (!schema) return undefined;
  if (shows(schema)) return [field];
  const wrapper = membersOf(schema).find(([, member]) => shows(member));
  return wrapper && [wrapper[0], field];
}

/**
 * All states reachable from each state by any transitions; guards are ignored, because they may
 * allow it later.
 */
function reachIn({ states, transitions }: StateMachine): Waiter["reach"] {
  const names = states.map((state) => state.name);
  const next = (state: string) =>
    transitions.flatMap(({ ends }) =>
      ends.flatMap((end) => (end.same || (end.from !== "any" && !end.from.includes(state)) ? [] : [end.to])),
    );
  return Object.fromEntries(
    names.map((state) => {
      const found = new Set<string>();
      const waiting = next(state);
      for (let current = waiting.pop(); current !== undefined; current = waiting.pop()) {
        if (found.has(current)) continue;
        found.add(current);
        waiting.push(...next(current));
      }
      return [state, names.filter((name) => found.has(name))];
    }),
  );
}
