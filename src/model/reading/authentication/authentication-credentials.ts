/**
 * `Credentials` and `Signed with` (3.5): which record identifies a caller. Parses the notation and
 * resolves its names against part 2.
 */
import { type Phrase, positionIn, slice, splitOutside, trim, unquote } from "../../../source/phrase.ts";
import { afterWord } from "../../../syntax/read.ts";
import type { DeclaredResource } from "../declarations.ts";
import type { Scheme } from "../../model.ts";
import { recordsNamed, reportUnknownField } from "../any-part/part-names.ts";
import type { PartReader } from "../any-part/part-reader.ts";
import { splitAtWord, splitNames } from "../any-part/when-clause.ts";

export type Credentials = NonNullable<Scheme["credentials"]>;
export type SignedWith = NonNullable<Scheme["signedWith"]>;

export const credentialsForms =
  "`ApiKey by key`, `ApiKey by key, for user`, `Account by sid and auth_token` or `User by id, from claim sub`";

/** The clauses of `ApiKey by key, for user`, before names are resolved. */
interface CredentialsWords {
  readonly resource: Phrase;
  readonly by: readonly Phrase[];
  readonly for?: Phrase;
  readonly fromClaim?: Phrase;
}

export function parseCredentials(phrase: Phrase): CredentialsWords | { readonly unreadable: Phrase } {
  const value = unquote(phrase);
  const [head, ...rest] = splitOutside(value, ",") as [Phrase, ...Phrase[]];
  const parted = splitAtWord(head, "by");
  if (!parted) return { unreadable: head };
  const by = splitNames(parted[1]).map(unquote);
  if (by.length > 2 || by.some((name) => !/^\w+$/.test(name.text))) return { unreadable: head };
  let words: CredentialsWords = { resource: unquote(parted[0]), by };
  for (const piece of rest) {
    const forReference = afterWord(piece, "for");
    const claim = afterWord(piece, "from claim");
    if (forReference && forReference.text !== "" && !words.for)
      words = { ...words, for: unquote(forReference) };
    else if (claim && claim.text !== "" && !words.fromClaim) words = { ...words, fromClaim: unquote(claim) };
    else return { unreadable: piece };
  }
  return words;
}

/** Reads the credentials of a scheme and resolves the names. An unknown name is reported. */
export function readCredentials(
  reader: PartReader<"authentication">,
  phrase: Phrase,
): Credentials | undefined {
  const words = parseCredentials(phrase);
  if ("unreadable" in words) return reader.unreadable(words.unreadable, credentialsForms);
  const resource = recordsNamed(reader, words.resource);
  // A resource without shown fields can't be checked. Part 2 reports its gap.
  if (!resource || resource.gap) return undefined;
  if (!words.by.every((field) => mayBeLookedUp(reader, resource, field, words))) return undefined;
  if (words.for && !isReference(reader, resource, words.for)) return undefined;
  return {
    resource: resource.name,
    by: words.by.map((field) => field.text),
    ...(words.for ? { for: words.for.text } : {}),
    ...(words.fromClaim ? { fromClaim: words.fromClaim.text } : {}),
    position: positionIn(phrase),
  };
}

/**
 * A credential identifies at most one record, so its field is a `credential`, an identifier or `unique`. Of two
 * fields, one may be a `password`, which is compared after the other has identified the record.
 */
function mayBeLookedUp(
  reader: PartReader<"authentication">,
  resource: DeclaredResource,
  phrase: Phrase,
  words: CredentialsWords,
): boolean {
  const field = resource.fields.get(phrase.text);
  if (!field) {
    reportUnknownField(reader, phrase, resource.name, resource.fields.keys());
    return false;
  }
  const type = field.type.kind;
  const finds =
    type === "credential" || field.role === "identifier" || resource.identifier.includes(field.name);
  const unique = field.rules.some((rule) => rule.rule === "unique");
  const compared = words.by.length === 2 && type === "password";
  if (finds || unique || compared || type === "not shown") return true;
  reader.context.reporter.report("authentication/not-a-credential", positionIn(phrase), {
    field: `${resource.name}.${field.name}`,
    type,
  });
  return false;
}

