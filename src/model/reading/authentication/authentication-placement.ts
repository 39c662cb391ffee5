/** `Placement` (3.5): where a request carries a credential. Parses the notation only. */
import { type Phrase, positionIn, splitOutside, unquote } from "../../../source/phrase.ts";
import { afterWord, keyText } from "../../../syntax/read.ts";
import type { Placement } from "../../model.ts";
import { splitNames } from "../any-part/when-clause.ts";

export const placementForms =
  "`header Authorization, after Bearer`, `header X-Api-Key`, `header X-Auth, parameter key`, `query key`, `cookie session`, `basic user` or `basic user and password`";

/** The name of a header or a cookie: a token of RFC 9110. */
const token = /^[!#$%&'*+.^_`|~0-9A-Za-z-]+$/;

/** Reads a placement. If a part can't be read, returns its phrase. */
export function parsePlacement(phrase: Phrase): Placement | { readonly unreadable: Phrase } {
  const value = unquote(phrase);
  const position = positionIn(value);
  const basic = afterWord(value, "basic");
  if (basic) return basicPlacement(basic, position);
  const [first, ...rest] = splitOutside(value, ",") as [Phrase, ...Phrase[]];
  const location = unquote(first);
  for (const kind of ["query", "cookie"] as const) {
    const name = afterWord(location, kind);
    if (!name) continue;
    if (rest[0]) return { unreadable: rest[0] };
    const bare = unquote(name);
    return (kind === "query" ? /^\S+$/ : token).test(bare.text)
      ? { kind, name: bare.text, position }
      : { unreadable: name };
  }
  const header = afterWord(location, "header");
  if (!header) return { unreadable: value };
  return headerPlacement(unquote(header), rest, position);
}

function headerPlacement(
  name: Phrase,
  rest: readonly Phrase[],
  position: Placement["position"],
): Placement | { readonly unreadable: Phrase } {
  if (!token.test(name.text)) return { unreadable: name };
  const last = rest.at(-1);
  const parameter = last && afterWord(last, "parameter");
  const bareParameter = parameter && unquote(parameter);
  if (bareParameter && !token.test(bareParameter.text)) return { unreadable: bareParameter };
  const stated = bareParameter ? { parameter: bareParameter.text } : {};
  const [behind, ...more] = bareParameter ? rest.slice(0, -1) : rest;
  if (!behind) return { kind: "header", name: name.text, prefixes: [], ...stated, position };
  const prefixes = [afterWord(behind, "after"), ...more];
  const words: string[] = [];
  for (const prefix of prefixes) {
    if (!prefix) return { unreadable: behind };
    for (const word of splitNames(prefix)) {
      const bare = unquote(word).text.replace(/^"(.*)"$/, "$1");
      // `Token token=`: a prefix that ends in `=` directly precedes the credential.
      if (!/^\S+(?: \S+=)?$/.test(bare)) return { unreadable: word.text === "" ? behind : word };
      words.push(bare);
    }
  }
  return { kind: "header", name: name.text, prefixes: words, ...stated, position };
}

function basicPlacement(
  phrase: Phrase,
  position: Placement["position"],
): Placement | { readonly unreadable: Phrase } {
  const parts: ("user" | "password")[] = [];
  const [named, encoding, ...more] = splitOutside(phrase, ",") as [Phrase, ...Phrase[]];
  if (more[0] || (encoding && keyText(encoding) !== "form-encoded"))
    return { unreadable: more[0] ?? encoding ?? phrase };
  for (const piece of splitNames(named)) {
    const part = piece.text.toLowerCase();
    if ((part !== "user" && part !== "password") || parts.includes(part)) return { unreadable: phrase };
    parts.push(part);
  }
  return { kind: "basic", parts, ...(encoding ? { formEncoded: true } : {}), position };
}
