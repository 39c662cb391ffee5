/**
 * Precision of each kind of proposal: a document is exported as OpenAPI, imported again, and the
 * proposed answers are compared with the document's own model. Only a kind without a wrong proposal
 * is `likely`.
 */
import assert from "node:assert/strict";
import { test } from "node:test";
import { conditions, defaultAnswer } from "../../src/model/errors/conditions.ts";
import type { Endpoint, Model } from "../../src/model/model.ts";
import {
  type AnswerKindName,
  answerKinds,
  isKindName,
  kindOf,
  type Proposal,
} from "../../src/worklist/document/answers.ts";
import { accept } from "../../src/worklist/accept.ts";
import { workListOf } from "../../src/worklist/worklist.ts";
import { textOf } from "../repository/repository.ts";
import type { Document } from "./documents.ts";
import { endpointKey, heldOutDocuments, importedText, oracleDocuments } from "./oracle-imports.ts";

interface Tally {
  right: number;
  readonly wrong: string[];
}

const [records, heldOut] = [noRecords(), noRecords()];

function noRecords(): ReadonlyMap<string, Tally> {
  const kinds = Object.keys(answerKinds) as AnswerKindName[];
  return new Map(kinds.map((kind) => [kind, { right: 0, wrong: [] }]));
}

/**
 * The judged documents. Documents that were made from proposals are excluded, because those would
 * always match.
 */
const judged = [...oracleDocuments.filter(({ name }) => name !== "github-milestones"), ...heldOutDocuments];

for (const document of judged)
  test(`${document.path}: each proposal compiles, and is compared with the document`, () => {
    let text = importedText(document);
    // Operations raise questions about their inputs.
    for (let round = 0; round < 2; round++) {
      const { proposals } = workListOf("made.md", text);
      for (const proposal of proposals) judge(document, proposal);
      if (proposals.length === 0) return;
      text = accept("made.md", text, ["likely", "possible"]).text;
    }
  });

test("a kind is `likely` only if none of its proposals was wrong, and several were right", () => {
  for (const [kind, { right, wrong }] of records)
    if (levelOf(kind) === "likely") {
      assert.deepEqual(wrong, [], kind);
      assert.ok(right >= 2, `${kind}: ${right} were compared`);
    }
});

test("no `likely` proposal is wrong in the documents from which no rule was made", () => {
  const likely = [...heldOut].filter(([kind]) => levelOf(kind) === "likely");
  assert.deepEqual(
    likely.flatMap(([, { wrong }]) => wrong),
    [],
  );
  const right = likely.reduce((sum, [, tally]) => sum + tally.right, 0);
  assert.ok(right >= 50, `${right} were compared`);
});

test("the guide has the record of each kind", () => {
  const all = [...records].map(([kind, { right, wrong }]) => {
    const further = heldOut.get(kind);
    return { kind, right: right + (further?.right ?? 0), wrong: [...wrong, ...(further?.wrong ?? [])] };
  });
  const rows = all.map(
    ({ kind, right, wrong }) => `| \`${kind}\` | ${right} | ${wrong.length} | ${levelOf(kind)} |`,
  );
  const guide = textOf("docs/guides/import.md");
  const found = guide.split("\n").filter((line) => /^\| `[\w-]+` \| \d+ \| \d+ \| \w+ \|$/.test(line));
  assert.deepEqual(
    found,
    rows,
    all.flatMap(({ kind, wrong }) => wrong.map((problem) => `${kind}: ${problem}`)).join("\n"),
  );
});

/**
 * Compares a proposal with the document. The proposal does not count if the document has nothing
 * comparable.
 */
function judge(document: Document, proposal: Proposal): void {
  const isRight = verdictOf(document.model, proposal);
  const tally = (heldOutDocuments.includes(document) ? heldOut : records).get(proposal.kind);
  if (isRight === undefined || !tally) return;
  if (isRight) tally.right += 1;
  else tally.wrong.push(`${document.path}: ${proposal.subject}: ${linesOf(proposal).join(" / ")}`);
}

