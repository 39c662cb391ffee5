/** Proposes what headers with a usual name do: keys of idempotency, and preconditions. */
import { normalizedName } from "../../support/alike-names.ts";
import { itemsOf, keyText } from "../../syntax/read.ts";
import type { AnswerKindName, Proposal } from "../document/answers.ts";
import { evidenceOf } from "../document/evidence.ts";
import { withoutRows } from "./operations.ts";
import {
  lineOf,
  type SourceDocument,
  type SourceEndpoint,
  type SourceInput,
} from "../document/source-document.ts";

/** One proposal for each endpoint whose operation is stated and that has such a header. */
export function proposeHeaders(document: SourceDocument): readonly Proposal[] {
  return document.endpoints.flatMap((endpoint) => {
    const headers = endpoint.inputs.filter((input) => input.in === "header" && input.isOpen);
    if (endpoint.isOpen || headers.length === 0) return [];
    return [
      ...proposalOf(document, endpoint, "idempotency", "Idempotency", headers.filter(isKey), keyOf),
      ...proposalOf(document, endpoint, "preconditions", "Preconditions", headers.filter(isTag), tagOf),
    ];
  });
}

function proposalOf(
  document: SourceDocument,
  endpoint: SourceEndpoint,
  kind: AnswerKindName,
  item: string,
  inputs: readonly SourceInput[],
  textOf: (input: SourceInput) => string,
): readonly Proposal[] {
  const [does] = endpoint.does;
  const isStated = itemsOf(endpoint.section.body).some(({ key }) => keyText(key) === item.toLowerCase());
  const isRead = endpoint.method === "GET";
  if (!does || isStated || inputs.length === 0 || (isRead && kind === "idempotency")) return [];
  const line = lineOf(does);
  return [
    {
      kind,
      subject: endpoint.name,
      at: line,
      edits: [
        { after: line, lines: [`- ${item}: ${inputs.map(textOf).join(", ")}`] },
        ...withoutRows(endpoint, inputs),
      ],
      evidence: evidenceOf(document, endpoint, []),
    },
  ];
}

/** `Idempotency-Key`, `X-Idempotency-Key` */
function isKey({ name }: SourceInput): boolean {
  return /^x?idempotencykey$/.test(normalizedName(name));
}

function keyOf({ name, rules }: SourceInput): string {
  return `header ${name}${rules.includes("required") ? ", required" : ""}`;
}

function isTag({ name }: SourceInput): boolean {
  return /^if-(none-)?match$/i.test(name);
}

function tagOf({ name, rules }: SourceInput): string {
  const isMatch = /^if-match$/i.test(name);
  return `${isMatch ? "If-Match" : "If-None-Match"}${isMatch && rules.includes("required") ? " required" : ""}`;
}
