/**
 * Message shapes: one shape for each kind of mistake, in all parts. Finds messages and hints of
 * diagnostics that lack the shape of their kind.
 */
import { retiredIn } from "../repository/retired-words.ts";

/** The texts of a diagnostic. */
export interface Worded {
  /** Part and slug. */
  readonly code: string;
  readonly message: string;
  readonly hint?: string | undefined;
}

interface Kind {
  /** Of a code without its part. */
  readonly slug: RegExp;
  readonly opens: RegExp;
}

/** Kinds of mistakes, by the names of codes. */
const kinds: readonly Kind[] = [
  { slug: /^(?:stored-)?(?:duplicate|repeated|second)(?:-|$)|twice$/, opens: /^Duplicate / },
  { slug: /^unknown-/, opens: /^Unknown / },
  { slug: /^unused-/, opens: /^Unused / },
  { slug: /circle$/, opens: /^Circular / },
  { slug: /^(?:missing|incomplete)(?:-|$)|^never-set$/, opens: /^Missing / },
  { slug: /^(?:misplaced|senseless)-|^item-of-/, opens: /^(?:Item|Part) "[^"]*" is not allowed / },
  { slug: /^(?:unreadable|broken)(?:-|$)/, opens: /^(?:Cannot read |Missing value\.)/ },
  { slug: /^(?:bad|invalid|unsound)-/, opens: /^(?:Invalid |Missing |The name "[^"]*" is reserved)/ },
  { slug: /^(?:never-reached|unreached-state)$/, opens: /^Unreachable / },
  { slug: /^(?:name-taken|taken-column)$/, opens: /^The (?:\w+ )?name "[^"]*" is already in use/ },
  { slug: /^(?:ambiguous-|whose-|different-callers$|several-callers$)/, opens: /^Ambiguous / },
  { slug: /^(?:contradiction|rules-contradict)$/, opens: /^Contradiction: / },
];

/** Shapes that no text has, each with what to write instead. */
const forbidden: readonly (readonly [RegExp, string])[] = [
  [/(?<!\bthere )\bis no (?!longer\b)[a-z]/i, '"is not a …"'],
  [/\bis refused[.,:]/, "the subject that rejects it, and why"],
  [/\bworked out\b/, '"computed"'],
  [/\bstands?\b/, '"is", or what it does'],
  [/\bbehind\b/, '"after"'],
  [/\bperhaps\b/, '"optionally"'],
];

const verbs =
  "Accept|Add|Begin|Break|Change|Choose|Compare|Convert|Create|Declare|Define|End|Fill in|Fire|Fix|Follow|Give|Keep|Leave|Look|Make|Merge|Move|Name|Nest|Put|Read|Refer|Reject|Remove|Rename|Replace|Report|Return|Select|Set|Shorten|Sign|Split|State|Store|Swap|Use|Write";

/** An instruction; a condition or an aim may come first. */
const instruction = new RegExp(
  String.raw`^(?:Did you mean |(?:${verbs})\b|(?:For|If|In|To)\b[^,]*, (?:${verbs})\b)`,
  "i",
);

/** What is wrong with the texts of a diagnostic, one a line. */
export function shapeProblems({ code, message, hint }: Worded): readonly string[] {
  const slug = code.replace(/^[^/]*\//, "");
  const problems = kinds
    .filter((kind) => kind.slug.test(slug) && !kind.opens.test(message))
    .map(({ opens }) => `the message doesn't match ${opens}`);
  if (!/^["`A-Z]/.test(message)) problems.push("the message starts without a capital or a quotation");
  if (!message.endsWith(".")) problems.push("the message has no full stop");
  if (hint !== undefined && !instruction.test(hint)) problems.push("the hint is not an instruction");
  const texts = [message, ...(hint === undefined ? [] : [hint])].map(withoutQuotations);
  for (const text of texts) {
    // Names have letters and digits; the retired word means the case mapping.
    for (const { word } of retiredIn(text)) if (word !== "letters") problems.push(`retired word "${word}"`);
    for (const [shape, instead] of forbidden)
      if (shape.test(text)) problems.push(`"${shape.exec(text)?.[0]}": write ${instead}`);
  }
  return problems;
}

/** Without the author's words and the notation's own. */
function withoutQuotations(text: string): string {
  return text.replace(/(`+)[\s\S]*?\1/g, "``").replace(/"[^"]*"/g, '""');
}