function levelOf(kind: string): string {
  return isKindName(kind) ? kindOf(kind).level : "";
}

function linesOf({ edits }: Proposal): readonly string[] {
  return edits.flatMap((edit) => {
    if ("after" in edit) return edit.lines;
    return "text" in edit && edit.text !== undefined ? [edit.text] : [];
  });
}

/** Returns the value of the item that a proposal writes. */
function written(proposal: Proposal, key: string): string | undefined {
  return linesOf(proposal)
    .find((line) => line.startsWith(`- ${key}: `))
    ?.slice(key.length + 4);
}

/** Whether the document sets the field to the time of the request. */
function isTime({ resources }: Model, { kind, subject }: Proposal): boolean | undefined {
  const [resource, name] = subject.split(".");
  const field = resources
    .find((field) => field.name === resource)
    ?.fields.find((field) => field.name === name);
  const text = (rule: "on create" | "on update") =>
    field?.rules
      .flatMap((fieldRule) => (fieldRule.rule === rule && "value" in fieldRule ? [fieldRule.value.text] : []))
      .join();
  if (!field) return undefined;
  return text("on create") === "now" && (kind === "created-times" || text("on update") === "now");
}

function verdictOf(truth: Model, proposal: Proposal): boolean | undefined {
  // `example-scenarios.test.ts` runs these on the document.
  if (proposal.kind.startsWith("scenarios")) return undefined;
  // No document has a scheme of OAuth 2.0, or an export with scopes.
  if (proposal.kind === "scopes" || proposal.kind === "bearer-placement") return undefined;
  if (proposal.kind.endsWith("-times")) return isTime(truth, proposal);
  if (proposal.kind.startsWith("references")) return isReference(truth, proposal);
  if (proposal.kind === "belongs-to") return belongs(truth, proposal);
  if (proposal.kind === "error-payload") return isPayload(truth, proposal);
  if (proposal.kind === "states") return areStates(truth, proposal);
  if (proposal.kind === "immutable") return isImmutable(truth, proposal);
  if (proposal.kind === "forbidden") return isForbidden(truth);
  if (proposal.kind === "error-codes") return areCodes(truth, proposal);
  if (proposal.kind === "versions") return isScheme(truth, proposal);
  if (proposal.kind.startsWith("identifier") || proposal.kind === "resources")
    return identifierVerdict(truth, proposal);
  const [method = "", path = "", input = ""] = proposal.subject.split(" ");
  const key = endpointKey({ endpointsPart: noBase }, method, path);
  const endpoint = truth.endpoints.find(
    (endpoint) => endpointKey(truth, endpoint.method, endpoint.path.text) === key,
  );
  // Parameters of a base path are in every path of the import.
  const hasOwnBase = truth.endpointsPart.basePath.text.includes("{");
  if (!endpoint || endpoint.gap || hasOwnBase) return undefined;
  if (proposal.kind === "filter") return isFilter(endpoint, input);
  if (proposal.kind === "inputs") return setsAll(endpoint, proposal);
  if (proposal.kind === "pagination") return isPaged(endpoint, proposal);
  if (proposal.kind === "idempotency")
    return lineWith(proposal, endpoint.idempotency && `header ${endpoint.idempotency.name}`);
  if (proposal.kind === "preconditions") return endpoint.preconditions !== undefined;
  return isOperation(endpoint, proposal);
}

/** Whether the field refers to the proposed resource. */
function isReference({ resources }: Model, proposal: Proposal): boolean | undefined {
  const [resource, name] = proposal.subject.split(".");
  const fields = resources.find((candidate) => candidate.name === resource)?.fields;
  const field = fields?.find((candidate) => candidate.name === name);
  const target = linesOf(proposal)[0]?.split("|")[2]?.trim();
  return field && field.type.kind === "reference" && field.type.resource === target;
}

