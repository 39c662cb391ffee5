/**
 * Reads one scheme of part 5: the items under its heading. `authentication-credentials.ts` reads
 * its credentials.
 */
import { type Scope, withFixed } from "../../../expressions/scope.ts";
import { type Type, types } from "../../../expressions/type.ts";
import { type Phrase, positionIn, slice, splitOutside, trim, unquote } from "../../../source/phrase.ts";
import type { Position } from "../../../source/source.ts";
import { durationMs } from "../../../support/quantity.ts";
import type { ItemNode, Section } from "../../../syntax/nodes.ts";
import { afterWord, hasNotShown, isNone, isNotShown, itemsOf, keyText } from "../../../syntax/read.ts";
import type { Gap, Scheme } from "../../model.ts";
import {
  credentialsForms,
  endsWithForm,
  readCredentials,
  readEndsWith,
  readSignedWith,
  signedWithForms,
} from "./authentication-credentials.ts";
import { parsePlacement, placementForms } from "./authentication-placement.ts";
import type { ItemForm, PartReader } from "../any-part/part-reader.ts";

/** A level-3 heading of a scheme in part 5, with its name. */
export interface SchemeHeading {
  readonly section: Section;
  readonly name: Phrase;
}

/** The name of a scheme: `### Scheme: secret key` → `secret key`. Undefined for any other heading. */
export function schemeName(section: Section): Phrase | undefined {
  const match = /^\s*scheme\s*:/i.exec(section.heading.text);
  return match ? unquote(trim(slice(section.heading, match[0].length))) : undefined;
}

type Draft = { -readonly [K in keyof Scheme]: Scheme[K] };

export function readScheme(reader: PartReader<"authentication">, { section, name }: SchemeHeading): Scheme {
  const scheme: Draft = { name: name.text, position: positionIn(name) };
  const items = itemsOf(section.body);
  // The other items depend on the record of the credentials, so those are read first, in any order.
  const credentials = items.find((item) => item.key.text.trim().toLowerCase() === "credentials");
  if (credentials && credentials.value.text.trim() !== "") readCredentialsItem(reader, scheme, credentials);
  const scope = schemeScope(reader, scheme.credentials?.resource);
  reader.items(items, [
    { key: "Credentials", expected: credentialsForms, read: () => undefined },
    {
      key: "Placement",
      expected: placementForms,
      under: "placement",
      read: (item) => readPlacement(reader, scheme, item),
    },
    ...tokenForms(reader, scheme),
    {
      key: "Caller",
      expected: "an expression over the record of the credentials, such as `this.account`",
      read: (item) =>
        setUnlessOpen(reader, scheme, item, "credentials", (value) => {
          assign(scheme, "caller", reader.expression(value, scope));
        }),
    },
    {
      key: "Realm",
      expected: "a text",
      read: (item) =>
        setUnlessOpen(reader, scheme, item, "placement", (value) => {
          assign(scheme, "realm", plainText(value));
        }),
    },
    {
      key: "Signature",
      expected: signatureForm,
      read: (item) =>
        setUnlessOpen(reader, scheme, item, "credentials", (value) => {
          assign(scheme, "signature", readSignature(reader, value, scope));
        }),
    },
  ]);
  noteSigned(reader, scheme, items);
  reportMissing(reader, scheme, section, items);
  return scheme;
}

/**
 * Scope of a scheme's expressions: the record found, as `this` and as `credential`. There is no
 * caller yet.
 */
function schemeScope(reader: PartReader<"authentication">, resource: string | undefined): Scope {
  const found: Type = resource === undefined ? types.any : { kind: "record", resource };
  const { caller: _none, limits: _limits, ...fixed } = reader.context.declarations.baseScope.fixed;
  return withFixed({ ...reader.context.declarations.baseScope, fixed }, { this: found, credential: found });
}

/** The items that only schemes with signed tokens may have. */
function tokenForms(reader: PartReader<"authentication">, scheme: Draft): ItemForm[] {
  const open = (item: ItemNode, read: (value: Phrase) => void) =>
    setUnlessOpen(reader, scheme, item, "credentials", read);
  return [
    {
      key: "Signed with",
      expected: signedWithForms,
      read: (item) => open(item, (value) => assign(scheme, "signedWith", readSignedWith(reader, value))),
    },
    {
      key: "Issuer",
      expected: "a text",
      read: (item) => open(item, (value) => assign(scheme, "issuer", plainText(value))),
    },
    {
      key: "Audience",
      expected: "a text",
      read: (item) => open(item, (value) => assign(scheme, "audience", plainText(value))),
    },
    {
      key: "Lifetime",
      expected: "a length of time, such as `30 days`",
      read: (item) =>
        open(item, (value) => {
          const lifetime = durationMs(unquote(value).text);
          if (lifetime === undefined || lifetime === 0)
            reader.unreadable(value, "a length of time, such as `30 days`");
          else scheme.lifetimeMs = lifetime;
        }),
    },
    {
      key: "Ends with",
      expected: endsWithForm,
      read: (item) => {
        if (isNone(item.value)) scheme.endsWith = { fields: [], position: positionIn(item.value) };
        else
          open(item, (value) =>
            assign(scheme, "endsWith", readEndsWith(reader, value, scheme.credentials?.resource)),
          );
      },
    },
  ];
}

