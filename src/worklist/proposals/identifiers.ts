/**
 * Proposes how identifiers are generated, if the type or the pattern of the field shows their form.
 */
import { normalizedName } from "../../support/alike-names.ts";
import { expressionForPattern } from "../../model/resources/expression-for-pattern.ts";
import type { Answer, Proposal } from "../document/answers.ts";
import { countsWithinParent } from "./references.ts";
import { lineOf, type SourceDocument, type SourceResource } from "../document/source-document.ts";

/** One proposal for each resource whose identifier has a known form. */
export function proposeIdentifiers(document: SourceDocument): readonly Proposal[] {
  const { resources } = document;
  return resources.flatMap((resource) => {
    const isMade =
      resource.identifier.isOpen &&
      !isOfAnother(resource, resources) &&
      !countsWithinParent(document, resource);
    const made = isMade ? makingOf(resource) : undefined;
    if (made === undefined) return [];
    const answer = identifierAnswer(resource, made);
    return [
      {
        ...answer,
        kind: /random/.test(made) ? "identifier-patterns" : "identifiers",
        evidence: [`line ${answer.at}`],
      },
    ];
  });
}

/**
 * Whether the field is named after another resource, which generates it: `call_sid` of a queue's
 * member.
 */
function isOfAnother({ name, identifier }: SourceResource, resources: readonly SourceResource[]): boolean {
  const [, stem = ""] = /^(.+)_(?:id|sid|uuid|guid)$/i.exec(identifier.field) ?? [];
  const word = normalizedName(stem);
  return (
    word !== "" &&
    !normalizedName(name).includes(word) &&
    resources.some((candidate) => normalizedName(candidate.name).endsWith(word))
  );
}

/** The answer that an expression generates the identifier. */
export function identifierAnswer(
  { name, identifier: { item, field } }: SourceResource,
  made: string,
): Answer {
  const how = made === "given" ? made : `made by \`${made}\``;
  const line = lineOf(item);
  return { subject: name, at: line, edits: [{ line, text: `- Identifier: ${field}, ${how}` }] };
}

function makingOf({ identifier, fields }: SourceResource): string | undefined {
  const field = fields.find(({ name }) => name === identifier.field);
  if (field?.type === "uuid") return "uuid()";
  if (field?.type === "integer") return "sequence()";
  const pattern = field?.rules.find((rule) => rule.startsWith("pattern "));
  const [, text] = /^pattern `(.+)`$/.exec(pattern ?? "") ?? [];
  return text === undefined ? undefined : expressionForPattern(text.replaceAll("\\|", "|"));
}
