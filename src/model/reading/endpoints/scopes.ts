/**
 * Scopes of an endpoint's expressions: the notation's "Names" and "The order of checks" combined.
 * Each scope has what is known when its expressions are evaluated.
 *
 *   path → records of the path → Where → Allowed → inputs → Let → Set → Fails → effects → answer
 */
import { type Scope, withFixed, withNamed } from "../../../expressions/scope.ts";
import { type Type, types } from "../../../expressions/type.ts";
import type { Declarations, DeclaredResource } from "../declarations.ts";
import type { Input } from "../../model.ts";
import { assignedType } from "../effects/assign.ts";
import { isChanging, createsIfMissing, reachOf } from "../../endpoints/does.ts";
import { doesAny, type DoesSyntax, commonReach, signsInAny } from "./does.ts";

/** The inputs of a location as one object: `payment.method` is the field `method` of `payment`. */
export function inputsType(
  inputs: readonly Pick<Input, "name" | "in" | "type">[],
  location: Input["in"],
  further: Readonly<Record<string, Type>> = {},
): Type {
  const fields = objectFields(
    inputs
      .filter((input) => input.in === location)
      .map((input) => ({ name: namesOf(input, location), type: assignedType(input.type) })),
  );
  // Any header can be read as a text. In other locations only the declared inputs exist.
  return {
    kind: "object",
    fields: { ...further, ...fields },
    ...(location === "header" ? { open: true } : {}),
  };
}

/** Names of headers are in lower case in expressions, whatever the document writes. */
function namesOf({ name }: Pick<Input, "name">, location: Input["in"]): readonly string[] {
  return location === "header" ? name.map((part) => part.toLowerCase()) : name;
}

function objectFields(
  inputs: readonly { readonly name: readonly string[]; readonly type: Type }[],
): Record<string, Type> {
  const fields: Record<string, Type> = {};
  for (const [first, group] of Map.groupBy(inputs, (input) => input.name[0] ?? "")) {
    const alone = group.find((input) => input.name.length === 1);
    const inner = group.map((input) => ({ ...input, name: input.name.slice(1) }));
    fields[first] = alone ? alone.type : { kind: "object", fields: objectFields(inner) };
  }
  return fields;
}

export function recordOf(resource: Pick<DeclaredResource, "name">): Type {
  return { kind: "record", resource: resource.name };
}

/** The scope with a record as `this`, and by its resource's small name unless another record has it. */
function withRecord(scope: Scope, resource: DeclaredResource): Scope {
  const inner = withFixed(scope, { this: recordOf(resource) });
  return Object.hasOwn(inner.named, resource.variableName)
    ? inner
    : withNamed(inner, resource.variableName, recordOf(resource));
}

/** Scopes of an endpoint, from the earliest to the latest. */
export interface EndpointScopes {
  /** Before any record is found: `caller`, `path`, `headers`. */
  readonly arrival: Scope;
  /** With the records of the path, before the inputs are read. */
  readonly found: Scope;
  /** The candidate as `this`: `Where`, filters, `Order`. */
  readonly candidate: Scope;
  readonly allowed: Scope;
  /** Defaults of inputs: the target is known, other inputs aren't. */
  readonly defaults: Scope;
  /** With all inputs, and the target as `this`. */
  readonly inputs: Scope;
}

/** The types of `caller` and `credential` for the endpoint's own schemes. */
export interface EndpointCallers {
  readonly caller: Type;
  readonly credential: Type;
  readonly hasClaims: boolean;
}

export function endpointScopes(
  declarations: Declarations,
  inputs: readonly Pick<Input, "name" | "in" | "type">[],
  further: { readonly query: Readonly<Record<string, Type>>; readonly body: Readonly<Record<string, Type>> },
  records: readonly { readonly name: string; readonly resource: DeclaredResource }[],
  does: readonly DoesSyntax[],
  resource: DeclaredResource | undefined,
  callers?: EndpointCallers,
): EndpointScopes {
  const { hasClaims, ...types } = callers ?? {};
  const base = callers
    ? { ...declarations.baseScope, hasClaims: hasClaims === true }
    : declarations.baseScope;
  const arrival = withFixed(base, {
    ...types,
    path: inputsType(inputs, "path"),
    headers: inputsType(inputs, "header"),
  });
  const found = records.reduce(
    (scope, record) =>
      record.name === "this" ? scope : withNamed(scope, record.name, recordOf(record.resource)),
    arrival,
  );
  const withInputs = withFixed(found, {
    body: inputsType(inputs, "body", further.body),
    query: inputsType(inputs, "query", further.query),
  });
  const target = resource && commonReach(does) === "one" && !signsInAny(does) ? resource : undefined;
  return {
    arrival,
    found,
    candidate: resource ? withFixed(withInputs, { this: recordOf(resource) }) : withInputs,
    allowed: target ? withRecord(found, target) : found,
    defaults: target ? withRecord(found, target) : found,
    inputs: target ? withRecord(withInputs, target) : withInputs,
  };
}

/** `Set`, and the checks and effects after it: `this` is the created or changed record. */
export function changeScope(
  scope: Scope,
  does: readonly DoesSyntax[],
  resource: DeclaredResource | undefined,
): Scope {
  return resource && commonReach(does) !== "none" && !doesAny(does, "list")
    ? withRecord(scope, resource)
    : scope;
}

/**
 * `Set`, `Fails` and effects: `this` has the inputs (and then `Set`) applied, `old` doesn't; a new
 * record has no `old`.
 */
export function withOld(
  scope: Scope,
  does: readonly DoesSyntax[],
  resource: DeclaredResource | undefined,
): Scope {
  const changes = resource && does.some(({ deed }) => isChanging(deed) && reachOf(deed) !== "new");
  return changes ? withFixed(scope, { old: recordOf(resource) }) : scope;
}

/** `created` says whether an `upsert` created its record. */
export function withCreated(scope: Scope, does: readonly DoesSyntax[]): Scope {
  return does.some(({ deed }) => createsIfMissing(deed)) && !Object.hasOwn(scope.named, "created")
    ? withNamed(scope, "created", types.boolean)
    : scope;
}

/** The scope after the change, in which the record that signed in is the caller. */
export function withOutcome(
  scope: Scope,
  does: readonly DoesSyntax[],
  resource: DeclaredResource | undefined,
): Scope {
  return resource && signsInAny(does) ? withFixed(scope, { caller: recordOf(resource) }) : scope;
}

/** Without the record that the expression is about. */
export function withoutRecord(scope: Scope): Scope {
  const { this: _this, old: _old, ...fixed } = scope.fixed;
  return { ...scope, fixed };
}
