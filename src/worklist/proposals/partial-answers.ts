/**
 * Responses with some fields of a record in a schema of their own, such as `{"id": …, "deleted":
 * true}` for a DELETE.
 */
import type {
  SourceDocument,
  SourceEndpoint,
  SourceField,
  SourceResource,
} from "../document/source-document.ts";

/**
 * The response with the record's own fields. Undefined if another key would need a value that the
 * document doesn't show.
 */
export function partialAnswer(
  { values }: SourceDocument,
  { returns: [answer, more] }: SourceEndpoint,
  resource: SourceResource,
): string | undefined {
  if (!answer || more) return undefined;
  const [, status, name] = /^(2\d\d) ([A-Za-z_]\w*)$/.exec(answer.value.text.trim()) ?? [];
  const value = values.find((candidate) => candidate.name === name);
  if (!value || value.fields.length === 0) return undefined;
  const members = value.fields.map((field) => memberOf(field, resource));
  return members.includes(undefined) ? undefined : `${status} \`{${members.join(", ")}}\``;
}

function memberOf({ name, type, rules }: SourceField, { fields }: SourceResource): string | undefined {
  if (rules.some((rule) => rule.startsWith("sent as "))) return undefined;
  const constant = rules.map((rule) => /^= `?(".*"|\d+|true|false)`?$/.exec(rule)?.[1]).find(Boolean);
  if (constant !== undefined) return `"${name}": ${constant}`;
  if (fields.some((field) => field.name === name && field.type === type)) return `"${name}": this.${name}`;
  return name === "deleted" && type === "boolean" ? `"deleted": true` : undefined;
}
