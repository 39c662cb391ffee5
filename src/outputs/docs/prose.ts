/**
 * The document's prose as HTML. The Markdown is untrusted: raw HTML stays text, pictures of other
 * hosts become links, and links lead only to web pages and mail addresses.
 */
import MarkdownIt from "markdown-it";
import { Html, nothing } from "./html.ts";

const markdown = new MarkdownIt({ html: false, linkify: false, typographer: false });
markdown.disable(["image", "html_block", "html_inline"]);
markdown.validateLink = (address) => /^(https?:\/\/|mailto:)/i.test(address.trim());

// Headings of prose are not headings of the page, which has an outline of its own.
markdown.renderer.rules["heading_open"] = () => `<p class="prose-heading">`;
markdown.renderer.rules["heading_close"] = () => "</p>\n";
markdown.renderer.rules["link_open"] = (tokens, at, options, _env, renderer) => {
  tokens[at]?.attrSet("rel", "noreferrer noopener");
  return renderer.renderToken(tokens, at, options);
};
markdown.renderer.rules["table_open"] = () =>
  `<div class="wide" tabindex="0" role="group" aria-label="Table"><table>\n`;
markdown.renderer.rules["table_close"] = () => "</table></div>\n";
const preOpen = (text: string) => text.replace(/^<pre>/, `<pre tabindex="0" role="group" aria-label="Code">`);
for (const rule of ["fence", "code_block"] as const) {
  const render = markdown.renderer.rules[rule];
  markdown.renderer.rules[rule] = (...given) => preOpen(render?.(...given) ?? "");
}

/** Paragraphs, lists, tables. */
export function prose(text: string | undefined): Html {
  if (text === undefined || text.trim() === "") return nothing;
  return new Html(`<div class="prose">${markdown.render(text)}</div>`);
}

/** One line: the meaning of a field, a cell. */
export function inlineProse(text: string): Html {
  return new Html(markdown.renderInline(text));
}

/** The plain text, for searching and for the head of a page. */
export function plainText(text: string): string {
  return markdown
    .renderInline(text.replace(/\s+/g, " "))
    .replace(/<[^>]*>/g, "")
    .replace(/&(amp|lt|gt|quot|#39);/g, (_, name: string) => plainCharacters[name] as string);
}

const plainCharacters: Readonly<Record<string, string>> = {
  amp: "&",
  lt: "<",
  gt: ">",
  quot: '"',
  "#39": "'",
};

/** The first sentence, which is all that a table has space for. */
export function firstSentence(text: string): string {
  const paragraph = (text.split(/\n\s*\n/)[0] as string).replace(/\s+/g, " ");
  return /^.*?[.!?](?=\s|$)/.exec(paragraph)?.[0] ?? paragraph;
}

/** Purposes and names of scenarios start in lower case, after their keys. */
export function capital(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