/** Whether the records refer to the parent of their path. */
function belongs({ resources }: Model, { subject }: Proposal): boolean | undefined {
  const [child, parent] = subject.split(" of ");
  const fields = resources.find(({ name }) => name === child)?.fields;
  return fields?.some(({ type }) => type.kind === "reference" && type.resource === parent);
}

/** Whether each member of the payload is filled in this way. */
function isPayload({ errors }: Model, proposal: Proposal): boolean {
  const lines = linesOf(proposal).join("\n");
  const members = [...lines.matchAll(/"(\w+)\??": ("[^"]*"|[\w.()]+)/g)].map(
    ([, key, text]) => `"${key}": ${text}`,
  );
  const stated = errors.payload?.text.replaceAll('?":', '":');
  if (stated === undefined) return lines.includes("problem details");
  return members.length > 0 && members.every((member) => stated.includes(member));
}

/** Whether a line of the proposal states this. */
function lineWith(proposal: Proposal, text: string | undefined): boolean {
  return text !== undefined && linesOf(proposal).some((line) => line.includes(text));
}

/**
 * Whether the state field, its first state and the targets of transitions match. A proposal rejects
 * nothing: its transitions must start from each state of the document's transitions.
 */
function areStates({ resources }: Model, proposal: Proposal): boolean | undefined {
  const machine = resources.find(({ name }) => name === proposal.subject)?.states;
  const resource = resources.find(({ name }) => name === proposal.subject);
  if (!resource) return undefined;
  const lines = linesOf(proposal);
  const stated = (key: string) => written(proposal, key);
  const rows = lines.flatMap((line) => {
    const [, name, from, to, trigger] = line.split("|").map((cell) => cell.trim());
    return trigger === "call" ? [{ name, from, to }] : [];
  });
  return (
    machine?.field === stated("State field") &&
    machine?.initial?.text.replaceAll('"', "") === stated("Initial state") &&
    rows.every(({ name, from, to }) =>
      machine?.transitions.some(
        (transition) =>
          transition.name === name &&
          transition.ends.every(
            (end) =>
              end.to === to &&
              end.from !== "any" &&
              end.from.every((state) => from?.split(", ").includes(state)),
          ),
      ),
    )
  );
}

/** Whether no request changes the field of an existing record. */
function isImmutable({ resources, endpoints }: Model, { subject }: Proposal): boolean | undefined {
  const [resource, name] = subject.split(".");
  const field = resources
    .find((field) => field.name === resource)
    ?.fields.find((field) => field.name === name);
  if (!field) return undefined;
  const writers = endpoints.filter(
    (endpoint) =>
      endpoint.resource === resource &&
      endpoint.does.some(({ kind }) => /^(update|replace|upsert|transition)$/.test(kind)) &&
      endpoint.inputs.some((input) => input.sets === name),
  );
  return writers.length === 0;
}

function isForbidden({ errors }: Model): boolean | undefined {
  const row = errors.rows.find(({ when }) => when.some(({ condition }) => condition === "forbidden"));
  const others = errors.rows.filter(({ status }) => status === 403);
  return row || others.length > 0 ? row?.status === 403 && others.length === 1 : undefined;
}

/**
 * Whether each code has its status and its condition. A condition without a row has a code of its own
 * name, and its usual status.
 */
function areCodes({ errors }: Model, proposal: Proposal): boolean | undefined {
  const verdicts = linesOf(proposal).map((line) => {
    const [, code, status, when = ""] = line.split("|").map((cell) => cell.trim());
    const stated = errors.rows.filter((row) => row.code === code);
    if (stated.length > 0)
      return stated.some(
        (row) =>
          String(row.status) === status &&
          (when === "not shown" || row.when.some(({ condition }) => condition === when)),
      );
    const condition = conditions.find((name) => name === when);
    if (!condition) return undefined;
    // A row about a subject leaves the condition's own code to all others.
    const isCoded = errors.rows.some(({ when: places }) =>
      places.some((place) => place.condition === condition && place.of.length === 0),
    );
    return !isCoded && String(defaultAnswer(condition).status) === status;
  });
  return verdicts.every((verdict) => verdict === undefined) ? undefined : !verdicts.includes(false);
}

/** Whether the document has this scheme, and each proposed version. */
function isScheme({ versioning }: Model, proposal: Proposal): boolean {
  const { scheme, versions } = versioning;
  const stated = written(proposal, "Scheme")?.replaceAll("`", "");
  const text =
    scheme === undefined || scheme.kind === "path prefix"
      ? scheme?.kind
      : `${scheme.kind} ${"name" in scheme ? scheme.name : ""}`;
  const named = linesOf(proposal).flatMap(
    (line) => /^\| (?!Version)([\w.-]+) \| (current|not shown) \|$/.exec(line)?.[1] ?? [],
  );
  return stated === text && named.every((name) => versions.some((version) => version.name === name));
}

const noBase = { basePath: { text: "", segments: [] } };

/**
 * Compares the proposed identifier. Names of resources and schemas are equal unless a shape has its
 * own name.
 */
function identifierVerdict(truth: Model, proposal: Proposal): boolean | undefined {
  const identifier = truth.resources.find(({ name }) => name === proposal.subject)?.identifier;
  const [, field, made = ""] = /^(\w+), made by `?(\w+)/.exec(written(proposal, "Identifier") ?? "") ?? [];
  if (!identifier || identifier.kind === "none") return proposal.kind === "resources" ? false : undefined;
  const fields = "field" in identifier ? [identifier.field] : "fields" in identifier ? identifier.fields : [];
  if (proposal.kind === "resources") return fields.length === 1 && fields[0] === field;
  if (identifier.kind !== "made") return false;
  if (!identifier.by) return undefined;
  const by = identifier.by.text;
  return by.startsWith(made) || (made === "hex" && by.includes("hex("));
}

function isOperation(truth: Endpoint, proposal: Proposal): boolean {
  const [deed] = (written(proposal, "Does") ?? "").split(" ");
  const narrowing = linesOf(proposal).filter((line) => line.startsWith("- Where: ")).length;
  if (!truth.does.every(({ kind }) => kind === deed || (kind === "handler" && deed === "create")))
    return false;
  const ofPath = truth.scope || truth.records.length > 0 || truth.where.length > 0;
  if (/-(beneath|within)$/.test(proposal.kind)) return ofPath !== false && setsAll(truth, proposal);
  if (deed === "list" && truth.where.length > narrowing) return false;
  return setsAll(truth, proposal) && (proposal.kind !== "list-in-envelope" || isPaged(truth, proposal));
}

/** Whether each input of `Body` sets the field with its name. */
function setsAll(truth: Endpoint, proposal: Proposal): boolean {
  const names = (written(proposal, "Body") ?? "").split(", ").flatMap((name) => name.replace("?", "") || []);
  return names.every((name) =>
    truth.inputs.some((input) => input.in === "body" && input.name.join(".") === name && input.sets === name),
  );
}

function isFilter(truth: Endpoint, name: string): boolean | undefined {
  const input = truth.inputs.find((input) => input.in === "query" && input.name.join(".") === name);
  if (!input) return undefined;
  const { filter } = input;
  if (filter?.kind !== "condition") return filter?.kind === "equals" && filter.field === name;
  return filter.condition.text === `this.${name} == query.${name}`;
}

function isPaged({ pagination }: Endpoint, proposal: Proposal): boolean {
  const stated = written(proposal, "Pagination");
  if (stated === undefined) return true;
  if (!pagination || pagination.kind === "none") return false;
  const [, form, parts = ""] = /^(.+) \((.*)\)$/.exec(stated) ?? [];
  const kind = pagination.kind === "page" && pagination.from === 0 ? "page from 0" : pagination.kind;
  const roles: Readonly<Record<string, unknown>> = { ...pagination };
  return (
    form === kind &&
    parts.split(", ").every((part) => {
      const [role = "", input] = part.split(": ");
      return roles[role] === input;
    })
  );
}
