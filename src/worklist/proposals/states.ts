/**
 * Proposes the states of a resource: a field named status or state that no request sends, and a
 * transition for each `POST /orders/{id}/cancel` whose last word begins one of its values.
 */
import { parameterNames } from "../../model/endpoints/path-text.ts";
import { normalizedName } from "../../support/alike-names.ts";
import { itemsOf, isNotShown } from "../../syntax/read.ts";
import type { Proposal } from "../document/answers.ts";
import { addressesOf, type Addresses } from "./addresses.ts";
import { cellEdit } from "../document/cell-edit.ts";
import type { Edit } from "../document/edits.ts";
import { evidenceOf } from "../document/evidence.ts";
import {
  lineOf,
  type SourceDocument,
  type SourceEndpoint,
  type SourceField,
  type SourceResource,
} from "../document/source-document.ts";

interface Way {
  readonly endpoint: SourceEndpoint;
  readonly name: string;
  readonly to: string;
}

/** One proposal for each resource with such a field and such paths. */
export function proposeStates(document: SourceDocument): readonly Proposal[] {
  const addresses = addressesOf(document);
  const part = document.parts.states;
  const open = itemsOf(part?.body ?? []).filter(({ value }) => isNotShown(value));
  const last = open.at(-1);
  // In a document with states, the author has decided which resources have them.
  if (!part || !last || part.sections.length > 0) return [];
  return document.resources.flatMap((resource) => {
    const field = stateFieldOf(document, resource);
    const values = field ? valuesOf(field) : [];
    const transitions = waysOf(document, resource, values, addresses);
    const [first] = values;
    if (!field || first === undefined || transitions.length === 0) return [];
    const row = cellEdit(document, field, "type", "state");
    const typed = row && cellEdit(document, field, "rules", "", row);
    if (!typed) return [];
    const edits: readonly Edit[] = [
      typed,
      ...open.map((item): Edit => ({ line: lineOf(item), text: undefined })),
      { after: lineOf(last), lines: sectionOf(resource, field, first, values, transitions) },
      ...transitions.flatMap(({ endpoint, name }) => doesEdits(endpoint, name, resource)),
    ];
    const [transition] = transitions;
    return transition
      ? [
          {
            kind: "states" as const,
            subject: resource.name,
            at: lineOf(field.row),
            edits,
            evidence: evidenceOf(
              document,
              transition.endpoint,
              transitions.map(({ endpoint }) => endpoint),
            ),
          },
        ]
      : [];
  });
}

/** A field that the service sets and that no request at the resource's paths sends. */
function stateFieldOf({ endpoints }: SourceDocument, { fields }: SourceResource): SourceField | undefined {
  const field = fields.find(
    ({ name, type, rules }) =>
      /(^|_)(state|status)$|(State|Status)$/.test(name) &&
      type.startsWith("one of ") &&
      rules.some((rule) => /^(on create )?not shown$/.test(rule)),
  );
  const isSent = endpoints.some(({ inputs }) =>
    inputs.some((input) => input.in === "body" && input.name === field?.name),
  );
  return isSent ? undefined : field;
}

function valuesOf({ type }: SourceField): readonly string[] {
  const values = type.replace(/^one of /, "").split(/\s*,\s*/);
  return values.every((value) => /^[\w-]+$/.test(value)) ? values : [];
}

/** The endpoints whose last word unambiguously names a state. */
function waysOf(
  { endpoints }: SourceDocument,
  resource: SourceResource,
  values: readonly string[],
  addresses: Addresses,
): readonly Way[] {
  return endpoints.flatMap((endpoint) => {
    const [, item = "", verb = ""] = /^(.*\})\/([\w-]+)$/.exec(endpoint.path) ?? [];
    const isOne = parameterNames(endpoint.path).length === 1 && endpoint.method === "POST";
    if (!endpoint.isOpen || !isOne || addresses.itemAt(item) !== resource) return [];
    const stem = normalizedName(verb).replace(/e$/, "");
    const reached = values.filter((value) => stem.length > 2 && normalizedName(value).startsWith(stem));
    const [to, another] = reached;
    return to === undefined || another !== undefined
      ? []
      : [{ endpoint, name: verb.replaceAll("-", "_"), to }];
  });
}

function sectionOf(
  { name }: SourceResource,
  field: SourceField,
  first: string,
  values: readonly string[],
  transitions: readonly Way[],
): readonly string[] {
  const rows = transitions.map(({ name: transition, to }) => {
    const from = values.filter((value) => value !== to).join(", ");
    return `| ${transition} | ${from} | ${to} | call | | |`;
  });
  return [
    "",
    `### ${name}`,
    "",
    `- State field: ${field.name}`,
    `- Initial state: ${first}`,
    "",
    "| Transition | From | To | Trigger | Guard | Effect |",
    "|---|---|---|---|---|---|",
    ...rows,
    "",
  ];
}

function doesEdits({ does }: SourceEndpoint, transition: string, { name }: SourceResource): readonly Edit[] {
  const [item] = does;
  return item ? [{ line: lineOf(item), text: `- Does: ${transition} ${name}` }] : [];
}
