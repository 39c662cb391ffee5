/** `sent as "+1"`: the name in requests and responses, if that is not a name of the notation. */
import { type Phrase, unquote } from "../../source/phrase.ts";
import type { RuleReading, RuleWords } from "./field-rule-notation.ts";

const rule = "sent as";

export interface SentAs {
  readonly rule: typeof rule;
  readonly name: string;
}

/** Longest name on the wire, in UTF-16 units. */
const nameLengthMax = 200;

/** Quotes, backticks, backslashes and control characters; a final `?`, which is a mark of shapes. */
const unsound = /[\x22\x5c\x60\p{Cc}]|\?$/u;

const reservedNames: ReadonlySet<string> = new Set(["__proto__", "constructor", "prototype"]);

function read(rest: Phrase, { unreadable }: RuleReading): SentAs | undefined {
  const { text } = unquote(rest);
  const name = text.startsWith('"') && text.endsWith('"') ? text.slice(1, -1) : "";
  const isSound = name !== "" && name.length <= nameLengthMax && !unsound.test(name);
  if (!isSound || reservedNames.has(name))
    return unreadable(
      `a name in quotes, as in \`${rule} "+1"\`, without quotes, backslashes and a final \`?\``,
    );
  return { rule, name };
}

export const sentAs: RuleWords<SentAs> = {
  rule,
  forStored: "nothing",
  read,
  isAbout: "form",
  otherWords: { "json name": `\`${rule} "+1"\``, "wire name": `\`${rule} "+1"\`` },
  named: ({ name }) => `${rule} "${name}"`,
  sentence: ({ name }) => `Sent as \`${name}\`.`,
};
