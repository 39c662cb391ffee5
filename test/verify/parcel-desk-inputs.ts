/** Inputs of the hand-written parcel desk, and their validation. */
import type { FastifyRequest } from "fastify";
import type { Bug } from "./parcel-desk.ts";

/** A request that the desk rejects according to part 7 of the document. */
export class Rejected extends Error {
  readonly status: number;
  readonly code: string;
  readonly field: string | null;

  constructor(status: number, code: string, message: string, field: string | null = null) {
    super(message);
    this.status = status;
    this.code = code;
    this.field = field;
  }
}

export type Body = Readonly<Record<string, unknown>>;

interface Input {
  readonly isRequired?: boolean;
  readonly kind?: "text" | "integer" | "address" | "uri" | "texts";
  readonly min?: number;
  readonly max?: number;
  readonly pattern?: RegExp;
}

export type Shape = Readonly<Record<string, Input>>;

export function parcelInputs(purpose: "create" | "update", isOld: boolean): Shape {
  const isRequired = purpose === "create";
  return {
    recipient: { isRequired, min: 1, max: 120 },
    address: { isRequired, kind: "address" },
    ...(isRequired
      ? { [isOld ? "weight" : "weight_grams"]: { isRequired, kind: "integer", min: 1, max: 30_000 } }
      : {}),
    reference: { min: 1, max: 64 },
  };
}

export const hookInputs: Shape = { url: { isRequired: true, kind: "uri" }, events: { kind: "texts" } };

const addressInputs: Shape = {
  line: { isRequired: true, min: 1, max: 200 },
  city: { isRequired: true, min: 1, max: 80 },
  country: { isRequired: true, pattern: /^[A-Z]{2}$/ },
};

/** A text or null. */
export function text(value: unknown): string | null {
  return typeof value === "string" ? value : null;
}

type Has = (bug: Bug) => boolean;

/** @throws Rejected for an invalid request */
export function validate(request: FastifyRequest, shape: Shape, has: Has): Body {
  const sent = typeof request.body === "string" ? request.body : "";
  const type = (request.headers["content-type"] ?? "application/json").split(";")[0]?.trim();
  if (sent !== "" && type !== "application/json")
    throw new Rejected(415, "unsupported_media_type", "Send application/json.");
  const body = sent === "" ? {} : parsed(sent);
  return checked(body, shape, "", has);
}

function parsed(sent: string): unknown {
  try {
    return JSON.parse(sent);
  } catch {
    throw new Rejected(400, "bad_json", "The body is not valid JSON: it can't be parsed.");
  }
}

function checked(value: unknown, shape: Shape, prefix: string, has: Has): Body {
  if (typeof value !== "object" || value === null || Array.isArray(value)) {
    if (prefix === "")
      throw new Rejected(400, "bad_json", "The body is not valid JSON: it must be an object.");
    throw bad(prefix.slice(0, -1), "must be an object");
  }
  const accepted: Record<string, unknown> = {};
  for (const name of Object.keys(value))
    if (!(name in shape) && !has("an unknown field is ignored"))
      throw new Rejected(
        422,
        "unknown_field",
        `${prefix}${name} is not a field of this request.`,
        prefix + name,
      );
  for (const [name, input] of Object.entries(shape)) {
    const part: unknown = Reflect.get(value, name);
    const field = prefix + name;
    if (part === null || (part === undefined && input.isRequired))
      throw new Rejected(422, "missing_value", `${field} is required.`, field);
    if (part !== undefined) accepted[name] = acceptedValue(part, input, field, has);
  }
  return accepted;
}

function bad(field: string, problem: string): Rejected {
  return new Rejected(422, "bad_value", `${field} ${problem}.`, field);
}

function acceptedValue(
  value: unknown,
  { kind = "text", min = 0, max = Infinity, pattern }: Input,
  field: string,
  has: Has,
): unknown {
  switch (kind) {
    case "address":
      return checked(value, addressInputs, `${field}.`, has);
    case "texts":
      if (!Array.isArray(value)) throw bad(field, "must be a list of texts");
      for (const [at, item] of value.entries())
        if (item === null)
          throw new Rejected(422, "missing_value", `${field}[${at}] is required.`, `${field}[${at}]`);
        else if (typeof item !== "string") throw bad(`${field}[${at}]`, "must be text");
      return value;
    case "integer": {
      const most = has("weights of 30001 grams are accepted") ? max + 1 : max;
      if (typeof value !== "number" || !Number.isInteger(value) || value < min || value > most)
        throw bad(field, "must be a whole number in its range");
      return value;
    }
    case "uri":
      if (typeof value !== "string" || !URL.canParse(value)) throw bad(field, "must be a URI");
      return value;
    case "text": {
      if (typeof value !== "string") throw bad(field, "must be text");
      const most = has("recipients of 121 characters are accepted") && field === "recipient" ? max + 1 : max;
      if ([...value].length < min || [...value].length > most) throw bad(field, "has a wrong length");
      const isCase = has("a country may be in lower case");
      if (pattern && !(isCase ? new RegExp(pattern, "i") : pattern).test(value))
        throw bad(field, "has a wrong form");
      return value;
    }
  }
}
