/** The functions of `launchdarkly.md`: what patches make of a record. Typed from the document by `ninefold types`. */
import { randomBytes, randomUUID } from "node:crypto";
import { isDeepStrictEqual } from "node:util";
import type { Functions, Json } from "./launchdarkly.types.ts";

type Fields = { [key: string]: Json };

/** Of a patch: whether it can't be read, or tests for something that isn't so any more. */
class Refused extends Error {
  readonly problem: "invalid" | "conflict";
  constructor(problem: "invalid" | "conflict", message: string) {
    super(message);
    this.problem = problem;
  }
}

function invalid(message: string): never {
  throw new Refused("invalid", message);
}

function isFields(json: unknown): json is Fields {
  return typeof json === "object" && json !== null && !Array.isArray(json);
}

function copyOf<T extends Json>(json: T): T {
  return structuredClone(json);
}

// RFC 6902, JSON Patch.

function keysOf(pointer: unknown): string[] {
  if (typeof pointer !== "string" || !/^(\/([^~/]|~[01])*)+$/.test(pointer))
    return invalid(`${JSON.stringify(pointer)} is no path`);
  return pointer
    .slice(1)
    .split("/")
    .map((key) => key.replaceAll("~1", "/").replaceAll("~0", "~"));
}

/** The object or list in which the last key of a path stands, and that key: an index in lists, their end for `-` where it may. */
function placeOf(whole: Json, pointer: unknown, mayBeNew: boolean): { in: Json[] | Fields; key: string } {
  const keys = keysOf(pointer);
  const key = keys.pop() as string;
  let at: Json | undefined = whole;
  for (const step of keys) at = own(at, step);
  if (Array.isArray(at)) {
    const index = key === "-" && mayBeNew ? at.length : indexOf(key);
    if (index > at.length - (mayBeNew ? 0 : 1)) return invalid(`nothing is at ${String(pointer)}`);
    return { in: at as Json[], key: String(index) };
  }
  if (!isFields(at) || (!mayBeNew && !Object.hasOwn(at, key)))
    return invalid(`nothing is at ${String(pointer)}`);
  if (["__proto__", "constructor", "prototype"].includes(key)) return invalid(`${key} is no key`);
  return { in: at, key };
}

function own(at: Json | undefined, key: string): Json | undefined {
  if (Array.isArray(at)) return at[indexOf(key)];
  return isFields(at) && Object.hasOwn(at, key) ? at[key] : undefined;
}

function indexOf(key: string): number {
  return /^(0|[1-9]\d{0,8})$/.test(key) ? Number(key) : invalid(`${key} is no index`);
}

function valueAt(whole: Json, pointer: unknown): Json {
  const place = placeOf(whole, pointer, false);
  return (place.in as Fields)[place.key] as Json;
}

function add(whole: Json, pointer: unknown, value: Json): void {
  const place = placeOf(whole, pointer, true);
  if (Array.isArray(place.in)) place.in.splice(Number(place.key), 0, value);
  else place.in[place.key] = value;
}

function remove(whole: Json, pointer: unknown): Json {
  const place = placeOf(whole, pointer, false);
  const value = valueAt(whole, pointer);
  if (Array.isArray(place.in)) place.in.splice(Number(place.key), 1);
  else delete place.in[place.key];
  return value;
}

/** All is done to the one whole, which is the caller's to give up where something can't be. */
function operate(whole: Json, operation: Json): void {
  if (!isFields(operation)) throw new Refused("invalid", "an operation must be an object");
  const { op, path, from } = operation;
  const given = operation["value"];
  const value = () => (given === undefined ? invalid(`${String(op)} needs a value`) : copyOf(given));
  if (op === "add") add(whole, path, value());
  else if (op === "remove") remove(whole, path);
  else if (op === "copy") add(whole, path, copyOf(valueAt(whole, from)));
  else if (op === "move") add(whole, path, remove(whole, from));
  else if (op === "replace") {
    remove(whole, path);
    add(whole, path, value());
  } else if (op !== "test") invalid(`${JSON.stringify(op)} is no operation`);
  else if (!isDeepStrictEqual(valueAt(whole, path), value()))
    throw new Refused("conflict", `${String(path)} is something else`);
}

function operated(before: Json, operations: Json): Json {
  if (!Array.isArray(operations)) return invalid("a patch must be a list of operations");
  const whole = copyOf(before);
  for (const operation of operations) operate(whole, operation);
  return whole;
}

/** RFC 7396, JSON Merge Patch. */
function merged(before: Json | undefined, patch: Json): Json {
  if (!isFields(patch)) return copyOf(patch);
  const whole: Fields = isFields(before) ? { ...before } : {};
  for (const [key, value] of Object.entries(patch)) {
    if (value === null) delete whole[key];
    else whole[key] = merged(whole[key], value);
  }
  return whole;
}

