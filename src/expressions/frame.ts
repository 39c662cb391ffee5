/** Evaluation frames: everything that an expression may read, in one object of fixed shape. */
import type { ExpressionPorts, Frame } from "./value.ts";
import { bareObject } from "../support/bare-object.ts";
import { Fault } from "../support/invariant.ts";

/** A frame with the given members. All others are null. */
export function newFrame(ports: ExpressionPorts, given: Partial<Omit<Frame, "ports">> = {}): Frame {
  return {
    this: given.this ?? null,
    old: given.old ?? null,
    caller: given.caller ?? null,
    credential: given.credential ?? null,
    body: given.body ?? null,
    query: given.query ?? null,
    path: given.path ?? null,
    headers: given.headers ?? null,
    request: given.request ?? null,
    now: given.now ?? new Date(ports.now()).toISOString(),
    service: given.service ?? null,
    page: given.page ?? null,
    event: given.event ?? null,
    delivery: given.delivery ?? null,
    error: given.error ?? null,
    limits: given.limits ?? null,
    named: given.named ?? bareObject(),
    locals: given.locals ?? [],
    parameters: given.parameters ?? {},
    cursor: given.cursor ?? [],
    ports,
  };
}

/** A frame for literals, which read nothing from it. */
export const emptyFrame: Frame = newFrame(
  {
    randomBytes: rejectPortUse,
    now: rejectPortUse,
    token: rejectPortUse,
    verifyPassword: rejectPortUse,
    hashCredential: rejectPortUse,
    hashPassword: rejectPortUse,
  },
  { now: "" },
);

function rejectPortUse(): never {
  throw new Fault("a literal read a port or a stored record");
}

/**
 * A separate frame with the same content. Names and variables are shared until they are set again.
 */
export function copyFrame(frame: Frame, parameters = frame.parameters): Frame {
  return {
    this: frame.this,
    old: frame.old,
    caller: frame.caller,
    credential: frame.credential,
    body: frame.body,
    query: frame.query,
    path: frame.path,
    headers: frame.headers,
    request: frame.request,
    now: frame.now,
    service: frame.service,
    page: frame.page,
    event: frame.event,
    delivery: frame.delivery,
    error: frame.error,
    limits: frame.limits,
    named: frame.named,
    locals: frame.locals,
    parameters,
    cursor: frame.cursor,
    ports: frame.ports,
  };
}
