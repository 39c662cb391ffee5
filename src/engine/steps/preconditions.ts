/**
 * Optimistic locking: `If-Match` and `If-None-Match` (RFC 9110, section 13; part 4,
 * "Preconditions"). The entity tag is the record's revision, plus a hash of the response if that
 * reads anything else. `If-Match` compares only the revision. The revision is incremented in the
 * transaction, so a lost update becomes a 412.
 */
import { createHash } from "node:crypto";
import { withBodies } from "../../expressions/analysis/bodies.ts";
import type { Node } from "../../expressions/node.ts";
import { someNode } from "../../expressions/nodes.ts";
import type { Meaning } from "../../expressions/scope.ts";
import type { Value } from "../../expressions/value.ts";
import { mayCreate } from "../../model/endpoints/does.ts";
import type { Endpoint } from "../../model/model.ts";
import type { Answer, RequestContext } from "../request-context.ts";
import { Problem } from "../problem.ts";
import { isRecord } from "../evaluation/context.ts";

/**
 * Checks before the change that the record is unchanged since the client read it.
 * @param record null if there is none: `If-Match` fails, and `If-None-Match` allows its creation
 */
export function checkPreconditions(
  endpoint: Endpoint,
  request: RequestContext,
  record: Value = request.evaluation.frame.this,
): void {
  const { preconditions } = endpoint;
  if (!preconditions) return;
  const tag = isRecord(record) ? String(record["#revision"]) : undefined;
  const ifMatch = request.headers["if-match"];
  // RFC 9110, section 13.1.2: `If-None-Match` compares weakly.
  const ifNoneMatch = request.headers["if-none-match"];
  if (preconditions.ifMatch !== "none") {
    if (ifMatch === undefined) {
      // A request that creates a record can't know its tag.
      const creates = ifNoneMatch !== undefined && endpoint.does.some(mayCreate);
      if (preconditions.ifMatch === "required" && !creates) throw required(endpoint, request);
    } else if (!matches(preconditions.weak ? asStrong(ifMatch) : ifMatch, tag)) {
      const problem = tag === undefined ? "does not exist" : "has changed since it was read";
      throw failed(endpoint, request, problem);
    }
  }
  const isRead = request.request.method === "GET" || request.request.method === "HEAD";
  if (
    preconditions.ifNoneMatch !== "none" &&
    ifNoneMatch !== undefined &&
    !isRead &&
    matches(asStrong(ifNoneMatch), tag)
  ) {
    throw failed(endpoint, request, "exists already");
  }
}

/** Adds the `ETag` to a response, and returns 304 if the client has it already. */
export function withEntityTag(
  endpoint: Endpoint,
  request: RequestContext,
  answer: Answer,
  revision: number,
  own: boolean,
): Answer {
  if (!endpoint.preconditions || answer.status >= 300) return answer;
  // A deleted record has no revision.
  if (endpoint.does.every((does) => does.kind === "delete")) return answer;
  const tag = own ? `"${revision}"` : `"${revision}-${hashOf(answer.bytes ?? answer.body)}"`;
  const headers = [...answer.headers, ["ETag", endpoint.preconditions.weak ? `W/${tag}` : tag] as const];
  const isRead = request.request.method === "GET" || request.request.method === "HEAD";
  const ifNoneMatch = request.headers["if-none-match"];
  if (
    isRead &&
    endpoint.preconditions.ifNoneMatch !== "none" &&
    ifNoneMatch !== undefined &&
    isSame(ifNoneMatch, tag)
  ) {
    request.because = endpoint.preconditions.position;
    return { status: 304, headers, body: "" };
  }
  return { ...answer, headers };
}

/**
 * Whether a response reads only the record's own stored fields, so that the revision identifies it.
 */
export function readsOnlyThis(node: Node, meaning: Meaning): boolean {
  return !withBodies(node, meaning).some((body) => someNode(body, (inner) => readsOther(inner, meaning)));
}

function readsOther(node: Node, meaning: Meaning): boolean {
  switch (node.op) {
    case "fixed":
      return node.name !== "this";
    case "named":
    case "parameter":
    case "collection":
      return true;
    case "field":
      // A field access on a reference reads another record.
      return node.of.op === "field" && node.of.type.kind === "record";
    case "call":
      return node.function === "token" || node.function.startsWith("random");
    case "shape":
      return meaning.shapeBody(node.shape) === undefined;
    default:
      return false;
  }
}

/** The tags of a header without their mark of weakness. */
function asStrong(header: string): string {
  return header.replace(/(^|,)\s*W\//g, "$1");
}

/** Strong comparison by revision. `*` matches any record. */
function matches(header: string, revision: string | undefined): boolean {
  if (revision === undefined) return false;
  return tagsOf(header).some((tag) => tag === "*" || /^"(\d+)(?:-[\w-]*)?"$/.exec(tag)?.[1] === revision);
}

/** Weak comparison of entire tags, as `If-None-Match` requires. */
function isSame(header: string, tag: string): boolean {
  return tagsOf(header).some((candidate) => candidate === "*" || candidate.replace(/^W\//, "") === tag);
}

function tagsOf(header: string): readonly string[] {
  return header.split(",").map((tag) => tag.trim());
}

function failed(endpoint: Endpoint, request: RequestContext, problem: string): Problem {
  return new Problem(
    {
      condition: "precondition failed",
      ...(endpoint.resource === undefined ? {} : { resource: endpoint.resource }),
      problem,
    },
    { because: endpoint.preconditions?.position, record: request.evaluation.frame.this },
  );
}

function required(endpoint: Endpoint, request: RequestContext): Problem {
  return new Problem(
    { condition: "precondition required", field: "If-Match", problem: "is required" },
    { because: endpoint.preconditions?.position, record: request.evaluation.frame.this },
  );
}

function hashOf(body: string | Uint8Array): string {
  return createHash("sha256").update(body).digest("base64url").slice(0, 22);
}
