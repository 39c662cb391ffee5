/** Notes on an operation for its comment, and its schemes. */
import type { Operation } from "../description/operations.ts";
import type { Files } from "../description/files.ts";
import { isOwnExport, isPlain, listOf, member, type Plain, plainOf, textsOf } from "../description/values.ts";
import type { OperationMeaning } from "../description/statements.ts";
import type { Writing } from "./context.ts";
import { headerNames, isStatedElsewhere } from "./headers.ts";

/** Why an operation is no endpoint of the document: most often a path that equals another. */
export function reasonFor({ facts }: Writing, { id, method, path }: Operation): string {
  const plain = (text: string) => text.replaceAll(/\{[^}]*\}/g, "{}");
  const twin = facts.operations.find(
    (operation) =>
      operation.method === method && operation.id !== id && plain(operation.path) === plain(path),
  );
  return twin ? `the same path as ${twin.id}` : "a path or a name that the notation can't say";
}

/** What the notation can't say of an operation. */
export function notesOfOperation({ files, schemes }: Writing, operation: Operation): string[] {
  const { node, successes, answers } = operation;
  const notes: string[] = [...textsOf(node["x-ninefold-seen"])];
  for (const [name, written] of Object.entries(plainOf(node["callbacks"])))
    notes.push(`callback ${name} to ${Object.keys(plainOf(files.follow(written))).join(", ")}`);
  const stated = headerNames(operation);
  const headers = successes
    .flatMap((success) => Object.keys(plainOf(success.node["headers"])))
    .filter((name) => !stated.includes(name) && !isStatedElsewhere(name));
  if (headers.length > 0) notes.push(`answer headers ${[...new Set(headers)].join(", ")}`);
  const security = securityOf(files, operation);
  if (security.some((requirement) => Object.keys(requirement).length > 1))
    notes.push("several schemes at once");
  if (security.some((requirement) => Object.keys(requirement).some((name) => !schemes.has(name))))
    notes.push("a scheme that isn't declared");
  const ranges = answers
    .map(({ code }) => code)
    .filter((code) => !/^\d{3}$/.test(code) && !(code === "default" && isOwnExport(files.first)));
  if (ranges.length > 0) notes.push(`answers ${ranges.join(", ")}`);
  return notes;
}

/**
 * The scopes that an operation needs, for its comment: `scopes of OAuth2: read and write, or admin`.
 * Without the scheme's name if another scheme is accepted, too.
 */
export function scopeNotes({ files, schemes }: Writing, operation: Operation): readonly string[] {
  const security = securityOf(files, operation);
  const alternatives = security.map((requirement) => Object.values(requirement).flatMap(textsOf));
  if (alternatives.every((scopes) => scopes.length === 0)) return [];
  const names = new Set(security.flatMap((requirement) => Object.keys(requirement)));
  const [only = "", more] = names;
  const title = more === undefined ? schemes.get(only) : undefined;
  if (title === undefined || alternatives.some((scopes) => scopes.length === 0))
    return [`scopes ${[...new Set(alternatives.flat())].join(", ")}`];
  return [`scopes of ${title}: ${alternatives.map((scopes) => scopes.join(" and ")).join(", or ")}`];
}

function securityOf({ first }: Files, { node }: Operation): readonly Plain[] {
  return listOf(node["security"] ?? member(first, "security")).filter(isPlain);
}

/**
 * The items with an operation's schemes, unless it allows all of them, and `Allowed: anyone` if the
 * description states that a request needs no credential.
 *
 * @param isOwn whether an export of Ninefold states who is allowed
 */
export function accessItems(
  { files, schemes, refusals }: Writing,
  operation: Operation,
  isOwn: boolean,
): readonly string[] {
  if (refusals.has(`scheme of ${operation.id}`)) return [];
  const stated = operation.node["security"] ?? member(files.first, "security");
  const isEmpty = (requirement: unknown) => isPlain(requirement) && Object.keys(requirement).length === 0;
  const isOpen = Array.isArray(stated) && (stated.length === 0 || stated.some(isEmpty));
  const allowed = schemes.size > 0 && isOpen && !isOwn ? ["- Allowed: anyone"] : [];
  const security = securityOf(files, operation).filter((requirement) => !isEmpty(requirement));
  const names = security.flatMap((requirement) => Object.keys(requirement));
  const isPlainChoice =
    security.every((requirement) => Object.keys(requirement).length === 1) &&
    names.every((name) => schemes.has(name) && !refusals.has(`scheme ${name}`));
  const titles = [...new Set(names)].map((name) => schemes.get(name));
  if (titles.length === 0 || !isPlainChoice || titles.length === schemes.size) return allowed;
  return [`- Scheme: ${titles.join(", ")}`, ...allowed];
}

/** `create Pet or list of Pet, items ..100` */
export function doesText(
  { names }: Writing,
  { body }: Operation,
  { does, resource }: OperationMeaning,
): string {
  const name = names.resource(resource);
  if (does !== "create" || !body?.list) return `${does} ${name}`;
  return [`create ${name} or list of ${name}`, body.list.items ?? []].flat().join(", ");
}
