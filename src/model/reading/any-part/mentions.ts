/** Mentions: finds whether the text of an expression mentions a name, before anything is bound. */

const tokens = /"(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*'|\/\/[^\n]*|\.\s*[A-Za-z_]\w*|[A-Za-z_]\w*|[\s\S]/g;

/** Whether the name occurs in the text, outside text literals and not after a dot. */
export function mentions(text: string, name: string): boolean {
  for (const token of text.matchAll(tokens)) if (token[0] === name) return true;
  return false;
}

/** All names in the text, including repetitions. */
export function namesIn(text: string): string[] {
  return [...text.matchAll(tokens)].map((token) => token[0]).filter((token) => /^[A-Za-z_]/.test(token));
}

/** Whether a member of a name is read: `path.repo` or `path["repo"]`. Any other index may mean every member. */
export function mentionsMember(text: string, name: string, member: string): boolean {
  let before = "";
  for (const token of text.matchAll(tokens)) {
    const now = token[0];
    if (now.trim() === "") continue;
    if (before === name && now.replace(/^\.\s*/, ".") === `.${member}`) return true;
    if (before === `${name}[` && (!/^["']/.test(now) || now.slice(1, -1) === member)) return true;
    before = now === "[" ? `${before}[` : now;
  }
  return false;
}
