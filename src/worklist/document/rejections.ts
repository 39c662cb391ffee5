/**
 * Rejected kinds of answers, kept in a comment of the document: `<!-- ninefold next: rejected list,
 * delete -->`.
 */

const comment = /^<!-- ninefold next: rejected ([\w, -]+?) -->$/m;

/** The rejected kinds of a document. */
export function rejectedKinds(text: string): ReadonlySet<string> {
  const [, kinds = ""] = comment.exec(text) ?? [];
  return new Set(kinds.split(",").flatMap((kind) => kind.trim() || []));
}

/** The text with further rejected kinds, in a comment below its title. */
export function addRejections(text: string, kinds: readonly string[]): string {
  const all = [...new Set([...rejectedKinds(text), ...kinds])].toSorted();
  const line = `<!-- ninefold next: rejected ${all.join(", ")} -->`;
  return comment.test(text) ? text.replace(comment, line) : text.replace(/^(#.*)$/m, `$1\n\n${line}`);
}
