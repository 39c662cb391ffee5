/**
 * Inputs of an endpoint, and fields of embedded values, by the names and rules of an older version.
 */
import type { Expression } from "../../expressions/node.ts";
import { type Type, plainKinds } from "../../expressions/type.ts";
import type { ResourceSpec } from "../../fields/field-reader.ts";
import { type FieldRule, sentName } from "../../fields/rule.ts";
import type { FieldPart, FieldType } from "../../fields/type.ts";
import type { Endpoint, Input, VersionChange } from "../model.ts";
import { concernsInput, isEndpoint, pathOf } from "./changes.ts";
import { type Dotted, dotted } from "../../support/dotted.ts";

/** An input of unknown type: any JSON, until it is converted to the current inputs. */
const anything: { readonly type: FieldType; readonly rules: readonly FieldRule[] } = {
  type: { kind: "json" },
  rules: [{ rule: "nullable" }],
};

/** What an older version writes differently has the type of the output expression. */
function replacedBy({ old }: Extract<VersionChange, { kind: "replaced" }>): typeof anything {
  return { ...anything, type: sentType(old.node.type) };
}

function sentType(type: Type): FieldType {
  if (type.kind === "list") return { kind: "list", of: sentType(type.of) };
  const plain = plainKinds.find((kind) => kind === type.kind);
  return plain === undefined ? anything.type : { kind: plain };
}

/** @param changes from the newest to the oldest */
export function versionedInputs(endpoint: Endpoint, changes: readonly VersionChange[]): readonly Input[] {
  return changes.reduce((inputs, change) => inputsBefore(change, endpoint, inputs), endpoint.inputs);
}

/** The inputs by their names on the wire (`sent as`); the given ones if no name differs. */
export function inputsOnWire(inputs: readonly Input[]): readonly Input[] {
  const sent = inputs.map((input) => {
    if (input.in !== "body" && input.in !== "query") return input;
    const [type, name] = [typeOnWire(input.type), nameOnWire(input)];
    return type === input.type && name === input.name ? input : { ...input, type, name };
  });
  return sent.some((input, at) => input !== inputs[at]) ? sent : inputs;
}

/** An input's name in a request. `sent as` is about the last of its names; in a query, about all of them. */
export function nameOnWire({ in: place, name, rules }: Pick<Input, "in" | "name" | "rules">): Dotted {
  const sentAs = sentName(rules);
  if (sentAs === undefined) return name;
  if (place === "query") return [sentAs];
  const [first, ...rest] = [...name.slice(0, -1), sentAs];
  return [first ?? sentAs, ...rest];
}

/** A type whose objects have their parts by the names on the wire. */
function typeOnWire(type: FieldType): FieldType {
  if (type.kind === "list" || type.kind === "map") {
    const of = typeOnWire(type.of);
    return of === type.of ? type : { ...type, of };
  }
  if (type.kind !== "object") return type;
  const parts = type.parts.map(partOnWire);
  return parts.some((part, at) => part !== type.parts[at]) ? { ...type, parts } : type;
}

function partOnWire<P extends FieldPart>(part: P): P {
  const type = typeOnWire(part.type);
  const name = sentName(part.rules) ?? part.name;
  return type === part.type && name === part.name ? part : { ...part, name, type };
}

/** The fields of an embedded value by their names on the wire. */
export function resourceOnWire(spec: ResourceSpec): ResourceSpec {
  const fields = spec.fields.map(partOnWire);
  if (fields.every((field, at) => field === spec.fields[at])) return spec;
  const { identifier } = spec;
  const sent = (name: string) => fields[spec.fields.findIndex((field) => field.name === name)]?.name ?? name;
  return {
    ...spec,
    fields,
    identifier: {
      ...identifier,
      ...(identifier.field === undefined ? {} : { field: sent(identifier.field) }),
      ...(identifier.fields ? { fields: identifier.fields.map(sent) } : {}),
    },
  };
}

/** A version's own name of something takes the place of its name on the wire. */
function withOwnName(rules: readonly FieldRule[]): readonly FieldRule[] {
  return sentName(rules) === undefined ? rules : rules.filter(({ rule }) => rule !== "sent as");
}

/** The inputs before a change. */
export function inputsBefore(
  change: VersionChange,
  endpoint: Endpoint,
  inputs: readonly Input[],
): readonly Input[] {
  if (change.kind === "removed input")
    return isEndpoint(change.endpoint, endpoint)
      ? withRemoved(inputs, removedInput(change, endpoint, inputs))
      : inputs;
  return inputs.flatMap((input) =>
    concernsInput(change, endpoint, input) ? inputBefore(change, endpoint, input) : [input],
  );
}

/**
 * An input that became several is reported more than once, and its name may have another meaning
 * since.
 */
function withRemoved(inputs: readonly Input[], removed: Input): readonly Input[] {
  const isOther = ({ in: location, name }: Input) =>
    location !== removed.in || name.join(".") !== removed.name.join(".");
  return [...inputs.filter(isOther), removed];
}

type Removed = Extract<VersionChange, { kind: "removed input" }>;

function removedInput(change: Removed, endpoint: Endpoint, inputs: readonly Input[]): Input {
  return {
    name: dotted(change.input),
    in: locationOfRemoved(change, endpoint, inputs),
    ...anything,
    required: false,
    position: change.position,
  };
}

