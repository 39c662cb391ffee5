/** `- Pagination: cursor (size: limit, after: after), with Link` and its other forms. */
import { type Phrase, positionIn, slice, splitOutside, trim, unquote } from "../../../../source/phrase.ts";
import { type Type, types } from "../../../../expressions/type.ts";
import { nearest } from "../../../../support/nearest.ts";
import type { ItemNode } from "../../../../syntax/nodes.ts";
import { keyText } from "../../../../syntax/read.ts";
import type { Pagination } from "../../../model.ts";
import type { BuildContext } from "../../any-part/context.ts";
import { nearestHint } from "../../nearest-hint.ts";

/** The roles of parameters by kind: the allowed ones, and those of which one is required. */
const kinds = {
  cursor: { roles: ["size", "after", "before", "at"], oneOf: ["after", "at"] },
  identifier: { roles: ["size", "after", "before"], oneOf: ["after"] },
  page: { roles: ["page", "size"], oneOf: ["page"] },
  offset: { roles: ["offset", "size"], oneOf: ["offset"] },
  none: { roles: [], oneOf: [] },
} as const satisfies Record<
  Pagination["kind"],
  { readonly roles: readonly string[]; readonly oneOf: readonly string[] }
>;

// cursor (size: limit, after: after), with Link
const form = /^([a-z]+)(?:\s+from\s+(\d+))?\s*(\([^()]*\)?)?\s*(?:,\s*(.*))?$/is;

export function readPagination(item: ItemNode, ctx: BuildContext): Pagination | undefined {
  const phrase = unquote(item.value);
  const match = form.exec(phrase.text);
  const kind = match && readKind(slice(phrase, 0, (match[1] as string).length), ctx);
  if (!match)
    ctx.reporter.report("endpoints/unreadable", positionIn(phrase), { text: phrase.text, expected });
  if (!match || !kind) return undefined;
  const [, , from, list, rest] = match;
  const links = rest === undefined ? false : readLink(rest, phrase, ctx);
  const first = readFrom(kind, from, phrase, ctx);
  if (links === undefined || first === undefined) return undefined;
  const position = positionIn(phrase);
  if (kind === "none") {
    if (list === undefined && !links) return { kind, links, position };
    ctx.reporter.report("endpoints/unreadable", position, { text: phrase.text, expected: "`none` alone" });
    return undefined;
  }
  const found = readRoles(kind, list, phrase, ctx);
  if (!found) return undefined;
  const roles: Roles = Object.fromEntries(found);
  const { page, offset } = roles;
  if (kind === "page")
    return page === undefined ? page : { kind, ...roles, page, from: first, links, position };
  if (kind === "offset")
    return offset === undefined ? offset : { kind, ...roles, offset, from: first, links, position };
  return { kind, ...roles, links, position };
}

type Roles = { readonly [role in "size" | "after" | "before" | "at" | "page" | "offset"]?: string };

const expected =
  "`cursor (size: limit, after: after)`, `identifier (size: limit, after: starting_after)`, `page (page: page, size: per_page)`, `offset (offset: offset, size: limit)` or `none`, optionally with `, with Link`";

function readKind(word: Phrase, { reporter }: BuildContext): Pagination["kind"] | undefined {
  const text = keyText(word);
  if (Object.hasOwn(kinds, text)) return text as Pagination["kind"];
  const known = Object.keys(kinds);
  reporter.report("endpoints/unknown-word", positionIn(word), {
    text: word.text,
    what: "kind of pagination",
    nearest: nearest(text, known),
    known,
  });
  return undefined;
}

function readLink(rest: string, phrase: Phrase, { reporter }: BuildContext): boolean | undefined {
  if (/^with\s+link$/i.test(rest.trim())) return true;
  const at = phrase.text.length - rest.length;
  reporter.report("endpoints/unreadable", positionIn(phrase, at), {
    text: rest,
    expected:
      "`, with Link` or nothing here. Write parameters in brackets, `cursor (size: limit, after: after)`, and a number of records in part 8, `| page | default 20 |`",
  });
  return undefined;
}