// Instructions, "semantic patch": the part of them that this twin knows.

interface Instruction extends Fields {
  kind: string;
}

type Instructed = (flag: Fields, instruction: Instruction, environment: () => Fields) => void;

function put(fields: Fields, key: string, value: Json | undefined): void {
  fields[key] = value ?? null;
}

const instructions: Readonly<Record<string, Instructed>> = {
  turnFlagOn: (_flag, _instruction, environment) => put(environment(), "on", true),
  turnFlagOff: (_flag, _instruction, environment) => put(environment(), "on", false),
  updateName: (flag, { value }) => put(flag, "name", value ?? null),
  updateDescription: (flag, { value }) => put(flag, "description", value ?? null),
  addTags: (flag, { values }) => put(flag, "tags", [...new Set([...texts(flag["tags"]), ...texts(values)])]),
  removeTags: (flag, { values }) =>
    put(
      flag,
      "tags",
      texts(flag["tags"]).filter((tag) => !texts(values).includes(tag)),
    ),
  makeFlagTemporary: (flag) => put(flag, "temporary", true),
  makeFlagPermanent: (flag) => put(flag, "temporary", false),
  archiveFlag: (flag) => put(flag, "archived", true),
  restoreFlag: (flag) => put(flag, "archived", false),
  deprecateFlag: (flag) => put(flag, "deprecated", true),
  restoreDeprecatedFlag: (flag) => put(flag, "deprecated", false),
  addVariation: (flag, { value, name, description }) =>
    void list(flag["variations"]).push({
      _id: randomUUID(),
      value: value ?? null,
      ...(name === undefined ? {} : { name }),
      ...(description === undefined ? {} : { description }),
    }),
  updateFallthroughVariationOrRollout: (flag, { variationId }, environment) =>
    put(environment(), "fallthrough", { variation: variationAt(flag, variationId) }),
  updateOffVariation: (flag, { variationId }, environment) =>
    put(environment(), "offVariation", variationAt(flag, variationId)),
  addTargets(flag, { values, variationId, contextKind = "user" }, environment) {
    const variation = variationAt(flag, variationId);
    const targets = list(environment()["targets"]);
    const found = targets.find(
      (target) =>
        isFields(target) && target["variation"] === variation && target["contextKind"] === contextKind,
    ) as Fields | undefined;
    if (found) found["values"] = [...new Set([...texts(found["values"]), ...texts(values)])];
    else targets.push({ values: texts(values), variation, contextKind });
  },
  removeTargets(flag, { values, variationId, contextKind = "user" }, environment) {
    const variation = variationAt(flag, variationId);
    for (const target of list(environment()["targets"]))
      if (isFields(target) && target["variation"] === variation && target["contextKind"] === contextKind)
        (target as Fields)["values"] = texts(target["values"]).filter(
          (value) => !texts(values).includes(value),
        );
  },
};

function list(json: Json | undefined): Json[] {
  return Array.isArray(json) ? (json as Json[]) : invalid("a list is wanted");
}

function texts(json: Json | undefined): string[] {
  const all = list(json);
  return all.every((text): text is string => typeof text === "string") ? all : invalid("texts are wanted");
}

function variationAt(flag: Fields, id: Json | undefined): number {
  const at = list(flag["variations"]).findIndex(
    (variation) => isFields(variation) && variation["_id"] === id,
  );
  return at === -1 ? invalid(`${JSON.stringify(id)} is no variation of the flag`) : at;
}

function instructed(before: Json, sent: Json): Json {
  if (!isFields(sent) || !Array.isArray(sent["instructions"])) return invalid("there are no instructions");
  const flag = copyOf(before) as Fields;
  const environment = () => {
    const found = own(flag["environments"], String(sent["environmentKey"]));
    return isFields(found) ? found : invalid(`${JSON.stringify(sent["environmentKey"])} is no environment`);
  };
  for (const instruction of sent["instructions"]) {
    const kind = isFields(instruction) ? String(instruction["kind"]) : "";
    if (!Object.hasOwn(instructions, kind)) return invalid(`the instruction ${kind} is not known here`);
    instructions[kind]?.(flag, instruction as Instruction, environment);
  }
  return flag;
}

// The result must be a flag, or the project, again.

type IsForm = (json: unknown) => boolean;

const isText: IsForm = (json) => typeof json === "string";
const isFlag: IsForm = (json) => typeof json === "boolean";
const isIndex: IsForm = (json) => Number.isSafeInteger(json) && Number(json) >= 0;
const isName: IsForm = (json) => isText(json) && json !== "" && [...String(json)].length <= 256;
const isId: IsForm = (json) => /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/.test(String(json));
const isAny: IsForm = (json) => json !== undefined && json !== null;

