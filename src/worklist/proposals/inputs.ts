/** Proposes the effects of inputs, in endpoints whose operation is stated. */
import { normalizedName } from "../../support/alike-names.ts";
import { alikeAnswers } from "./similar-inputs.ts";
import type { Proposal } from "../document/answers.ts";
import { evidenceOf } from "../document/evidence.ts";
import { filterEdit } from "./filters.ts";
import { isSameType } from "./input-types.ts";
import { pageEdits, pageOf } from "./pages.ts";
import { orderAnswers } from "./order.ts";
import { sentAsRule, withoutRows } from "./operations.ts";
import {
  lineOf,
  type SourceDocument,
  type SourceEndpoint,
  type SourceInput,
  type SourceResource,
} from "../document/source-document.ts";

/** Filters and pages of lists, and inputs that set fields. */
export function proposeInputs(document: SourceDocument): readonly Proposal[] {
  const byName = new Map(document.resources.map((resource) => [resource.name, resource]));
  return document.endpoints.flatMap((endpoint) => {
    const [, verb, name = ""] =
      /^(list|create|update) (\w+)$/.exec(endpoint.does[0]?.value.text.trim() ?? "") ?? [];
    const resource = endpoint.does.length === 1 ? byName.get(name) : undefined;
    if (!resource) return [];
    return verb === "list"
      ? [
          ...filterAnswers(document, endpoint, resource),
          ...pageAnswers(document, endpoint),
          ...orderAnswers(document, endpoint, resource),
        ]
      : [...inputAnswers(document, endpoint, resource), ...alikeAnswers(document, endpoint, resource)];
  });
}

function open({ inputs }: SourceEndpoint, place: string): readonly SourceInput[] {
  return inputs.filter((input) => input.isOpen && input.in === place);
}

function filterAnswers(
  document: SourceDocument,
  endpoint: SourceEndpoint,
  resource: SourceResource,
): readonly Proposal[] {
  return open(endpoint, "query").flatMap((input) => {
    const edit = filterEdit(document, input, resource);
    if (edit === undefined) return [];
    return [
      {
        kind: "filter" as const,
        subject: `${endpoint.name} ${input.name}`,
        at: lineOf(input.row),
        edits: [edit],
        evidence: evidenceOf(document, endpoint, []),
      },
    ];
  });
}

/** Fields with the same name except for case and separators, or with other bounds. */
function inputAnswers(
  document: SourceDocument,
  endpoint: SourceEndpoint,
  { fields, identifier }: SourceResource,
): readonly Proposal[] {
  const found = open(endpoint, "body").flatMap((input) => {
    const same = fields.filter(({ name }) => normalizedName(name) === normalizedName(input.name));
    const [field] = same;
    const isSame =
      same.length === 1 &&
      field !== undefined &&
      isSameType(document, input.type, field.type) &&
      field.name !== identifier.field;
    return isSame && field.name === input.name && sentAsRule(field) === sentAsRule(input) ? [input] : [];
  });
  const [item] = endpoint.does;
  if (found.length === 0 || !item) return [];
  const line = lineOf(item);
  const names = found.map(({ name, rules }) => (rules.includes("required") ? name : `${name}?`));
  return [
    {
      kind: "inputs",
      subject: endpoint.name,
      at: line,
      edits: [{ after: line, lines: [`- Body: ${names.join(", ")}`] }, ...withoutRows(endpoint, found)],
      evidence: evidenceOf(document, endpoint, []),
    },
  ];
}

function pageAnswers(document: SourceDocument, endpoint: SourceEndpoint): readonly Proposal[] {
  const page = pageOf(endpoint);
  const [item] = endpoint.does;
  if (!page || !item) return [];
  return [
    {
      kind: "pagination",
      subject: endpoint.name,
      at: lineOf(item),
      edits: [...pageEdits(endpoint, page, lineOf(item)), ...withoutRows(endpoint, page.inputs)],
      evidence: evidenceOf(document, endpoint, []),
    },
  ];
}
