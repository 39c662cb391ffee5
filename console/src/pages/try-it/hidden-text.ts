/** The kind of an input: what nobody should read over a shoulder is hidden as it is typed. */
export function kindOfText(isSecret: boolean): { readonly type: "password" } | { readonly type: "text" } {
  return isSecret ? { type: "password" } : { type: "text" };
}