function isReference(
  reader: PartReader<"authentication">,
  resource: DeclaredResource,
  phrase: Phrase,
): boolean {
  const field = resource.fields.get(phrase.text);
  if (!field) {
    const references = [...resource.fields.values()].filter((field) => field.type.kind === "reference");
    reportUnknownField(
      reader,
      phrase,
      resource.name,
      references.map((reference) => reference.name),
    );
    return false;
  }
  if (field.type.kind === "reference") return true;
  reader.context.reporter.report("authentication/not-a-reference", positionIn(phrase), {
    field: `${resource.name}.${field.name}`,
  });
  return false;
}

const secretAlgorithms = ["HS256", "HS384", "HS512"];
const keyAlgorithms = [
  "RS256",
  "RS384",
  "RS512",
  "PS256",
  "PS384",
  "PS512",
  "ES256",
  "ES384",
  "ES512",
  "EdDSA",
];

export const signedWithForms = "`HS256, secret env JWT_SECRET` or `RS256, keys at https://…`";

/** `Signed with`: the algorithm and the source of its key. Each algorithm requires its own kind of key (RFC 8725). */
export function readSignedWith(reader: PartReader<"authentication">, phrase: Phrase): SignedWith | undefined {
  const { reporter } = reader.context;
  const value = unquote(phrase);
  const [name, source, ...more] = splitOutside(value, ",");
  const known = [...secretAlgorithms, ...keyAlgorithms];
  if (!name) return reader.unreadable(value, signedWithForms);
  const word = unquote(name);
  const algorithm = known.find((known) => known.toLowerCase() === word.text.toLowerCase());
  if (!algorithm) {
    reporter.report("authentication/unknown-algorithm", positionIn(word), { name: word.text, known });
    return undefined;
  }
  if (!source || more.length > 0) return reader.unreadable(more[0] ?? value, signedWithForms);
  const env = afterWord(source, "secret env");
  const keys = afterWord(source, "keys at");
  const position = positionIn(value);
  if ((env && !secretAlgorithms.includes(algorithm)) || (keys && !keyAlgorithms.includes(algorithm))) {
    reporter.report("authentication/wrong-key", positionIn(source), {
      algorithm,
      takes: env ? "keys" : "secret",
    });
    return undefined;
  }
  if (env && /^[A-Za-z_][A-Za-z0-9_]*$/.test(unquote(env).text)) {
    return { algorithm, secretEnv: unquote(env).text, position };
  }
  if (keys && isWebAddress(address(keys).text)) return { algorithm, keysAt: address(keys).text, position };
  return reader.unreadable(env ?? keys ?? source, signedWithForms);
}

/** An address without quotes, in backticks or in angle brackets. */
function address(phrase: Phrase): Phrase {
  const bare = unquote(phrase);
  return /^<.*>$/.test(bare.text) ? slice(bare, 1, bare.text.length - 1) : bare;
}

function isWebAddress(text: string): boolean {
  return /^https?:$/.test(URL.parse(text)?.protocol ?? "");
}

export const endsWithForm = "fields of the record, `password`, or `none`";

/** The fields of the record whose changes invalidate its tokens. */
export function readEndsWith(
  reader: PartReader<"authentication">,
  phrase: Phrase,
  resource: string | undefined,
): Scheme["endsWith"] {
  const owner = resource === undefined ? undefined : reader.context.declarations.resources.get(resource);
  const names = splitOutside(unquote(phrase), ",").map((name) => unquote(trim(name)));
  for (const name of names) {
    if (!/^\w+$/.test(name.text)) return reader.unreadable(name, endsWithForm);
    if (owner && !owner.gap && !owner.fields.has(name.text)) {
      reportUnknownField(reader, name, owner.name, owner.fields.keys());
      return undefined;
    }
  }
  return { fields: names.map(({ text }) => text), position: positionIn(phrase) };
}