function readFrom(
  kind: Pagination["kind"],
  from: string | undefined,
  phrase: Phrase,
  { reporter }: BuildContext,
): 0 | 1 | undefined {
  const counts = kind === "page" || kind === "offset";
  if (from === undefined) return kind === "offset" ? 0 : 1;
  if (counts && (from === "0" || from === "1")) return from === "0" ? 0 : 1;
  const at = phrase.text.toLowerCase().indexOf("from");
  const words = counts
    ? `\`${kind} from 0 (…)\` or \`${kind} from 1 (…)\``
    : "no `from`: only pages and offsets are numbered";
  reporter.report("endpoints/unreadable", positionIn(phrase, at, at + 4), {
    text: `from ${from}`,
    expected: words,
  });
  return undefined;
}

function readRoles(
  kind: Exclude<Pagination["kind"], "none">,
  list: string | undefined,
  phrase: Phrase,
  ctx: BuildContext,
): Map<string, string> | undefined {
  const { roles, oneOf } = kinds[kind];
  const at = phrase.text.indexOf("(");
  if (list === undefined || !list.endsWith(")")) {
    const words = `the parameters and their roles in brackets: \`${kind} (${roles.map((role) => `${role}: …`).join(", ")})\``;
    ctx.reporter.report("endpoints/unreadable", positionIn(phrase), { text: phrase.text, expected: words });
    return undefined;
  }
  const found = new Map<string, string>();
  let fine = true;
  for (const piece of splitOutside(slice(phrase, at + 1, at + list.length - 1), ",")) {
    fine = readRole(piece, kind, roles, found, ctx) && fine;
  }
  if (fine && !oneOf.some((role) => found.has(role))) {
    ctx.reporter.report("endpoints/missing-role", positionIn(phrase), { kind, role: oneOf[0] });
    return undefined;
  }
  return fine ? found : undefined;
}

function readRole(
  piece: Phrase,
  kind: string,
  roles: readonly string[],
  found: Map<string, string>,
  { reporter }: BuildContext,
): boolean {
  const colon = piece.text.indexOf(":");
  const role = trim(slice(piece, 0, Math.max(0, colon)));
  const parameter = unquote(slice(piece, colon + 1));
  if (colon === -1 || role.text === "" || !/^[^\s,()"`]{1,128}$/.test(parameter.text)) {
    reporter.report("endpoints/unreadable", positionIn(piece), {
      text: piece.text,
      expected: "a role and the name of a parameter: `size: limit`",
    });
    return false;
  }
  if (!roles.includes(role.text)) {
    reporter.report("endpoints/unknown-role", positionIn(role), {
      name: role.text,
      kind,
      ...nearestHint(role.text, roles),
    });
    return false;
  }
  if (found.has(role.text) || [...found.values()].includes(parameter.text)) {
    const name = found.has(role.text) ? role.text : parameter.text;
    reporter.report("endpoints/role-twice", positionIn(piece), { name });
    return false;
  }
  found.set(role.text, parameter.text);
  return true;
}

/** The parameters of a pagination, with their types in `query`. */
export function pageParameters(pagination: Pagination | undefined): Readonly<Record<string, Type>> {
  if (!pagination || pagination.kind === "none") return {};
  const named: Record<string, Type> = {};
  const note = (name: string | undefined, type: Type): void => {
    if (name !== undefined) named[name] = type;
  };
  note(pagination.size, types.integer);
  if (pagination.kind === "page") note(pagination.page, types.integer);
  else if (pagination.kind === "offset") note(pagination.offset, types.integer);
  else {
    note(pagination.after, types.string);
    note(pagination.before, types.string);
    if (pagination.kind === "cursor") note(pagination.at, types.string);
  }
  return named;
}
