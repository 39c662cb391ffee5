/** JSON within a comment of a document. */

/** JSON in which no text ends the comment or has invisible characters. */
export function commentText(json: string): string {
  return json
    .replace(/[\u007F-\u009F\u200B-\u200F\u2028-\u202E\u2060-\u206F\uFEFF<>`]/g, escaped)
    .replace(/--/g, "-\\u002d");
}

function escaped(character: string): string {
  return `\\u${character.charCodeAt(0).toString(16).padStart(4, "0")}`;
}
