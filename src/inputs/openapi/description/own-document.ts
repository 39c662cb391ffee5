/**
 * The document in an export with `--extensions document`. It is read only if the file is as it was
 * exported: what someone changed in the file must not be lost.
 */
import { compile } from "../../../compile.ts";
import { valueDigest } from "../../../support/hashing/value-digest.ts";
import { isPlain, type Plain, textOf } from "./values.ts";

/** The text of the document; a note if it can't be used; undefined if the file has none. */
export function ownDocument(first: Plain): { readonly text: string } | { readonly note: string } | undefined {
  const { "x-ninefold-document": stated, ...file } = first;
  if (!isPlain(stated)) return undefined;
  const text = textOf(stated["text"]);
  if (text === undefined || stated["digest"] !== valueDigest(file))
    return { note: "the file was changed after its export: the document in it is not read" };
  const isSound = compile(text, { file: "x-ninefold-document" }).diagnostics.every(
    ({ severity }) => severity !== "error",
  );
  return isSound ? { text } : { note: "the document in it has errors, and is not read" };
}
