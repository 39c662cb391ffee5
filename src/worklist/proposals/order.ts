/**
 * Proposes the order of a list whose inputs choose a field and a direction. Both need a default,
 * and each value of the first must be a field: otherwise some order isn't shown.
 */
import { normalizedName } from "../../support/alike-names.ts";
import type { Proposal } from "../document/answers.ts";
import { isNotShown, itemsOf, keyText } from "../../syntax/read.ts";
import { cellEdit } from "../document/cell-edit.ts";
import { evidenceOf } from "../document/evidence.ts";
import {
  lineOf,
  type SourceDocument,
  type SourceEndpoint,
  type SourceInput,
  type SourceResource,
} from "../document/source-document.ts";

const directionWords = /^(asc|desc|ascending|descending)$/i;

export function orderAnswers(
  document: SourceDocument,
  endpoint: SourceEndpoint,
  resource: SourceResource,
): readonly Proposal[] {
  const open = endpoint.inputs.filter((input) => input.isOpen && input.in === "query");
  const direction = open.find((input) => valuesOf(input).length === 2 && valuesOf(input).every(isDirection));
  const sort = open.find((input) => /^(sort|order)(_?by)?$/i.test(input.name) && input !== direction);
  const [item] = endpoint.does;
  const stated = itemsOf(endpoint.section.body).filter(({ key }) => keyText(key) === "order");
  const usual = direction && defaultOf(direction);
  if (!direction || !sort || !item || usual === undefined || defaultOf(sort) === undefined) return [];
  const values = valuesOf(sort);
  const fields = values.map((value) => fieldOf(value, resource));
  const rows = [sort, direction].map((input) => cellEdit(document, input, "where", ""));
  if (values.length === 0 || fields.includes(undefined) || rows.includes(undefined)) return [];
  if (!stated.every(({ value }) => isNotShown(value))) return [];
  const otherwise = /^desc/i.test(usual) ? "descending" : "ascending";
  const lines = values.map(
    (value, at) =>
      `- Order: ${fields[at]} by query.${direction.name}, else ${otherwise} when \`query.${sort.name} == "${value}"\``,
  );
  return [
    {
      kind: "order",
      subject: endpoint.name,
      at: lineOf(item),
      edits: [
        { after: lineOf(item), lines },
        ...stated.map((order) => ({ line: lineOf(order), text: undefined })),
        ...rows.flatMap((row) => row ?? []),
      ],
      evidence: evidenceOf(document, endpoint, []),
    },
  ];
}

function isDirection(value: string): boolean {
  return directionWords.test(value);
}

function valuesOf({ type }: SourceInput): readonly string[] {
  const [, values] = /^one of (.+)$/.exec(type) ?? [];
  return values?.split(", ").filter((value) => /^[\w.-]+$/.test(value)) ?? [];
}

function defaultOf({ rules }: SourceInput): string | undefined {
  return rules.flatMap((rule) => /^default `"(.+)"`$/.exec(rule)?.[1] ?? [])[0];
}

/** `created` is the field `created`, or else `created_at`. */
function fieldOf(value: string, { fields }: SourceResource): string | undefined {
  const sortable = fields.filter(({ type }) => !/^(list|map|json|object)\b/.test(type));
  const named = (name: string) => sortable.find((field) => normalizedName(field.name) === name)?.name;
  return named(normalizedName(value)) ?? named(normalizedName(`${value}_at`));
}
