/**
 * Proposes how tokens of OAuth 2.0 are sent, and credentials with the scopes that operations need.
 * The import keeps the scopes in the comments of schemes and of endpoints.
 */
import { itemsOf, isNotShown, keyText } from "../../syntax/read.ts";
import type { ItemNode, Section } from "../../syntax/nodes.ts";
import { textAt } from "../../source/source.ts";
import type { Proposal } from "../document/answers.ts";
import type { Edit } from "../document/edits.ts";
import { lineOf, type SourceDocument, type SourceEndpoint } from "../document/source-document.ts";

interface Scheme {
  readonly title: string;
  readonly section: Section;
  readonly placement: ItemNode | undefined;
  readonly credentials: ItemNode | undefined;
  /** The place in the description. */
  readonly pointer: string;
  readonly isOAuth: boolean;
  readonly scopes: readonly string[];
  /** Whether the comment names only some of the scopes. */
  readonly areAbridged: boolean;
}

export function proposeSchemes(document: SourceDocument): readonly Proposal[] {
  return schemesOf(document).flatMap((scheme) => [
    ...placementOf(scheme),
    ...(credentialsOf(document, scheme) ?? []),
  ]);
}

function schemesOf({ source, parts }: SourceDocument): readonly Scheme[] {
  return (parts.authentication?.sections ?? []).flatMap((section) => {
    const [, title] = /^Scheme: (.+)$/.exec(section.heading.text.trim()) ?? [];
    if (title === undefined) return [];
    const [, pointer = "", notes = ""] =
      /<!-- openapi (#\/\S+): ([\s\S]*?) -->/.exec(textAt(source, section.position)) ?? [];
    const items = itemsOf(section.body);
    const open = (name: string) => items.find(({ key, value }) => keyText(key) === name && isNotShown(value));
    return [
      {
        title,
        section,
        placement: open("placement"),
        credentials: open("credentials"),
        pointer,
        isOAuth: /\btype (oauth2|openIdConnect)\b/.test(notes),
        scopes: [...notes.matchAll(/(?:^|; )scope ([^;]+)/g)].map(([, scope = ""]) => scope.trim()),
        areAbridged: /; and \d+ more$/.test(notes),
      },
    ];
  });
}

const bearer = "- Placement: header Authorization, after Bearer";

function placementOf({ title, placement, isOAuth, pointer }: Scheme): readonly Proposal[] {
  if (!placement || !isOAuth) return [];
  const line = lineOf(placement);
  return [
    {
      kind: "bearer-placement",
      subject: title,
      at: line,
      edits: [{ line, text: bearer }],
      evidence: [pointer],
    },
  ];
}

/** A resource for the tokens, with their scopes, and the condition of each operation. */
function credentialsOf(document: SourceDocument, scheme: Scheme): readonly Proposal[] | undefined {
  const { title, placement, credentials, isOAuth, pointer, scopes } = scheme;
  const end = lastLineOf(document);
  const resource = `${title.replace(/\W+/g, "").replace(/^(?=\d)/, "Scheme")}Token`;
  const name = resource.charAt(0).toUpperCase() + resource.slice(1);
  const taken = [...document.resources, ...document.values].some((shape) => shape.name === name);
  const needed = document.endpoints.flatMap((endpoint) => neededBy(endpoint, title) ?? []);
  const [first] = needed;
  if (!credentials || end === undefined || taken || !first || (placement && !isOAuth)) return undefined;
  const line = lineOf(credentials);
  return [
    {
      kind: "scopes",
      subject: title,
      at: line,
      edits: [
        ...(placement ? [{ line: lineOf(placement), text: bearer }] : []),
        { line, text: `- Credentials: ${name} by key` },
        {
          after: end,
          lines: [
            "",
            `### ${name}`,
            "",
            "- Identifier: id, made by `uuid()`",
            "",
            "| Field | Type | Rules |",
            "|---|---|---|",
            "| key | credential | required |",
            `| scopes | list of ${typeOf(scheme, scopes)} | required |`,
          ],
        },
        ...needed.map(({ edit }) => edit),
      ],
      evidence: [pointer, ...needed.slice(0, 2).map((endpoint) => `line ${endpoint.line}`)],
    },
  ];
}

/** The last line of part 2 that has text. Undefined if the part says that its resources aren't shown. */
function lastLineOf({ source, parts: { resources } }: SourceDocument): number | undefined {
  if (!resources || resources.sections.length === 0) return undefined;
  const lines = source.text.split("\n").slice(0, resources.position.end.line);
  return lines.findLastIndex((line) => line.trim() !== "") + 1;
}

const plainScope = /^[A-Za-z][\w.:/-]*$/;

function typeOf({ areAbridged }: Scheme, scopes: readonly string[]): string {
  const isListed = !areAbridged && scopes.length > 0 && scopes.every((scope) => plainScope.test(scope));
  return isListed ? `one of ${[...new Set(scopes)].join(", ")}` : "string";
}

/**
 * The condition of an operation, from `scopes of OAuth2: read and write, or admin`. A condition that
 * can't be written is a gap.
 */
function neededBy(
  { comments, does: [does], section }: SourceEndpoint,
  title: string,
): { readonly edit: Edit; readonly line: number } | undefined {
  const [, note = "", text = ""] = /[:;] scopes( of [^:]+:)? (.*?)(?:; | -->)/.exec(comments) ?? [];
  const isStated = itemsOf(section.body).some(({ key }) => keyText(key) === "allowed");
  if (!does || text === "" || isStated || (note !== "" && note !== ` of ${title}:`)) return undefined;
  const alternatives = note === "" ? [[""]] : text.split(", or ").map((scopes) => scopes.split(" and "));
  const isSayable = alternatives.flat().every((scope) => plainScope.test(scope));
  const allowed = isSayable ? `\`${conditionOf(alternatives)}\`` : "not shown";
  const line = lineOf(does);
  return { edit: { after: line, lines: [`- Allowed: ${allowed}`] }, line };
}

function conditionOf(alternatives: readonly (readonly string[])[]): string {
  const conditions = alternatives.map((scopes) =>
    scopes.map((scope) => `"${scope}" in caller.scopes`).join(" && "),
  );
  const [only = "", more] = conditions;
  if (more === undefined) return only;
  return conditions.map((all) => (all.includes(" && ") ? `(${all})` : all)).join(" || ");
}
