/**
 * Syntax highlighting for the few languages of a page. One regular expression for each language
 * finds its tokens. All else stays unchanged, so that the highlighted text is always the given
 * text.
 */
import { Html, escapeHtml, html } from "./html.ts";

export type Language = "json" | "http" | "bash" | "ts" | "cel" | "text";

/**
 * The names of the groups are the classes: `s`tring, `k`ey or keyword, `n`umber, `c`omment,
 * `v`ariable. An unclosed token continues to the end, so that no text is scanned more than twice.
 */
const words: Readonly<Record<Exclude<Language, "text">, RegExp>> = {
  json: /(?<k>"(?:[^"\\\n]|\\.)*"(?=\s*:))|(?<s>"(?:[^"\\\n]|\\.)*"?)|(?<v>‹[^‹›\n]*›)|(?<n>-?\b\d[\d.eE+-]*\b|\b(?:true|false|null)\b)/g,
  http: /(?<k>^(?:GET|HEAD|POST|PUT|PATCH|DELETE|OPTIONS|HTTP\/[\d.]+)\b)|(?<c>^[\w-]+(?=:))|(?<s>"(?:[^"\\\n]|\\.)*"?)|(?<v>‹[^‹›\n]*›)|(?<n>\b\d[\d.]*\b|\b(?:true|false|null)\b)/gm,
  bash: /(?<c>(?<=^|\s)#[^\n]*)|(?<v>\$\{?\w+\}?)|(?<s>'[^']*'?)|(?<k>(?<=^|\s)(?:curl|export|-{1,2}[a-zA-Z][\w-]*))/g,
  ts: /(?<c>\/\/[^\n]*|\/\*[\s\S]*?(?:\*\/|$))|(?<s>"(?:[^"\\\n]|\\.)*"?|`(?:[^`\\]|\\[\s\S])*`?)|(?<k>\b(?:import|from|export|const|let|await|async|function|return|new|if|throw|for|of|true|false|null|type|as)\b)|(?<n>\b\d[\d_.]*\b)/g,
  cel: /(?<s>"(?:[^"\\\n]|\\.)*"?|'(?:[^'\\\n]|\\.)*'?)|(?<k>\b(?:this|old|caller|credential|body|query|path|now|in|true|false|null)\b)|(?<n>\b\d[\d.]*\b)/g,
};

export function highlighted(text: string, language: Language): Html {
  if (language === "text") return html`${text}`;
  let result = "";
  let at = 0;
  for (const hit of text.matchAll(words[language])) {
    const kind = Object.entries(hit.groups ?? {}).find(([, word]) => word !== undefined)?.[0];
    result += `${escapeHtml(text.slice(at, hit.index))}<span class="${kind}">${escapeHtml(hit[0])}</span>`;
    at = hit.index + hit[0].length;
  }
  return new Html(result + escapeHtml(text.slice(at)));
}

/** A block of code. It can be focused by keyboard, because it may be wider than its container. */
export function codeBlock(text: string, language: Language, label: string): Html {
  return html`<div class="code"><pre tabindex="0" role="group" aria-label="${label}"><code>${highlighted(text, language)}</code></pre></div>`;
}

/** Code within a sentence. */
export function inlineCode(text: string, language: Language = "text"): Html {
  return html`<code>${highlighted(text, language)}</code>`;
}
