/**
 * Credentials as they are sent (part 5, `Placement`): what surrounds a credential in its header, and
 * the text of Basic credentials.
 */
import type { Placement } from "../model.ts";

export type HeaderForm = Pick<Extract<Placement, { kind: "header" }>, "prefixes" | "parameter">;
export type BasicForm = Pick<Extract<Placement, { kind: "basic" }>, "parts" | "formEncoded">;

/**
 * The text around a credential in its header: its first prefix, and the name and quotes of its
 * parameter.
 */
export function aroundCredential(
  { prefixes, parameter }: HeaderForm,
  prefix: string | undefined = prefixes[0],
): { readonly before: string; readonly behind: string } {
  // Part 5: a space separates a prefix from the credential, unless the prefix ends in `=`.
  const before = prefix === undefined ? "" : prefix.endsWith("=") ? prefix : `${prefix} `;
  return parameter === undefined
    ? { before, behind: "" }
    : { before: `${before}${parameter}="`, behind: '"' };
}

/** The value of the header that carries a credential. */
export function headerCredential(form: HeaderForm, credential: string): string {
  const { before, behind } = aroundCredential(form);
  return `${before}${credential}${behind}`;
}

/**
 * The text of Basic credentials, before base64: `user:password`.
 * @param texts the credentials, in the order of the placement's parts
 */
export function basicCredential({ parts, formEncoded }: BasicForm, texts: readonly string[]): string {
  const textOf = (part: BasicForm["parts"][number]) => {
    const text = texts[parts.indexOf(part)] ?? "";
    return formEncoded ? new URLSearchParams({ "": text }).toString().slice(1) : text;
  };
  return `${textOf("user")}:${textOf("password")}`;
}
