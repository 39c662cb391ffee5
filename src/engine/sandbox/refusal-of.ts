/** Converts errors of the engine and the store to sandbox refusals. */
import { StoreRefused, StoreUnavailable } from "../../store/index.ts";
import { NoSuchRecord } from "../admin/refusals.ts";
import { GivenRejected } from "../given.ts";
import { BodyRefusal, type RequestRefusal } from "../http/message.ts";
import { Problem } from "../problem.ts";
import { SandboxRefusal } from "./refusal.ts";

/** Returns the refusal for an error; undefined for a fault. */
export function refusalOf(error: unknown): SandboxRefusal | undefined {
  if (error instanceof SandboxRefusal) return error;
  if (error instanceof BodyRefusal) return toSandboxRefusal(error);
  if (error instanceof GivenRejected)
    return new SandboxRefusal(
      422,
      "Invalid record",
      `Line ${error.step.position.start.line}: ${error.message}. Nothing was stored.`,
    );
  if (error instanceof Problem)
    return new SandboxRefusal(422, "Invalid record", `${error.message}. Nothing was stored.`);
  if (error instanceof NoSuchRecord) return new SandboxRefusal(404, "No such record", error.message);
  if (error instanceof StoreRefused)
    return new SandboxRefusal(503, "The store can't be used", `${error.message} ${error.hint}`);
  if (error instanceof StoreUnavailable)
    return new SandboxRefusal(503, "The store can't be used", error.message);
  return undefined;
}

export function toSandboxRefusal({ status, problem, retryAfterSeconds }: RequestRefusal): SandboxRefusal {
  const headers =
    retryAfterSeconds === undefined ? [] : [["Retry-After", String(retryAfterSeconds)] as const];
  return new SandboxRefusal(status, "The request can't be accepted", `${capital(problem)}.`, { headers });
}

function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