function isListOf(isOne: IsForm, least = 0, most = 1000): IsForm {
  return (json) => Array.isArray(json) && json.length >= least && json.length <= most && json.every(isOne);
}

/** With these keys and no others; those that end in `?` may be left out. */
function isObjectOf(members: Readonly<Record<string, IsForm>>): IsForm {
  return (json) =>
    isFields(json) &&
    Object.keys(json).every((key) => key in members || `${key}?` in members) &&
    Object.entries(members).every(([name, isForm]) => {
      const value = json[name.replace("?", "")];
      return name.endsWith("?") && (value ?? null) === null ? true : isForm(value);
    });
}

function isMapOf(isOne: IsForm): IsForm {
  return (json) => isFields(json) && Object.values(json).every(isOne);
}

const isTags: IsForm = (json) =>
  isListOf((item) => isName(item) && String(item).length <= 64)(json) &&
  new Set(json as string[]).size === (json as string[]).length;

const forms: Readonly<Record<string, IsForm>> = {
  name: isName,
  description: isText,
  tags: isTags,
  temporary: isFlag,
  archived: isFlag,
  deprecated: isFlag,
  includeInSnippetByDefault: isFlag,
  variations: isListOf(
    isObjectOf({ _id: isId, value: isAny, "name?": isText, "description?": isText }),
    2,
    100,
  ),
  defaults: isObjectOf({ onVariation: isIndex, offVariation: isIndex }),
  customProperties: isMapOf(isObjectOf({ name: isText, value: isListOf(isText) })),
  clientSideAvailability: isObjectOf({ usingMobileKey: isFlag, usingEnvironmentId: isFlag }),
  environments: isMapOf((json) => isFields(json) && isFlag(json["on"])),
};

function checked(before: Fields, after: Json): Fields {
  if (!isFields(after)) return invalid("nothing is left");
  for (const key of new Set([...Object.keys(before), ...Object.keys(after)])) {
    if (isDeepStrictEqual(before[key], after[key])) continue;
    const isForm = Object.hasOwn(forms, key) ? forms[key] : undefined;
    if (!isForm || !Object.hasOwn(before, key)) return invalid(`${key} can't be changed`);
    if (!isForm(after[key])) return invalid(`${key} is wrong`);
  }
  const { defaults, variations } = after as { defaults?: object; variations?: Json[] };
  if (defaults && Object.values(defaults).some((index) => index >= (variations?.length ?? 0)))
    return invalid("defaults must be indices of variations");
  const keys = (json: Json | undefined) => Object.keys(json ?? {}).sort();
  if (!isDeepStrictEqual(keys(before["environments"]), keys(after["environments"])))
    return invalid("environments are made and deleted elsewhere");
  return after;
}

/** What was changed in an environment gives it a version, and a time, of its own. */
function stamped(before: Fields, after: Fields, at: number): Fields {
  const former = (before["environments"] ?? {}) as Fields;
  const environments = Object.entries((after["environments"] ?? {}) as Fields).map(([key, environment]) => {
    const same = isDeepStrictEqual(former[key], environment);
    const version = Number((former[key] as Fields)["version"]);
    return [
      key,
      same ? environment : { ...(environment as Fields), version: version + 1, lastModified: at },
    ] as const;
  });
  return { ...after, environments: Object.fromEntries(environments) };
}

function attempt(make: () => Fields, otherwise: () => Fields): Json {
  try {
    return make();
  } catch (error) {
    if (!(error instanceof Refused)) throw error;
    return { ...otherwise(), problem: error.problem, message: error.message };
  }
}

export const functions: Functions = {
  patched: (before, operations) =>
    attempt(
      () => ({ value: checked(before as Fields, operated(before, operations)) }),
      () => ({ value: before }),
    ),
  changed: (before, sent, isSemantic, at) =>
    attempt(
      () => {
        const patch = isFields(sent) ? sent : {};
        const after = isSemantic
          ? instructed(before, sent)
          : Array.isArray(sent) || patch["patch"] !== undefined
            ? operated(before, patch["patch"] ?? sent)
            : merged(before, patch["merge"] ?? sent);
        const flag = stamped(before as Fields, checked(before as Fields, after), at);
        return { flag, isOther: !isDeepStrictEqual(flag, before) };
      },
      () => ({ flag: before }),
    ),
  configured: (keys, at) =>
    Object.fromEntries(
      keys.map((key) => [
        key,
        {
          on: false,
          archived: false,
          salt: randomBytes(16).toString("hex"),
          sel: randomBytes(16).toString("hex"),
          lastModified: at,
          version: 1,
          targets: [],
          contextTargets: [],
          rules: [],
          fallthrough: { variation: 0 },
          offVariation: 1,
          prerequisites: [],
          trackEvents: false,
          trackEventsFallthrough: false,
          _environmentName: key,
        },
      ]),
    ),
};
