/** Notes on an operation for its comment, and its schemes. */
import type { Operation } from "./operations.ts";
import { isOwnExport, isPlain, listOf, member, plainOf, textsOf } from "./values.ts";
import type { Writing } from "./write-context.ts";
import { headerNames, isStatedElsewhere } from "./write-headers.ts";

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
  if (node["callbacks"] !== undefined) notes.push("callbacks");
  const stated = headerNames(operation);
  const headers = successes
    .flatMap((success) => Object.keys(plainOf(success.node["headers"])))
    .filter((name) => !stated.includes(name) && !isStatedElsewhere(name));
  if (headers.length > 0) notes.push(`answer headers ${[...new Set(headers)].join(", ")}`);
  const security = listOf(node["security"] ?? member(files.first, "security")).filter(isPlain);
  const scopes = security.flatMap((requirement) => Object.values(requirement).flatMap(textsOf));
  if (scopes.length > 0) notes.push(`scopes ${[...new Set(scopes)].join(", ")}`);
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

/** The item with an operation's schemes, unless it allows all of them. */
export function schemeItem(
  { files, schemes, refusals }: Writing,
  { id, node }: Operation,
): string | undefined {
  if (refusals.has(`scheme of ${id}`)) return undefined;
  const security = listOf(node["security"] ?? member(files.first, "security")).filter(isPlain);
  const names = security.flatMap((requirement) => Object.keys(requirement));
  const isPlainChoice =
    security.every((requirement) => Object.keys(requirement).length === 1) &&
    names.every((name) => schemes.has(name) && !refusals.has(`scheme ${name}`));
  const titles = [...new Set(names)].map((name) => schemes.get(name));
  if (titles.length === 0 || !isPlainChoice || titles.length === schemes.size) return undefined;
  return `- Scheme: ${titles.join(", ")}`;
}
