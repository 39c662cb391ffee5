/** The functions of `s3.md`: signatures of AWS (version 4), the bytes of parts together, and texts in XML. Typed from the document by `ninefold types`. */
import { createHash, createHmac } from "node:crypto";
import type { Functions } from "./s3.types.ts";

const hmac = (key: string | Buffer, text: string) => createHmac("sha256", key).update(text).digest();
const sha256 = (text: string) => createHash("sha256").update(text).digest("hex");

/** As AWS escapes: all but letters, digits and `-_.~`. */
function escapedPart(text: string): string {
  return encodeURIComponent(text).replace(
    /[!'()*]/g,
    (sign) => `%${sign.charCodeAt(0).toString(16).toUpperCase()}`,
  );
}

/** The query in the order of its names, each with a value. */
function canonicalQuery(query: string): string {
  const pairs = query.split("&").filter((pair) => pair !== "");
  const parts = pairs.map((pair) => {
    const at = pair.indexOf("=");
    return at === -1 ? [pair, ""] : [pair.slice(0, at), pair.slice(at + 1)];
  });
  const written = parts.map(([name = "", value = ""]) =>
    [name, value].map((text) => escapedPart(decodeURIComponent(text))).join("="),
  );
  return written.toSorted().join("&");
}

export const functions: Functions = {
  signature(method, url, sent, secret) {
    const headers = sent as Readonly<Record<string, string | undefined>>;
    const { authorization = "" } = headers;
    const scope = /Credential=[^/]+\/([^,]+)/.exec(authorization)?.[1] ?? "";
    const names = /SignedHeaders=([^,]+)/.exec(authorization)?.[1] ?? "";
    const [, path = "", query = ""] = /^[a-z]+:\/\/[^/]+([^?]*)\??(.*)$/i.exec(url) ?? [];
    const lines = names
      .split(";")
      .map((name) => `${name}:${(headers[name] ?? "").trim().replace(/ +/g, " ")}\n`);
    const payload = headers["x-amz-content-sha256"] ?? "UNSIGNED-PAYLOAD";
    const request = [method, path, canonicalQuery(query), lines.join(""), names, payload].join("\n");
    const toSign = ["AWS4-HMAC-SHA256", headers["x-amz-date"], scope, sha256(request)].join("\n");
    const key = scope.split("/").reduce<Buffer | string>((key, part) => hmac(key, part), `AWS4${secret}`);
    return hmac(key, toSign).toString("hex");
  },
  joined: (pieces) => Buffer.concat(pieces.map((piece) => Buffer.from(piece, "base64"))).toString("base64"),
  escaped: (text) => text.replace(/[&<>"]/g, (sign) => `&#${sign.charCodeAt(0)};`),
  keys(xml) {
    const names: Readonly<Record<string, string>> = { lt: "<", gt: ">", quot: '"', apos: "'", amp: "&" };
    const plain = (text: string) =>
      text.replace(/&(?:#(\d+)|#x([0-9a-f]+)|(\w+));/gi, (_, digits, hex, name) => {
        if (name !== undefined) return names[name] ?? "";
        return String.fromCodePoint(digits === undefined ? Number.parseInt(hex, 16) : Number(digits));
      });
    return [...xml.matchAll(/<Key>([^<]*)<\/Key>/g)].map(([, key = ""]) => plain(key));
  },
};