/** Location of the replacing input; without one, the location that is usual for the method. */
export function locationOfRemoved(
  change: Removed,
  endpoint: Endpoint,
  inputs: readonly Input[],
): "query" | "body" {
  const successor = inputs.find((input) => input.name.join(".") === change.as?.input);
  if (successor?.in === "query" || successor?.in === "body") return successor.in;
  return /^(POST|PUT|PATCH|QUERY)$/.test(endpoint.method) ? "body" : "query";
}

function inputBefore(change: VersionChange, endpoint: Endpoint, input: Input): readonly Input[] {
  const name = changedName(change);
  if (name === undefined) return [input];
  const path = pathOf(name);
  if (!path.every((part, at) => at >= input.name.length || part === input.name[at])) return [input];
  if (path.length > input.name.length) {
    const type = typeBefore(change, input.type, path.slice(input.name.length));
    return type === input.type ? [input] : [{ ...input, type }];
  }
  switch (change.kind) {
    case "renamed":
      return [
        {
          ...input,
          name: [...pathOf(change.from), ...input.name.slice(path.length)],
          rules: withOwnName(input.rules),
        },
      ];
    case "added":
      return [];
    case "default":
      return [input.name.length === path.length ? withDefault(change, endpoint, input) : input];
    case "replaced": {
      const { default: _current, separator: _none, ...rest } = input;
      return [input.name.length === path.length ? { ...rest, ...replacedBy(change) } : input];
    }
    default:
      return [input];
  }
}

/** Only a create applies a default. An update leaves unsent fields unchanged. */
function withDefault(
  change: Extract<VersionChange, { kind: "default" }>,
  endpoint: Endpoint,
  input: Input,
): Input {
  return hasVersionDefault(endpoint, input) ? { ...input, required: false, default: change.was } : input;
}

export function hasVersionDefault(endpoint: Endpoint, input: Input): boolean {
  const makes = endpoint.does.some((does) => does.kind === "create" || does.kind === "replace");
  return input.default !== undefined || (makes && input.filter === undefined);
}

/**
 * The value of a later field that callers of an older version don't know: the default that it had
 * in their version.
 * @param changes of its resource or value, from the newest to the oldest
 */
export function unknownDefault(
  changes: readonly VersionChange[],
  path: readonly string[],
): Expression | undefined {
  let known = path;
  let was: Expression | undefined;
  for (const change of changes) {
    const changed = pathOf(changedName(change) ?? "");
    if (!changed.every((part, at) => part === known[at])) continue;
    if (change.kind === "added") return was;
    if (change.kind === "default" && changed.length === known.length) was = change.was;
    if (change.kind === "renamed") known = [...pathOf(change.from), ...known.slice(changed.length)];
  }
  return undefined;
}

/** The name that a change is about, in the version after it. */
function changedName(change: VersionChange): string | undefined {
  switch (change.kind) {
    case "renamed":
      return change.to;
    case "added":
    case "default":
    case "replaced":
      return change.name;
    default:
      return undefined;
  }
}

/** The former type of a part of an object whose rows are in the resource's table: `Order.address.zip`. */
function typeBefore(change: VersionChange, type: FieldType, path: readonly string[]): FieldType {
  if (type.kind === "list" || type.kind === "map") {
    const of = typeBefore(change, type.of, path);
    return of === type.of ? type : { ...type, of };
  }
  if (type.kind !== "object") return type;
  const [first, ...rest] = path;
  const parts = type.parts.flatMap((part) => {
    if (part.name !== first) return [part];
    if (rest.length > 0) return [{ ...part, type: typeBefore(change, part.type, rest) }];
    return partBefore(change, part);
  });
  return { ...type, parts };
}

/** The fields of an embedded value. */
export function versionedResource(spec: ResourceSpec, changes: readonly VersionChange[]): ResourceSpec {
  const own = changes.filter((change) => "subject" in change && change.subject === spec.name);
  if (own.length === 0) return spec;
  const fields = own.reduce<ResourceSpec["fields"]>(
    (known, change) =>
      known.flatMap((field) => {
        const [first, ...rest] = pathOf(changedName(change) ?? "");
        if (field.name !== first) return [field];
        return rest.length > 0
          ? [{ ...field, type: typeBefore(change, field.type, rest) }]
          : partBefore(change, field);
      }),
    spec.fields,
  );
  return { ...spec, fields, identifier: versionedIdentifier(spec.identifier, own) };
}

/** References in the version identify records by its names. */
function versionedIdentifier(
  identifier: ResourceSpec["identifier"],
  changes: readonly VersionChange[],
): ResourceSpec["identifier"] {
  const nameBefore = (name: string) =>
    changes.reduce(
      (known, change) => (change.kind === "renamed" && change.to === known ? change.from : known),
      name,
    );
  const { field, fields } = identifier;
  return {
    ...identifier,
    ...(field === undefined ? {} : { field: nameBefore(field) }),
    ...(fields ? { fields: fields.map(nameBefore) } : {}),
  };
}

function partBefore<P extends FieldPart>(change: VersionChange, part: P): readonly P[] {
  switch (change.kind) {
    case "renamed":
      return [{ ...part, name: pathOf(change.from).at(-1) as string, rules: withOwnName(part.rules) }];
    case "added":
      return [];
    case "default":
      return [
        {
          ...part,
          rules: [
            ...part.rules.filter((rule) => rule.rule !== "default" && rule.rule !== "required"),
            { rule: "default", value: change.was } as const,
          ],
        },
      ];
    case "replaced": {
      const required = part.rules.filter((rule) => rule.rule === "required");
      const { type, rules } = replacedBy(change);
      return [{ ...part, type, rules: [...rules, ...required] }];
    }
    default:
      return [part];
  }
}
