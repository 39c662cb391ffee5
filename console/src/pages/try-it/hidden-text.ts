/** The type of an input: secrets are masked while the user types. */
export function kindOfText(isSecret: boolean): { readonly type: "password" } | { readonly type: "text" } {
  return isSecret ? { type: "password" } : { type: "text" };
}
