/**
 * `file`: a file part of a multipart body. Its value is an object of `name`, `type`, `size` and
 * `content` (base64). An author stores what is needed in ordinary fields, so that it is backed up
 * and erased with them.
 */
import type { Value } from "../../expressions/value.ts";
import { bareObject } from "../../support/bare-object.ts";
import type { FieldReader } from "../field-reader.ts";
import type { Findings } from "../findings.ts";
import { type FormFile, type FormNode, onlyFile, onlyText } from "../form.ts";
import { mediaTypeOfBytes } from "./file-signatures.ts";

/** @param types the accepted media types, including ranges such as `image/*`; empty means all */
export function compileFile(types: readonly string[]): FieldReader {
  const isTaken = (type: string) =>
    types.length === 0 ||
    types.some(
      (pattern) => pattern === type || (pattern.endsWith("/*") && type.startsWith(pattern.slice(0, -1))),
    );
  const read = (file: FormFile, path: string, findings: Findings): Value | undefined => {
    const type = mediaTypeOfBytes(file.bytes, file.type);
    if (type === undefined)
      return findings.refuse("invalid field", path, `does not contain ${file.type} data`, file.name);
    if (!isTaken(type))
      return findings.refuse(
        "invalid field",
        path,
        `must be a file of ${types.join(" or ")}, but is ${type}`,
        file.name,
      );
    return fileValue(file, type);
  };
  return {
    json: (json, path, findings) => findings.refuse("invalid field", path, "must be a file", json),
    form(node: FormNode, path, findings) {
      const file = onlyFile(node);
      return file
        ? read(file, path, findings)
        : findings.refuse("invalid field", path, "must be a file", onlyText(node));
    },
  };
}

function fileValue({ name, bytes }: FormFile, type: string): Value {
  const content = Buffer.from(bytes.buffer, bytes.byteOffset, bytes.byteLength).toString("base64");
  return Object.assign(bareObject(), { name, type, size: bytes.byteLength, content }) as Value;
}
