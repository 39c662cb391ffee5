/** Multipart body of a trial (RFC 7578): typed values and selected files. */
import { randomBytes } from "node:crypto";

/** A text, or a file with its content in base64. */
export interface TriedPart {
  readonly name: string;
  readonly value?: string;
  readonly file?: { readonly name: string; readonly type: string; readonly content: string };
}

export interface MultipartBody {
  readonly contentType: string;
  readonly bytes: Uint8Array;
}

export function multipartBody(parts: readonly TriedPart[]): MultipartBody {
  // A random boundary doesn't occur in the content by chance.
  const boundary = `ninefold-${randomBytes(18).toString("hex")}`;
  const pieces = parts.flatMap(({ name, value = "", file }) => [
    Buffer.from(`--${boundary}\r\n${headOf(name, file)}\r\n\r\n`),
    file ? Buffer.from(file.content, "base64") : Buffer.from(value),
    Buffer.from("\r\n"),
  ]);
  return {
    contentType: `multipart/form-data; boundary=${boundary}`,
    bytes: Buffer.concat([...pieces, Buffer.from(`--${boundary}--\r\n`)]),
  };
}

function headOf(name: string, file: TriedPart["file"]): string {
  const disposition = `Content-Disposition: form-data; name="${inQuotes(name)}"`;
  if (!file) return disposition;
  const type = /^[\w.+-]+\/[\w.+-]+$/.test(file.type) ? file.type : "application/octet-stream";
  return `${disposition}; filename="${inQuotes(file.name)}"\r\nContent-Type: ${type}`;
}

/** A name in quotation marks, escaped as browsers do. */
function inQuotes(name: string): string {
  return name.replaceAll('"', "%22").replaceAll("\r", "%0D").replaceAll("\n", "%0A");
}