function readCredentialsItem(reader: PartReader<"authentication">, scheme: Draft, item: ItemNode): void {
  if (isNotShown(item.value)) {
    reader.answers.open("credentials", `the credentials of scheme ${scheme.name}`, item.position);
    scheme.gap = gapOf("credentials", `the credentials of scheme ${scheme.name}`, item.position);
    return;
  }
  if (hasNotShown(item.value)) {
    reader.answers.stated("credentials", item.position);
    scheme.gap = reader.gap("credentials", 'a part of "Credentials"', positionIn(item.value));
    return;
  }
  const what = `the credentials of scheme ${scheme.name}`;
  assign(
    scheme,
    "credentials",
    reader.about("credentials", what, () => readCredentials(reader, item.value)),
  );
  // It is stated even if a name in it is wrong. The mistake was reported, so it isn't a gap, too.
  reader.answers.stated("credentials", item.position);
}

function readPlacement(reader: PartReader<"authentication">, scheme: Draft, item: ItemNode): void {
  if (isNotShown(item.value)) {
    reader.answers.open("placement", `the placement of scheme ${scheme.name}`, item.position);
    scheme.gap = gapOf("placement", `the placement of scheme ${scheme.name}`, item.position);
    return;
  }
  reader.answers.stated("placement", item.position);
  if (hasNotShown(item.value)) {
    scheme.gap = reader.gap("placement", 'a part of "Placement"', positionIn(item.value));
    return;
  }
  const placement = parsePlacement(item.value);
  if ("unreadable" in placement) reader.unreadable(placement.unreadable, placementForms);
  else scheme.placement = placement;
}

/** Items that don't decide whose a credential is, or whether it is valid. */
const dispensable: ReadonlySet<string> = new Set(["realm", "lifetime"]);

/** Reads the value unless it is `none`. If it is `not shown`, no credential of the scheme can be checked. */
function setUnlessOpen(
  reader: PartReader<"authentication">,
  scheme: Draft,
  item: ItemNode,
  under: "credentials" | "placement",
  read: (value: Phrase) => void,
): void {
  const whole = `the ${item.key.text.trim().toLowerCase()} of scheme ${scheme.name}`;
  const subject = isNotShown(item.value) ? whole : `a part of "${item.key.text.trim()}"`;
  if (hasNotShown(item.value)) {
    const gap = reader.gap(under, subject, item.position);
    if (!dispensable.has(keyText(item.key))) scheme.gap ??= gap;
  } else if (!isNone(item.value)) read(item.value);
}

function assign<K extends keyof Draft>(scheme: Draft, key: K, value: Draft[K] | undefined): void {
  if (value !== undefined) scheme[key] = value;
}

const signatureForm = '`header X-Signature, hex(hmac("sha256", credential.secret, request.body))`';

function readSignature(
  reader: PartReader<"authentication">,
  value: Phrase,
  scope: Scope,
): Scheme["signature"] {
  const whole = unquote(value);
  const [placement] = splitOutside(whole, ",");
  const name = placement && afterWord(placement, "header");
  if (!placement || !name || !/^[\w-]+$/.test(unquote(name).text))
    return reader.unreadable(whole, signatureForm);
  const rest = trim(slice(whole, whole.text.indexOf(",", placement.text.length) + 1));
  if (whole.text.indexOf(",", placement.text.length) === -1) return reader.unreadable(whole, signatureForm);
  const bound = reader.expression(rest, scope, types.string);
  return bound && { header: unquote(name).text, value: bound, position: positionIn(whole) };
}

/** A text without quotes, in backticks or in quotes. */
function plainText(phrase: Phrase): string {
  return unquote(phrase).text.replace(/^"(.*)"$/s, "$1");
}

/** Records the position of `Signed with`, and reports a claim without a signature. */
function noteSigned(reader: PartReader<"authentication">, scheme: Draft, items: readonly ItemNode[]): void {
  const { credentials } = scheme;
  const signed = items.find((item) => /^\s*signed\s+with\s*$/i.test(item.key.text));
  if (signed) scheme.signedAt = positionIn(signed.key);
  if (!credentials) return;
  if (credentials.fromClaim !== undefined && !signed) {
    const subject = `how the tokens of scheme ${scheme.name} are signed`;
    scheme.gap ??= reader.gap("credentials", subject, credentials.position);
  }
}

/** Reports a scheme without placement or credentials. They are gaps, as if `not shown`. */
function reportMissing(
  reader: PartReader<"authentication">,
  scheme: Draft,
  section: Section,
  items: readonly ItemNode[],
): void {
  for (const item of ["credentials", "placement"] as const) {
    if (items.some((candidate) => candidate.key.text.trim().toLowerCase() === item)) continue;
    const subject = `the ${item} of scheme ${scheme.name}`;
    const position = positionIn(section.heading);
    reader.answers.open(item, subject, position);
    scheme.gap ??= gapOf(item, subject, position);
  }
}

function gapOf(item: "credentials" | "placement", subject: string, position: Position): Gap {
  return { part: "authentication", item, subject, position };
}
